// Several jobs in one run, as a user starts them.

#include <algorithm>
#include <set>

#include "tests/support/support.hpp"

using namespace toroid;
using test::check_fails;
using test::json_of;
using test::run_toroid;

namespace {

const std::string two =
    "simulate mesh:4x8 --engine fluid --job stencil:grid=4x4,name=a --job '(cg:class=S,ranks=16,iterations=1),name=b' ";

}  // namespace

TEST_CASE("several jobs are told of by jobs, by who slows whom, and by links") {
  const auto r = run_toroid(two);
  CHECK(r.exit_code == 0);
  CHECK(r.err.empty());
  CHECK_THAT(r.out, Catch::Contains("2 jobs on mesh:4x8") && Catch::Contains("slowdown") &&
                        Catch::Contains("run time lost by") && Catch::Contains("to b") &&
                        Catch::Contains("busiest links"));
}

TEST_CASE("the JSON of several jobs") {
  const auto json = json_of(two);
  CHECK(json["schema_version"] == core::schema_version);
  REQUIRE(json["jobs"].size() == 2);
  const auto& a = json["jobs"][0];
  CHECK(a["name"] == "a");
  CHECK(a["trace"] == "stencil:grid=4x4");
  CHECK(a["nodes"].size() == 16);
  CHECK(a["end"] == "done");
  CHECK(a["slowdown"].get<double>() == a["runtime_s"].get<double>() / a["alone_s"].get<double>());
  CHECK(json["jobs"][1]["nodes"][0] == 16);  // the next that are free
  CHECK(json["contention"].size() == 4);
  CHECK(json["contention"][1]["victim"] == "a");
  CHECK(json["contention"][1]["aggressor"] == "b");
  CHECK(json["manifest"]["jobs"][0] == "stencil:grid=4x4,name=a");
  for (const auto& link : json["links"]) {
    std::uint64_t bytes = 0;
    for (const auto& [name, part] : link["bytes_by_job"].items()) bytes += part.get<std::uint64_t>();
    CHECK(bytes == link["bytes"]);
  }
}

TEST_CASE("jobs that repeat together say how much of them does, and tell what they tell when all is simulated") {
  const std::string alike =
      "simulate torus:4x4 --engine fluid --job '(stencil:grid=4x1,steps=100)@0-3,name=a' --job "
      "'(stencil:grid=4x1,steps=100)@8-11,name=b' ";
  auto json = json_of(alike), full = json_of(alike + "--repeats off");
  for (const auto job : {0, 1}) {
    const auto repeated = json["jobs"][job]["repeated_messages"].get<std::uint64_t>();
    CHECK(2 * repeated > json["jobs"][job]["messages"].get<std::uint64_t>());
    CHECK(full["jobs"][job]["repeated_messages"] == 0);
    CHECK(json["jobs"][job]["runtime_s"].get<double>() ==
          Approx(full["jobs"][job]["runtime_s"].get<double>()).epsilon(1e-9));
    CHECK(json["jobs"][job]["messages"] == full["jobs"][job]["messages"]);
  }
  const std::string said = "% of the messages of b are in iterations that repeat earlier ones";
  CHECK_THAT(run_toroid(alike).out, Catch::Contains(said));
  CHECK_THAT(run_toroid(alike + "--repeats off").out, !Catch::Contains(said));
}

TEST_CASE("the same jobs give the same bytes") {
  const std::string engine = GENERATE("simgrid", "fluid", "packet");
  const auto command =
      "simulate torus:4x8 --job '(cg:class=S,ranks=8,iterations=1)@random,map=random' --job "
      "'(stencil:grid=2x4,steps=3)@random,start=1us' --job stencil:grid=2x4,repeat=until-end --json - "
      "--engine " +
      engine;
  const auto r = run_toroid(command);
  REQUIRE(r.exit_code == 0);
  CHECK(r.out == run_toroid(command).out);
}

TEST_CASE("a job's description") {
  const auto json = json_of(
      "simulate mesh:8x8,cores=2 --engine fluid --map hilbert "
      "--job '(stencil:grid=4x2,steps=2)@(0-3,8-11),name=listed,seed=9' "
      "--job '(cg:class=S,ranks=8,iterations=1)@curve:order=hilbert,map=random,start=2us,ranks-per-node=2' "
      "--job '(stencil:grid=2x2)@(curve:order=snake,fit=best),repeat=3'");
  const auto& jobs = json["jobs"];
  CHECK(jobs[0]["name"] == "listed");
  CHECK(jobs[0]["nodes"] == core::Json::parse("[0,1,2,3,8,9,10,11]"));
  CHECK(jobs[0]["map"] == "hilbert");
  CHECK(jobs[0]["seed"] == 9);
  CHECK(jobs[1]["name"] == "job2");
  CHECK(jobs[1]["map"] == "random");
  CHECK(jobs[1]["nodes"].size() == 4);
  CHECK(jobs[1]["start_s"] == 2e-6);
  CHECK(jobs[1]["seed"] == 2);
  CHECK(jobs[2]["rounds_s"].size() == 3);
}

TEST_CASE("what an allocator chooses is free, and what is busy stays so") {
  const auto json = json_of(
      "simulate mesh:4x4 --engine fluid --busy 0-3 --job stencil:grid=4@8-11 --job stencil:grid=4 --job "
      "stencil:grid=4@consecutive");
  CHECK(json["jobs"][1]["nodes"] == core::Json::parse("[4,5,6,7]"));
  CHECK(json["jobs"][2]["nodes"] == core::Json::parse("[12,13,14,15]"));
}

TEST_CASE("busy nodes whose program is known send messages, and the job alone is the job without them") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf",
                                 "1 0 -1 100 4 -1 -1 4 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "2 0 -1 100 6 -1 -1 6 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const std::string run = "simulate mesh:4x4 cg:class=S,ranks=4 --engine fluid --map hilbert --busy ";
  const auto busy = "schedule:jobs=" + log + ",at=5s,alloc=random";
  for (const std::string alloc : {"", " --alloc mc1x1"}) {
    const auto json = json_of(run + "'" + busy + ",program=(stencil:grid={box})'" + alloc);
    const auto& jobs = json["jobs"];
    REQUIRE(jobs.size() == 3);
    CHECK(jobs[1]["name"] == "neighbour 1");
    CHECK(jobs[1]["nodes"].size() == 4);
    CHECK(jobs[2]["trace"] == "stencil:grid=3x2x1");
    CHECK(jobs[0]["slowdown"] > 1);
    const auto alone = json_of(run + busy + alloc);
    CHECK(jobs[0]["alone_s"] == alone["runtime_s"]);
    std::set<int> all;
    for (const auto& job : jobs)
      for (const int node : job["nodes"]) CHECK(all.insert(node).second);
    for (const auto& rank : alone["ranks"])
      CHECK(jobs[0]["nodes"].dump().find(rank["node"].dump()) != std::string::npos);
  }
  const auto later =
      json_of(run + "'" + "schedule:jobs=" + log + ",at=500s,program=(stencil:grid={box})'");  // when both have ended
  CHECK(later["jobs"].size() == 1);
  for (const std::string command : {"map mesh:4x4 stencil:grid=4", "compare mesh:4x4 --trace stencil:grid=4"})
    check_fails(command + " --busy '" + busy + ",program=(stencil:grid={box})'", 2,
                "neighbours run in toroid simulate");
  check_fails(run + "'" + busy + ",program=(stencil:grid={box} if size=6)'", 2, "job 1 (size 4");
}

TEST_CASE("tables of several jobs") {
  const test::Scratch scratch;
  const auto jobs = scratch.path("jobs.csv"), contention = scratch.path("c.csv"), links = scratch.path("l.csv"),
             ranks = scratch.path("r.csv");
  CHECK(run_toroid(two + "--jobs-csv " + jobs + " --contention-csv " + contention + " --links-csv " + links +
                   " --ranks-csv " + ranks)
            .exit_code == 0);
  CHECK_THAT(test::content(jobs), Catch::StartsWith("name,start_s,end_s,end,error,rounds_s,runtime_s,alone_s,"));
  CHECK_THAT(test::content(contention), Catch::StartsWith("victim,aggressor,contention_s,runtime_share\na,a,"));
  CHECK_THAT(test::content(links), Catch::StartsWith("link,name,") && Catch::Contains("bytes_by_job"));
  CHECK_THAT(test::content(ranks), Catch::StartsWith("job,rank,node,") && Catch::Contains("\nb,15,31,"));
}

TEST_CASE("jobs are explained one by one, and cost each other what they do unexplained") {
  const test::Scratch scratch;
  const std::string run =
      "simulate mesh:4x4 --engine fluid --job '(stencil:grid=2x4,steps=2)@(0,2,5,7,8,10,13,15),map=random,name=a' "
      "--job 'stencil:grid=2x4@(1,3,4,6,9,11,12,14),name=b,repeat=2' --json ";
  REQUIRE(run_toroid(run + scratch.path("plain.json")).exit_code == 0);
  const auto text = run_toroid(run + scratch.path("explained.json") + " --explain");
  REQUIRE(text.exit_code == 0);
  CHECK_THAT(text.out, Catch::Contains("\na: ") && Catch::Contains(", the last of 2 rounds\n\nwhy  ") &&
                           Catch::Contains("\nwithout b  "));
  auto plain = core::parse_json(test::content(scratch.path("plain.json"))),
       explained = core::parse_json(test::content(scratch.path("explained.json")));
  // What is said of another mapping of a is what both jobs take with it.
  auto with_quick = run;
  with_quick.replace(with_quick.find("map=random"), 10, "map=quick");
  REQUIRE(run_toroid(with_quick + scratch.path("quick.json")).exit_code == 0);
  const auto quick = core::parse_json(test::content(scratch.path("quick.json")));
  for (const std::size_t job : {0, 1}) {
    const auto& trials = explained["jobs"][job]["explanation"]["trials"];
    const auto trial = std::ranges::find_if(trials, [](const auto& one) { return one["change"] == "map=quick for a"; });
    REQUIRE(trial != trials.end());
    CHECK((*trial)["runtime_s"] == quick["jobs"][job]["rounds_s"].back());
    CHECK_THAT(text.out, Catch::Contains("\nwith map=quick for a  "));
  }
  for (auto& job : explained["jobs"]) {
    CHECK(job["explanation"]["trials"].size() > 5);
    std::size_t in_the_way = 0;
    for (const auto& link : job["explanation"]["links"])
      for (const auto& message : link["in_the_way"]) {
        CHECK((message["job"] == "a" || message["job"] == "b"));
        ++in_the_way;
      }
    CHECK(in_the_way > 0);
    job.erase("explanation");
  }
  for (auto* one : {&plain, &explained}) one->erase("manifest");
  CHECK(plain == explained);
}

TEST_CASE("jobs that cannot be described so") {
  const auto fails = [](const std::string& jobs, const std::string& text) {
    check_fails("simulate mesh:4x4 --engine fluid " + jobs, 2, text);
  };
  fails("--job cg:class=S,ranks=4@0-3",
        "'ranks' is a key of cg: a TRACE with commas stands in parentheses, (cg:class=S,ranks=4)@0-3");
  fails("--job stencil:grid=4@0-1,3",
        "found '3', expected key=value; a list of nodes with commas stands in parentheses");
  fails("--job stencil:grid=4,until=3", "a job has no key 'until'");
  fails("--job stencil:grid=4,strat=1s", "a job has no key 'strat'; did you mean 'start'?");
  fails("--job stencil:grid=4,start=5", "start");
  fails("--job stencil:grid=4,start=-5s", "start");
  fails("--job stencil:grid=4,repeat=0", "repeat=0: expected until-end, or a whole number of 1 or more");
  fails("--job stencil:grid=4,map=", "map: found no value");
  fails("--job stencil:grid=4,map=random,map=random", "'map' is given twice");
  fails("--job '(stencil:grid=4'", "the parentheses do not match");
  fails("--job @3", "expected a TRACE first");
  fails("--job stencil:grid=4@", "found nothing after @");
  fails("--job mesh:4x4", "'mesh:4x4' is a platform, where TRACE is expected");
  fails("--job stencil:grid=4,name=x --job stencil:grid=4,name=x", "another job is called 'x', too");
}

TEST_CASE("jobs that do not fit") {
  const auto fails = [](const std::string& jobs, const std::string& text) {
    check_fails("simulate mesh:4x4 --engine fluid " + jobs, 2, text);
  };
  fails("--job stencil:grid=8x8",
        "job 'job1': allocator 'consecutive' has no 64 nodes for the job on mesh:4x4, where 16");
  fails("--job stencil:grid=4x3 --job stencil:grid=4x3", "job 'job2': allocator 'consecutive' has no 12 nodes");
  fails("--job stencil:grid=4@0-3 --job stencil:grid=4@3-6",
        "job 'job2': node 3 is held by job 'job1': jobs share no node");
  fails("--busy 3 --job stencil:grid=4@0-3", "job 'job1': node 3 is busy");
  fails("--job stencil:grid=4@12-19", "job 'job1': '12-19': node 16 does not exist");
  fails("--job stencil:grid=4@best", "--job 'stencil:grid=4@best': unknown allocator 'best'");
  fails("--job stencil:grid=4,ranks-per-node=2", "job 'job1': 2 ranks per node: mesh:4x4 allows 1 to 1");
  fails("--job stencil:grid=4,repeat=until-end", "every job repeats until the others have ended");
}

TEST_CASE("options of a single trace and of several jobs are kept apart") {
  check_fails("simulate mesh:4x4", 2, "expected a TRACE, or jobs: --job TRACE");
  check_fails("simulate mesh:4x4 cg --job cg", 2, "found TRACE and --job, expected one of them");
  check_fails("simulate mesh:4x4 --job cg --nodes 0-3", 2, "--nodes is for a single TRACE");
  check_fails("simulate mesh:4x4 --job cg --verify", 2, "--verify is for a single TRACE");
  check_fails("simulate mesh:4x4x2 --job stencil:grid=2 --plane z=2", 2, "--plane: found 'z=2', expected z=0 to z=1");
  check_fails("simulate mesh:4x4 cg --jobs-csv x.csv", 2, "--jobs-csv is for jobs: --job TRACE");
  check_fails("simulate mesh:4x4 --job cg:class=S,ranks=4 --draws-csv x.csv", 2,
              "--draws-csv is for machines that are drawn: --uncertainty N");
}

TEST_CASE("a job that deadlocks fails by name, and the others may go on") {
  const test::Scratch scratch;
  const auto stuck = scratch.write("stuck.ti", "0 recv 1 0 8 6\n1 recv 0 0 8 6\n");
  const auto command = "simulate mesh:4x4 --job stencil:grid=4 --job " + stuck + ",name=stuck ";
  check_fails(command, 1, "job 'stuck': deadlock");
  const auto json = json_of(command + "--others go-on");
  CHECK(json["jobs"][0]["end"] == "done");
  CHECK(json["jobs"][1]["end"] == "failed");
  CHECK(json["jobs"][1]["error"].get<std::string>().starts_with("deadlock"));
  CHECK(json["jobs"][1]["runtime_s"].is_null());
  CHECK_THAT(run_toroid(command + "--others go-on").out, Catch::Contains("job 'stuck' failed: deadlock"));
}

TEST_CASE("a job's nodes are a box, in parentheses of its own") {
  const auto nodes = [](const std::string& where) {
    return json_of("simulate mesh:4x4x2 --engine fluid --job 'stencil:grid=4@" + where + "'")["jobs"][0]["nodes"];
  };
  CHECK(nodes("((0-3,1,0))") == core::Json::parse("[4,5,6,7]"));
  CHECK(nodes("y=2") == core::Json::parse("[8,9,10,11,24,25,26,27]"));
  CHECK(nodes("(4-5,8,9)") == core::Json::parse("[4,5,8,9]"));
  test::check_fails("simulate mesh:4x4x2 --job 'stencil:grid=4@(0-3,0,0)'", 2,
                    "node 0 is given twice; a box has parentheses of its own, (0-3,0,0)");
}

TEST_CASE("events in the middle of a run") {
  const std::string jobs =
      "simulate torus:4x4,lat=0s --engine fluid --job '(stencil:grid=4,bytes=1MB)@0-3,name=a' "
      "--job stencil:grid=4@4-7,name=noise,repeat=until-end ";
  const auto plain = json_of(jobs);
  const auto json = json_of(
      jobs +
      "--at '1ms:kill noise' --at '2ms:fail-link n0-n1' --at '3ms:set bandwidth=x0.5' --at '9s:fail-link n1-n2'");
  CHECK(json["jobs"][1]["end"] == "killed");
  CHECK(json["jobs"][1]["end_s"] == 1e-3);
  CHECK(plain["jobs"][1]["end"] == "with the others");
  CHECK(json["jobs"][0]["runtime_s"].get<double>() > plain["jobs"][0]["runtime_s"].get<double>());
  CHECK(json["contention"][2]["aggressor"].is_null());  // what the changes took
  CHECK(json["contention"][2]["contention_s"].get<double>() > 0);
  CHECK(json["events"][1] == core::Json({{"time_s", 2e-3}, {"event", "fail-link n0-n1"}, {"in_time", true}}));
  CHECK(json["events"][3]["in_time"] == false);
  CHECK(json["manifest"]["at"].size() == 4);
  CHECK_THAT(run_toroid(jobs + "--at '2ms:fail-link n0-n1' --at '9s:kill noise'").out,
             Catch::Contains("to changes") && Catch::Contains("too late") && Catch::Contains("kill noise"));
}

TEST_CASE("a single trace can meet a failure, too") {
  const std::string command = "simulate torus:4,lat=0s --engine fluid stencil:grid=4,bytes=1MB,steps=1 ";
  const auto plain = json_of(command), json = json_of(command + "--at '500us:fail-link n0-n1'");
  CHECK(json["runtime_s"].get<double>() > plain["runtime_s"].get<double>());
  CHECK(json["events"].size() == 1);
  CHECK_FALSE(plain.contains("events"));
  check_fails(command + "--at '500us:fail-link n0-n1' --on-failure fail", 1, "lost message: stencil:grid=4");
}

TEST_CASE("events that cannot be") {
  const auto fails = [](const std::string& events, const std::string& text) {
    check_fails("simulate torus:4x4 --engine fluid --job stencil:grid=4,name=a " + events, 2, text);
  };
  fails("--at '1ms kill a'", "--at '1ms kill a': expected TIME:EVENT, such as 2ms:fail-link n5-n6");
  fails("--at '1ms:kill b'", "unknown job 'b'");
  fails("--at '1ms:kill'", "kill: found nothing after it, expected TIME:EVENT, such as 2ms:fail-link n5-n6");
  fails("--at '1ms:stop a'", "found 'stop', expected fail-link, set or kill");
  fails("--at '-1ms:kill a'", "--at '-1ms:kill a': time");
  fails("--at '1:kill a'", "--at '1:kill a': time");
  fails("--at '1ms:set shape=4x4'", "'shape' cannot change while jobs run");
  fails("--at '1ms:set bandwith=x2'", "'bandwith' cannot change while jobs run; did you mean 'bandwidth'?");
  fails("--at '1ms:set x.wrap=mesh'", "'x.wrap' cannot change while jobs run");
  fails("--at '1ms:set injection=1GBps'", "a limit of injection or ejection cannot come or go while jobs run");
  fails("--at '1ms:set bandwidth'", "found 'bandwidth', expected property=value");
  fails("--at '1ms:fail-link n0-n9'", "--at '1ms:fail-link n0-n9'");
  check_fails("simulate torus:4x4 --job stencil:grid=4 --at '1ms:fail-link n0-n1'", 2,
              "engine 'simgrid' cannot change the machine while jobs run; expected fluid");
  check_fails("simulate torus:4x4 stencil:grid=4 --at '1ms:kill a'", 2, "found a single TRACE, expected jobs");
  check_fails("simulate mesh:4 --engine fluid stencil:grid=4 --at '1ms:fail-link n0-n1'", 2, "cuts the machine");
}

TEST_CASE("rows of who slows whom add up to what was lost, or say what is missing") {
  const auto json = json_of(
      "simulate torus:4x8,lat=0s --engine fluid --job '(cg:class=S,ranks=8,iterations=1)@random,name=a' --job "
      "'(stencil:grid=2x4,steps=3)@random,name=b,repeat=2' --job '(stencil:grid=2x4,bytes=64KiB)@random,name=c'");
  for (const auto& job : json["jobs"]) {
    double time = 0, charged = 0;
    for (const auto& round : job["rounds_s"]) time += round.get<double>();
    const double lost = time - static_cast<double>(job["rounds_s"].size()) * job["alone_s"].get<double>();
    CHECK(job["lost_s"].get<double>() == Approx(lost).margin(1e-15));
    for (const auto& pair : json["contention"])
      if (pair["victim"] == job["name"] && pair["aggressor"] != job["name"])
        charged += pair["contention_s"].get<double>();
    CHECK(charged + job["uncharged_s"].get<double>() == Approx(lost).margin(1e-15));
  }
  CHECK_THAT(run_toroid(two).out, Catch::Contains("beside alone") && Catch::Contains("uncharged"));
}

TEST_CASE("a message without bytes behind another, beside another job") {
  const test::Scratch scratch;
  const auto m1 = scratch.write("m1.ti", "0 send 1 0 20000 6\n1 recv 0 0 20000 6\n");
  const auto m2 = scratch.write("m2.ti", "0 send 1 0 1000 6\n0 send 1 0 0 6\n1 recv 0 0 1000 6\n1 recv 0 0 0 6\n");
  for (const std::string engine : {"simgrid", "fluid", "packet"})
    CHECK(
        run_toroid("simulate mesh:8 --job '" + m1 + "@(0,1)' --job '" + m2 + "@(3,4)' --engine " + engine).exit_code ==
        0);
}
