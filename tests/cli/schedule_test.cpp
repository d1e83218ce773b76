#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <sstream>

#include "core/csv.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::run_toroid;

namespace {

// 1 runs on 10 of 16 nodes until 100; 2 wants all and waits; 3 fits beside 1 and ends before it.
const std::string three_jobs =
    "1 0 -1 100 10 -1 -1 10 100 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    "2 10 -1 50 16 -1 -1 16 60 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
    "3 20 -1 30 4 -1 -1 4 40 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) all.push_back(field);
  return all;
}

}  // namespace

TEST_CASE("schedule says what became of the jobs") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const auto json = core::Json::parse(run_toroid("schedule mesh:4x4 " + log + " --json -").out);
  CHECK(json["schema_version"] == core::schema_version);
  CHECK(json["jobs"] == 3);
  CHECK(json["makespan_s"] == 150);
  CHECK(json["utilization"].get<double>() == Approx((1000 + 800 + 120) / (16.0 * 150)));
  CHECK(json["mean_wait_s"].get<double>() == Approx(90 / 3.0));
  CHECK(json["mean_response_s"].get<double>() == Approx((100 + 140 + 30) / 3.0));
  CHECK(json["mean_bounded_slowdown"].get<double>() == Approx((1 + 2.8 + 1) / 3));
  // 0-9: rows of 4, 4 and 2; 16: all; 10-13 beside 1.
  CHECK(json["avg_sum_pairwise_hops"].get<double>() > 0);
  CHECK(json["manifest"]["scheduler"] == "easy");
  CHECK(json["manifest"]["inputs"][0]["file"] == log);
  const auto fcfs = core::Json::parse(run_toroid("schedule mesh:4x4 " + log + " --scheduler fcfs --json -").out);
  CHECK(fcfs["makespan_s"] == 180);
  CHECK_THAT(run_toroid("schedule mesh:4x4 " + log).out,
             Catch::Contains("jobs           3 on 16 nodes of mesh:4x4, easy with consecutive"));
}

TEST_CASE("schedule writes a line per job with Batsim's columns first") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs + "4 30 -1 10 17 -1 -1 17 40 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto csv = scratch.path("jobs.csv");
  REQUIRE(run_toroid("schedule mesh:4x4 " + log + " --too-large reject --jobs-csv " + csv).exit_code == 0);
  std::istringstream text(test::content(csv));
  std::vector<std::vector<std::string>> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(fields(line + ",end"));
  REQUIRE(lines.size() == 5);
  for (const auto& line : lines) CHECK(line.size() == lines[0].size());
  CHECK(std::vector<std::string>(lines[0].begin(), lines[0].begin() + 17) ==
        fields("job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,"
               "final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,"
               "allocated_resources,consumed_energy,metadata"));
  const auto row = [&](std::size_t line) {
    std::string all;
    for (std::size_t i = 0; i < 17; ++i) all += lines[line][i] + ",";
    return all;
  };
  CHECK(row(1) == "4,log.swf,constant,30,17,40,0,REJECTED,-1,-1,-1,-1,-1,-1,,-1,,");
  CHECK(row(2) == "3,log.swf,constant,20,4,40,1,COMPLETED_SUCCESSFULLY,20,30,50,0,30,1,10-13,-1,,");
  CHECK(row(3) == "1,log.swf,constant,0,10,100,1,COMPLETED_SUCCESSFULLY,0,100,100,0,100,1,0-9,-1,,");
  CHECK(row(4) == "2,log.swf,constant,10,16,60,1,COMPLETED_SUCCESSFULLY,100,50,150,90,140,2.8,0-15,-1,,");
  CHECK(lines[2][24] == "10 11 12 13");
}

TEST_CASE("The same run gives the same bytes") {
  const test::Scratch scratch;
  const std::string command =
      "schedule torus:8x8 derose:side=8,jobs=200 --alloc random --dynamic --scheduler "
      "conservative:order=shortest --json - --jobs-csv ";
  const auto first = run_toroid(command + scratch.path("a")), second = run_toroid(command + scratch.path("b"));
  CHECK(first.exit_code == 0);
  CHECK(first.out == second.out);
  CHECK(test::content(scratch.path("a")) == test::content(scratch.path("b")));
  CHECK(run_toroid(command + scratch.path("c") + " --seed 2").out != first.out);
}

TEST_CASE("schedule refuses what it cannot do") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  test::check_fails("schedule mesh:3x3 " + log, 2, "job 1: its 10 nodes never fit on mesh:3x3");
  test::check_fails("schedule mesh:4x4 " + log + " --scheduler esay", 2, "did you mean 'easy'?");
  test::check_fails("schedule mesh:4x4 " + log + " --scheduler easy:order=random", 2, "expected arrival, shortest");
  test::check_fails("schedule mesh:4x4 " + log + " --alloc none", 2, "unknown allocator 'none'");
  test::check_fails("schedule --alloc mc1x1 mesh:4x4 " + log + " --repeat 2", 2,
                    "--alloc takes all words up to the next option, here mc1x1, mesh:4x4, " + log +
                        "; write PLATFORM and JOBS before --alloc");
  test::check_fails("schedule mesh:4x4 --map quick " + log + " --times replayed --program stencil:grid={size}", 2,
                    "; write JOBS before --map");
  test::check_fails("compare --trace stencil:grid=4 mesh:4 --map random", 2, "; write PLATFORM before --trace");
  test::check_fails("schedule mesh:4x4 " + log + " --estimates 2", 2, "--estimates: found '2'");
  test::check_fails("schedule mesh:4x4 " + log + " --too-large wait", 2, "--too-large");
  test::check_fails("schedule mesh:4x4 " + log + " --jobs-csv " + log, 2, log);
  test::check_fails("schedule mesh:4x4 nowhere.swf", 2, "no such file");
  test::check_fails("schedule mesh:4x4 " + log + " --windows 8", 2, "--windows: expected --times replayed or epochs");
  test::check_fails("schedule mesh:4x4 " + log + " --links-svg x.svg", 2, "--windows");
  test::check_fails(
      "schedule mesh:4x4 " + log + " --times replayed --program stencil:grid={size} --windows 0 --links-svg x.svg", 2,
      "--links-svg: expected --windows of 1 or more");
  test::check_fails("schedule mesh:4x4 " + log + " --windows 8 --times epochs --program stencil:grid=1 --repeat 2", 2,
                    "--windows tells of one run");
  test::check_fails("schedule mesh:4x4 " + scratch.write("empty.swf", ""), 2, "empty.swf");
}

TEST_CASE("schedule draws the nodes over time, and tells the timeline") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const auto gantt = scratch.path("g.svg"), timeline = scratch.path("t.csv");
  REQUIRE(run_toroid("schedule bigben " + log + " --gantt " + gantt + " --timeline-csv " + timeline).exit_code == 0);
  CHECK_THAT(test::content(gantt), Catch::Contains("job 2: 16 nodes, 10 s to 60 s"));
  CHECK_THAT(test::content(timeline), Catch::Contains("\n10,0,2,26,2042,"));
  test::check_fails("schedule mesh:4x4 " + log + " --gantt " + scratch.path("g.png"), 2, "--gantt");
}

TEST_CASE("schedule has outages and times by the calendar, and says what comes too late") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", "; UnixStartTime: 1714557600\n" + three_jobs);
  const std::string command = "schedule mesh:4x4 " + log;
  const auto run = run_toroid(command + " --at '2024-05-01T10:00:50:fail-router y=0 until 2min' --requeue 3");
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::Contains("failures       4 of nodes, which ended 1 runs of jobs; 0 jobs were lost"));
  const auto json = core::Json::parse(run_toroid(command + " --at '1h:fail-node 3' --json -").out);
  CHECK(json["node_failures"] == 0);
  CHECK(json["manifest"]["at"][0] == "1h:fail-node 3");
  CHECK_THAT(run_toroid(command + " --at '1h:fail-node 3'").out,
             Catch::Contains("too late       fail-node 3 at 3600 s: the last job had ended at 150 s"));
  CHECK(json["events"][0]["in_time"] == false);
  const auto both = run_toroid(command + " --at '1h:fail-node 3' --alloc random --alloc curve --json -");
  const auto sweep = core::Json::parse(both.out);
  REQUIRE(sweep["rows"].size() == 2);
  for (const auto& row : sweep["rows"]) CHECK(row["events"][0]["in_time"] == false);
  CHECK_THAT(run_toroid(command + " --at '1h:fail-node 3' --alloc random --alloc curve").out,
             Catch::Contains("log.swf on mesh:4x4\ntoo late       fail-node 3 at 3600 s"));
  test::check_fails(command + " --requeue 3", 2, "--requeue: expected --mtbf or --at");
  test::check_fails(command + " --at '1h:fail-node 3' --alloc leak", 2, "keeps books of its own");
}

TEST_CASE("schedule has reservations, which are known in advance and make no node fail") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const std::string command = "schedule mesh:4x4 " + log + " --at '120s:reserve-node 0-15 until 300s'";
  // Job 2 may last 60 s from 100 s on.
  const auto run = run_toroid(command + " --jobs-csv - --json " + scratch.path("result.json"));
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::Contains("2,") && Catch::Contains(",\"ReqNodeNotAvail, Reserved for maintenance\"\n"));
  const auto json = core::Json::parse(test::content(scratch.path("result.json")));
  CHECK(json["node_failures"] == 0);
  CHECK(json["refused"] == 1);
  CHECK(json["last_end_s"] == 350);
  CHECK(json["events"][0] ==
        core::Json({{"time_s", 120.0}, {"until_s", 300.0}, {"event", "reserve-node 0-15"}, {"in_time", true}}));
  test::check_fails(command + " --requeue 3", 2, "--requeue: expected --mtbf or --at with an outage");
  test::check_fails(command + " --alloc leak", 2, "none of which may fail or be reserved");
  test::check_fails("schedule mesh:4x4 " + log + " --at '10s:reserve-node 16 until 20s'", 2, "node 16 does not exist");
}

TEST_CASE("schedule has outages beside programs, whichever way these take their time") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  for (const std::string times : {"replayed", "epochs"}) {
    CAPTURE(times);
    const auto json = core::Json::parse(
        run_toroid("schedule mesh:4x4 " + log + " --times " + times +
                   " --program 'stencil:grid={size},bytes=1GB' --at '1s:fail-node 0 until 2min' --json -")
            .out);
    // Job 1 ends on its node, and starts again on others; job 2 wants all 16, and waits for the node.
    CHECK(json["interrupted"] == 1);
    CHECK(json["node_failures"] == 1);
    CHECK(json["jobs"] == 3);
    CHECK(json["events"][0]["in_time"] == true);
    CHECK(json["last_end_s"].get<double>() > 120);
  }
}

TEST_CASE("a sweep goes on, unless the file that names the nodes of an outage has changed") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const auto path = scratch.write("down", "15\n");
  const auto run = [&] {
    const auto r = run_toroid("schedule mesh:4x4 " + log + " --alloc random --alloc curve --at '10s:fail-node @" +
                              path + " until 1h' --csv " + scratch.path("s.csv"));
    INFO(r.err);
    REQUIRE(r.exit_code == 0);
    const auto journal = test::content(scratch.path("s.csv.journal"));
    return std::count(journal.begin(), journal.end(), '\n');
  };
  CHECK(run() == 3);
  CHECK(run() == 3);
  scratch.write("down", "0-7\n");
  CHECK(run() == 6);
}

TEST_CASE("schedule calls machines, logs, schedulers, allocators and mappers by their labels; rows keep their names") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs), svg = scratch.path("x.svg"), json = scratch.path("x.json");
  const std::string both = "schedule 'our cluster := mesh:4x4' 'May := " + log + "' ";
  const auto one = run_toroid(both + "--alloc 'near := mc1x1' --scheduler 'in order := fcfs'");
  REQUIRE(one.exit_code == 0);
  CHECK_THAT(one.out, Catch::StartsWith("jobs           3 on 16 nodes of our cluster, in order with near\n"));
  const auto sweep = run_toroid(both +
                                "--and-platform torus:4x4 --alloc 'near := mc1x1' curve --times replayed --program "
                                "stencil:grid={size} --map 'fast := quick' random --repeat 2 --svg " +
                                svg + " --json " + json);
  REQUIRE(sweep.exit_code == 0);
  CHECK_THAT(sweep.out, Catch::Contains("our cluster  May ") && Catch::Contains("torus:4x4    May ") &&
                            Catch::Contains("near + fast") && Catch::Contains("curve + random") &&
                            !Catch::Contains("mc1x1"));
  CHECK_THAT(test::content(svg), Catch::Contains("near, fast") && Catch::Contains("our cluster") &&
                                     Catch::Contains("May") && !Catch::Contains("mc1x1"));
  const auto told = core::Json::parse(test::content(json));
  CHECK(told["labels"]["alloc"].size() == 2);
  CHECK(told["labels"]["alloc"][0] == core::Json({{"name", "mc1x1"}, {"label", "near"}}));
  CHECK(told["labels"]["workload"][0] == core::Json({{"name", log}, {"label", "May"}}));
  CHECK(told["rows"][0]["alloc"] == "mc1x1");
  CHECK(told["rows"][0]["platform"] == "mesh:4x4");
  CHECK(told["manifest"]["jobs"][0] == log);
  // The same run again, labels included.
  CHECK(run_toroid("schedule --config " + json).out == sweep.out);
  test::check_fails(both + "--alloc 'x := mc1x1' 'x := curve'", 2, "'x' is the label of two");
  test::check_fails(both + "--alloc 'x :='", 2, "expected a label of one plain line and what it stands for");
}

TEST_CASE("schedule draws a sweep") {
  const test::Scratch scratch;
  const auto svg = scratch.path("sweep.svg");
  const std::string sweep = "schedule mesh:8x8 derose:side=8,jobs=100 --alloc curve --alloc mbs ";
  REQUIRE(run_toroid(sweep + "--and-jobs derose:side=8,jobs=100,arrivals=0.5 --svg " + svg).exit_code == 0);
  CHECK_THAT(test::content(svg), Catch::Contains("mbs, derose:side=8,jobs=100,arrivals=0.5: utilization 0."));
  REQUIRE(run_toroid(sweep + "--axes utilization,mean_wait_s --svg " + svg).exit_code == 0);
  CHECK_THAT(test::content(svg), Catch::Contains("mean_wait_s"));
  CHECK_THAT(test::content(svg), !Catch::Contains("class=\"whisker\""));
  REQUIRE(run_toroid(sweep + "--repeat 3 --svg " + svg).exit_code == 0);
  CHECK_THAT(test::content(svg), Catch::Contains("class=\"whisker\"") && Catch::Contains("95 % confidence intervals"));
  REQUIRE(run_toroid(sweep + "--and-jobs derose:side=8,jobs=50 --repeat 3 --svg " + svg).exit_code == 0);
  CHECK_THAT(test::content(svg), Catch::Contains("class=\"error") && Catch::Contains("95 % confidence intervals"));
  test::check_fails(sweep + "--axes utilization,speed --svg " + svg, 2, "--axes");
  test::check_fails(sweep + "--svg " + scratch.path("sweep.png"), 2, "--svg");
}

TEST_CASE("simulate, map and compare take nodes from an allocator, beside what is busy") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const std::string ring = " stencil:grid=4,steps=1 ", placed = ring + "--map consecutive ";
  const auto nodes_of = [&](const std::string& options) {
    const auto run = run_toroid("map mesh:4x4" + placed + options + " -o - ");
    INFO(options << run.err);
    CHECK(run.exit_code == 0);
    std::string nodes = run.out;
    std::replace(nodes.begin(), nodes.end(), '\n', ' ');
    return nodes;
  };
  CHECK(nodes_of("--alloc consecutive") == "0 1 2 3 ");
  CHECK(nodes_of("--alloc consecutive --busy 0,2") == "1 3 4 5 ");
  CHECK(nodes_of("--busy 0-7") == "8 9 10 11 ");
  CHECK(nodes_of("--alloc consecutive --busy schedule:jobs=" + log + ",at=5s") == "10 11 12 13 ");
  CHECK(nodes_of("--alloc random --seed 3") == nodes_of("--alloc random --seed 3"));
  const auto json = core::Json::parse(
      run_toroid("simulate mesh:4x4" + ring + "--alloc curve --busy random:0.5 --engine fluid --json -").out);
  CHECK(json["manifest"]["alloc"] == "curve");
  CHECK(json["manifest"]["busy"] == "random:0.5");
  const auto compared = run_toroid("compare mesh:4x4 torus:4x4 --trace" + ring +
                                   "--map consecutive random --alloc random --busy 0-7 --no-verify");
  CHECK(compared.exit_code == 0);
  test::check_fails("map mesh:4x4" + placed + "--alloc consecutive --busy 0-12", 2, "--alloc: allocator 'consecutive'");
  test::check_fails("map mesh:4x4" + placed + "--alloc consecutive --nodes 0-3", 2, "--nodes");
  test::check_fails("map mesh:4x4" + placed + "--nodes 0-3 --busy 2", 2, "--nodes: node 2 is busy");
  test::check_fails("map mesh:4x4" + placed + "--busy nothing", 2, "unknown busy machine 'nothing'");
  test::check_fails("map mesh:4x4" + placed + "--busy 0-15", 2, "");
}

TEST_CASE("schedule sweeps machines, jobs, schedulers, allocators and seeds, and goes on where it was") {
  const test::Scratch scratch;
  const auto csv = scratch.path("sweep.csv"), log = scratch.write("log.swf", three_jobs);
  const std::string command = "schedule mesh:8x8 derose:side=8,jobs=40 --and-platform torus:8x8 --and-jobs " + log +
                              " --scheduler fcfs easy --alloc consecutive random --csv " + csv;
  const auto first = run_toroid(command + " --repeat 2");
  INFO(first.err);
  REQUIRE(first.exit_code == 0);
  CHECK_THAT(first.out, Catch::Contains("pairwise hops") && Catch::Contains("\nverdict        by wait, response, "));
  // With derose all is run twice, with the log what is random.
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  CHECK(lines(test::content(csv)) == 1 + 2 * 2 * (2 * 2 + 1 + 2));
  const auto journal = test::content(csv + ".journal");
  const auto again = run_toroid(command + " --repeat 2 --json -");
  CHECK(test::content(csv + ".journal") == journal);
  const auto json = core::Json::parse(again.out);
  CHECK(json["rows"].size() == 28);
  CHECK(json["summary"].size() == 16);
  REQUIRE(run_toroid(command + " --repeat 3").exit_code == 0);
  CHECK(lines(test::content(csv + ".journal")) == lines(journal) + 2 * 2 * 3);
  scratch.write("log.swf", three_jobs + three_jobs);
  REQUIRE(run_toroid(command + " --repeat 3").exit_code == 0);
  CHECK(lines(test::content(csv + ".journal")) == lines(journal) + 2 * 2 * 3 + 1 + 2 * 2 * 4);
  test::check_fails("schedule mesh:8x8 derose --repeat 2 --gantt " + scratch.path("g.svg"), 2,
                    "--gantt tells of one run");
  test::check_fails("schedule mesh:8x8 derose --repeat 2 --columns " + scratch.path("p"), 2,
                    "--columns tells of one run");
  CHECK(run_toroid("schedule --alloc consecutive random mesh:8x8 derose:side=8,jobs=40").out ==
        run_toroid("schedule mesh:8x8 derose:side=8,jobs=40 --alloc consecutive --alloc random").out);
  // What the machine has no room for is refused at once; what an allocator has no box for fails there alone.
  const auto three = scratch.write("three.csv", "size,submitted_s,run_time_s\n3,0,10\n");
  test::check_fails("schedule mesh:2x2 derose:jobs=3 --repeat 2", 2, "nodes never fit on mesh:2x2");
  test::check_fails("advise mesh:2 " + three, 2, "nodes never fit on mesh:2,");
  const auto failed = run_toroid("schedule mesh:2x2,fail-node=0 " + three + " --alloc submesh mc1x1");
  CHECK(failed.exit_code == 1);
  CHECK_THAT(failed.err, Catch::StartsWith("toroid: 1 of 2 runs failed"));
}

TEST_CASE("A sweep says what is paid for what, with intervals over seeds") {
  const std::string stream = "schedule mesh:8x8 derose:side=8,jobs=60 --alloc mc1x1 --alloc submesh ";
  const auto eight = run_toroid(stream + "--repeat 8");
  CHECK_THAT(eight.out, Catch::Contains("not dominated  mc1x1\n") &&
                            Catch::Contains("dominated      submesh by mc1x1: wait +") &&
                            Catch::Contains("95 % intervals over 8 seeds\n"));
  const auto json = core::Json::parse(run_toroid(stream + "--repeat 8 --json -").out);
  REQUIRE(json["rows"].size() == 16);
  CHECK(json["rows"][0]["paired_by"] == "seed");
  const auto &first = json["summary"][0], &second = json["summary"][1];
  CHECK(first["verdict"] == "not dominated");
  CHECK(second["verdict"] == "dominated");
  CHECK(second["dominated_by"] == core::Json{0});
  REQUIRE(json["trade_offs"].size() == 1);
  const auto& pair = json["trade_offs"][0]["pairs"][0];
  CHECK(pair["relation"] == "one dominates");
  // The differences seed by seed, from the rows.
  double sum = 0;
  for (std::size_t r = 0; r < 8; ++r) {
    const auto wait = [&](std::size_t row) { return json["rows"][row]["mean_wait_s"].get<double>(); };
    CHECK(json["rows"][r]["seed"] == json["rows"][r + 8]["seed"]);
    CHECK(wait(r + 8) > wait(r));
    sum += wait(r) - wait(r + 8);
  }
  const auto& difference = pair["differences"]["mean_wait_s"];
  CHECK(difference["mean"].get<double>() == Approx(sum / 8));
  CHECK(difference["test"] == "signed_rank");
  CHECK(difference["paired_by"] == "seed");
  CHECK(difference["pairs"] == 8);
  CHECK(difference["p_holm"] == 0.0078125);
  CHECK(difference["interval"][0] < difference["mean"]);
  CHECK(difference["interval"][1] > difference["mean"]);
  CHECK(pair["differences"].contains("makespan_s"));  // told, but no criterion
  const auto& interval = first["intervals"]["mean_wait_s"];
  CHECK(interval[0] < first["mean_wait_s"]);
  CHECK(interval[1] > first["mean_wait_s"]);
  // One stream, one run of each: differences by its jobs alone. The makespan is one number then.
  const std::string once = "schedule mesh:8x8 derose:side=8,jobs=640 --alloc mc1x1 --alloc submesh ";
  CHECK_THAT(run_toroid(once).out, Catch::Contains("one run of each: which is better is told for this log alone"));
  CHECK_THAT(run_toroid("schedule mesh:8x8 derose:side=8,jobs=20 --alloc mc1x1 --alloc random").out,
             Catch::Contains("one run of each: no statement on which is better"));
  const auto one = core::Json::parse(run_toroid(once + "--json -").out);
  CHECK(one["summary"][0]["verdict"].is_null());
  const auto& by_job = one["trade_offs"][0]["pairs"][0]["differences"];
  CHECK(by_job["mean_wait_s"]["paired_by"] == "job");
  CHECK(by_job["mean_wait_s"]["test"] == "t_of_series");
  CHECK(by_job["mean_wait_s"]["p_holm"] < 0.01);
  CHECK(by_job["makespan_s"].is_null());
  CHECK(one["rows"][0]["paired_by"] == "job");
}

TEST_CASE("No order of an allocator's nodes makes jobs slow unless it is asked for") {
  // A chain along the nodes as they are given: mc1x1 gives them shell by shell.
  const std::string command =
      "schedule torus:8x8x8 derose:side=16,jobs=60,seed=1 --times replayed --no-alone --program "
      "'stencil:grid={size},bytes=1MB,steps=3' --alloc mc1x1 ";
  const auto as_given = core::Json::parse(run_toroid(command + "--map consecutive --json -").out);
  const auto usual = core::Json::parse(run_toroid(command + "--json -").out);
  CHECK(usual["manifest"]["map"] == "quick");
  CHECK(as_given["manifest"]["map"] == "consecutive");
  CHECK(usual["mean_run_time_s"].get<double>() < 0.7 * as_given["mean_run_time_s"].get<double>());
  CHECK_THAT(run_toroid(command).out, Catch::Contains("mapping        quick places the ranks of each job"));
}

TEST_CASE("Programs fit any size as a box, or as the box of their nodes") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.csv", "size,submitted_s\n8,0\n7,100\n6,200\n");
  const auto programs = [&](const std::string& rule) {
    return run_toroid("schedule mesh:2x3x4 " + log + " --times replayed --alloc submesh --program '" + rule +
                      "' --jobs-csv - | cut -d, -f31")
        .out;
  };
  CHECK(programs("stencil:grid={box}") == "program\nstencil:grid=2x2x2\nstencil:grid=7x1x1\nstencil:grid=3x2x1\n");
  CHECK(programs("minighost:grid={box},steps=1").find("minighost:grid=2x2x2") != std::string::npos);
  CHECK_THAT(programs("stencil:grid={grid}"), Catch::Contains("stencil:grid=2x2x2"));
  test::check_fails("schedule mesh:4x4 " + log + " --times replayed --program stencil:grid={gird}", 2,
                    "found {gird}, expected {size}, {power2}, {square}, {box}, {grid} or {number}");
}

TEST_CASE("schedule replays the programs of jobs on one network") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const auto csv = scratch.path("jobs.csv");
  const std::string command = "schedule mesh:4x4 " + log +
                              " --times replayed --program 'stencil:grid={size},bytes=1MB if size=16' --program "
                              "'stencil:grid={size}' --map consecutive ";
  const auto run = run_toroid(command + "--json - --jobs-csv " + csv);
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  const auto json = core::Json::parse(run.out);
  CHECK(json["jobs"] == 3);
  CHECK(json["failed"] == 0);
  CHECK(json["mean_slowdown"].get<double>() >= 1);
  CHECK(json["manifest"]["engine"] == "fluid");
  CHECK(json["manifest"]["programs"].size() == 2);
  std::istringstream text(test::content(csv));
  std::map<std::string, std::vector<std::string>> lines;
  for (std::string line; std::getline(text, line);)
    lines.emplace(line.substr(0, line.find(',')), core::csv_fields(line));
  REQUIRE(lines.size() == 4);
  for (const auto& [id, line] : lines) CHECK(line.size() == lines.at("job_id").size());
  CHECK(run_toroid(command + "--json - --jobs-csv " + scratch.path("again.csv")).out == run.out);
  CHECK(test::content(scratch.path("again.csv")) == test::content(csv));
  // Without neighbours a job runs as it does under simulate.
  const auto alone = core::Json::parse(
      run_toroid("simulate mesh:4x4 stencil:grid=16,bytes=1MB --engine fluid --json -").out)["runtime_s"];
  CHECK(std::stod(lines.at("2")[9]) == Approx(alone.get<double>()).epsilon(1e-12));

  CHECK_THAT(run_toroid(command).out, Catch::Contains("contention     jobs run"));
  test::check_fails("schedule mesh:4x4 " + log + " --times replayed", 2, "job 1 (size 10");
  test::check_fails("schedule mesh:4x4 " + log + " --program stencil:grid={size}", 2, "--times replayed");
  test::check_fails(command + "--dynamic", 2, "cannot be programs");
  test::check_fails(command + "--program 'stencil:grid=2 if size=11'", 2, "is for none of the jobs");
  test::check_fails(command + "--ranks-per-node 2", 2, "2 ranks per node: mesh:4x4 allows 1 to 1");
}

TEST_CASE("Programs that receive from any rank go on for any number of rounds") {
  const test::Scratch scratch;
  const auto log = scratch.write("one.swf", "1 0 -1 10 16 -1 -1 16 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  for (const std::string traffic : {"messages=10", "messages=10,pattern=hot-spot", "messages=10,rate=100MBps"})
    for (const std::string times : {"replayed", "epochs"}) {
      CAPTURE(traffic, times);
      const auto run = run_toroid("schedule mesh:4x4 " + log + " --times " + times + " --program 'traffic:grid=16," +
                                  traffic + " rounds 40' --json -");
      REQUIRE(run.exit_code == 0);
      CHECK(core::Json::parse(run.out)["makespan_s"] > 0);
    }
}

TEST_CASE("schedule says what was left out of the jobs that are wanted, and whether a log knows waits") {
  const test::Scratch scratch;
  // Without a run time: one before, one within and one after the hundred seconds that are wanted.
  const auto log = scratch.write("some.swf",
                                 "1 0 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "2 50 -1 -1 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "3 100 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "4 150 -1 -1 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "5 160 -1 10 -1 -1 -1 -1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "6 170 -1 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "7 250 -1 -1 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n"
                                 "8 260 20 10 1 -1 -1 1 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
  const auto all = run_toroid("schedule mesh:4 " + log);
  CHECK_THAT(all.out, Catch::Contains("left out       1 without a size\nleft out       3 without a run time\n"));
  const auto some = "schedule mesh:4 " + log + ":from=100s,until=200s";
  CHECK_THAT(run_toroid(some).out,
             Catch::Contains("left out       1 without a size\nleft out       1 without a run time\n"));
  CHECK(core::Json::parse(run_toroid(some + " --json -").out)["left_out"] == 2);
  CHECK(core::Json::parse(run_toroid("schedule mesh:4 " + log + ":first=2 --json -").out)["left_out"] == 1);
  CHECK_THAT(run_toroid(some + " --scheduler as-logged").out,
             Catch::Contains("wait           not known: the log has no waits"));
  CHECK_THAT(run_toroid("schedule mesh:4 " + log + " --scheduler as-logged").out,
             Catch::Contains("wait           5 s on average, at most 20 s"));
}

TEST_CASE("Schedules on SimGrid's network are those of the same model, solved natively") {
  const std::string command =
      "schedule torus:4x4 derose:side=4,jobs=12 --times replayed --alloc random --windows 8 --json - "
      "--program 'stencil:grid={size},bytes=1MB,steps=2' ";
  const auto fluid = core::Json::parse(run_toroid(command).out);
  const auto simgrid = core::Json::parse(run_toroid(command + "--engine simgrid").out);
  CHECK(fluid["mean_slowdown"] > 1.001);
  for (const auto* field : {"makespan_s", "mean_wait_s", "mean_response_s", "mean_slowdown", "max_slowdown"})
    CHECK(simgrid[field].get<double>() == Approx(fluid[field].get<double>()).epsilon(1e-6));
  REQUIRE(simgrid["link_loads"]["windows"].size() == fluid["link_loads"]["windows"].size());
  for (std::size_t w = 0; w < fluid["link_loads"]["windows"].size(); ++w)
    CHECK(simgrid["link_loads"]["windows"][w]["bytes"].get<double>() ==
          Approx(fluid["link_loads"]["windows"][w]["bytes"].get<double>()).margin(10));
  CHECK(run_toroid("schedule torus:4x4 derose:side=4,jobs=12 --alloc random --alloc curve --times replayed "
                   "--program 'stencil:grid={size}' --engine simgrid")
            .exit_code == 0);
  test::check_fails(command + "--engine simgrid:sharing=latency", 2, "expected --no-alone");
  // Jobs of many rounds leave the network and come back to it.
  const std::string epochs =
      "schedule torus:4x4 derose:side=4,jobs=12 --times epochs --program 'stencil:grid={size},bytes=1MB rounds 400' "
      "--json - ";
  const auto fluid_epochs = core::Json::parse(run_toroid(epochs).out);
  const auto simgrid_epochs = core::Json::parse(run_toroid(epochs + "--engine simgrid").out);
  CHECK(simgrid_epochs["epochs"]["replayed"] < 0.5);
  const auto summary = run_toroid(epochs.substr(0, epochs.find("--json"))).out;
  CHECK_THAT(summary, Catch::Contains(fmt::format("epochs         {:.3g} % of the rounds were replayed",
                                                  100 * fluid_epochs["epochs"]["replayed"].get<double>())));
  CHECK_THAT(summary, Catch::Contains("times are approximate"));
  CHECK(simgrid_epochs["makespan_s"].get<double>() == Approx(fluid_epochs["makespan_s"].get<double>()).epsilon(1e-6));
}

TEST_CASE("A sweep that cannot be run ends before its first run") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.swf", three_jobs);
  const std::string command = "schedule mesh:4x4 " + log + " --alloc curve --alloc random --repeat 2 --csv " +
                              scratch.path("sweep.csv") + " --times replayed --program 'stencil:grid={size}' ";
  test::check_fails(command + "--map nonsense", 2, "'nonsense': no such mapper");
  test::check_fails(command + "--program 'nonsense if size=16'", 2, "nonsense");
  test::check_fails(command + "--program 'stencil:grid=2 if size=11'", 2, "is for none of the jobs");
  test::check_fails(command + "--alloc none", 2, "unknown allocator 'none'");
  test::check_fails(command + "--scheduler esay", 2, "did you mean 'easy'?");
  test::check_fails(command + "--alloc leak --mtbf 1", 2, "allocator 'leak': keeps books of its own");
  CHECK_FALSE(std::filesystem::exists(scratch.path("sweep.csv.journal")));
}

TEST_CASE("A sweep of replayed jobs is judged by its run times and makespan, whatever the workers") {
  const test::Scratch scratch;
  const std::string command =
      "schedule mesh:4x4 walker:first=60 --times replayed --program 'stencil:grid={size},bytes=64KiB' --too-large "
      "reject "
      "--alloc curve --alloc random --repeat 3 --scheduler fcfs ";
  const auto one = scratch.path("one.csv"), two = scratch.path("two.csv");
  const auto run = run_toroid(command + "--workers 1 --csv " + one);
  INFO(run.err);
  REQUIRE(run.exit_code == 0);
  CHECK_THAT(run.out,
             Catch::Contains(
                 "verdict        by wait, response, slowdown (runs below 10 s count as 10 s), makespan, run time"));
  REQUIRE(run_toroid(command + "--workers 2 --csv " + two).exit_code == 0);
  CHECK(test::content(one) == test::content(two));
  CHECK_THAT(test::content(one), Catch::Contains("mean_slowdown"));
}

TEST_CASE("A sweep over allocators and mappers has a row for each pair of them, as a run of that pair alone has it") {
  const std::string jobs =
      "schedule torus:4x4 derose:side=4,jobs=12,seed=3 --times replayed --json - "
      "--program 'stencil:grid={size},bytes=1MB' ";
  const auto sweep = core::Json::parse(
      run_toroid(jobs + "--alloc curve --alloc random:seed=1 --map consecutive --map multilevel:seed=1").out);
  CHECK(sweep["manifest"]["maps"] == core::Json{"consecutive", "multilevel:seed=1"});
  REQUIRE(sweep["rows"].size() == 4);
  for (const auto& row : sweep["rows"]) {
    const auto one = core::Json::parse(
        run_toroid(jobs + "--alloc " + row["alloc"].get<std::string>() + " --map " + row["map"].get<std::string>())
            .out);
    CHECK(one["manifest"]["map"] == row["map"]);
    for (const auto* field : {"makespan_s", "mean_wait_s", "mean_slowdown"}) CHECK(row[field] == one[field]);
  }
  test::check_fails("schedule torus:4x4 derose:side=4,jobs=12 --map random --map consecutive", 2,
                    "--map: expected --times replayed, epochs or modelled");
}

TEST_CASE("Jobs that are alike are refused alike, and each says why") {
  const test::Scratch scratch;
  // Nodes 1 and 2 are free from 20 s on, which are no box: jobs 5, 6 and 7 have to wait, job 8 waits for four nodes. By
  // number, conservative backfilling plans two nodes for job 6, so that job 7 waits for nodes.
  const auto log = scratch.write("log.csv",
                                 "number,size,submitted_s,run_time_s\n1,2,0,10\n2,1,0,20\n3,1,5,100\n4,1,11,100\n"
                                 "5,2,21,5\n6,2,22,5\n7,2,23,5\n8,4,24,5\n");
  for (const std::string scheduler : {"fcfs", "easy", "conservative", "as-logged"}) {
    CAPTURE(scheduler);
    const auto run =
        run_toroid("schedule 'torus:4x1x1,placements=(1x1x1 2x1x1 4x1x1)' " + log + " --scheduler " + scheduler +
                   " --alloc slurm-torus3d --jobs-csv - --json " + scratch.path("result.json"));
    REQUIRE(run.exit_code == 0);
    CHECK(core::Json::parse(test::content(scratch.path("result.json")))["refused"] ==
          std::map<std::string, int>{{"fcfs", 1}, {"easy", 3}, {"conservative", 2}, {"as-logged", 3}}.at(scheduler));
  }
}

TEST_CASE("A job that was refused says why, and is counted") {
  const test::Scratch scratch;
  const auto log = scratch.write("log.csv",
                                 "number,size,submitted_s,run_time_s\n1,2,0,10\n2,1,0,20\n3,1,5,100\n4,1,11,100\n"
                                 "5,2,21,5\n6,3,30,5\n");
  // From 20 s on nodes 1 and 2 of a line of four are free, which are no box.
  const auto run =
      test::run_toroid("schedule 'torus:4x1x1,placements=(1x1x1 2x1x1)' " + log +
                       " --alloc slurm-torus3d --too-large reject --jobs-csv - --json " + scratch.path("result.json"));
  CHECK(run.exit_code == 0);
  CHECK_THAT(run.out, Catch::Contains(",node_seconds,nodes,user,group,application,queue,partition,reason\n"));
  CHECK_THAT(run.out, Catch::Contains(",2 3,,,,,,No suitable topology unit found\n"));
  CHECK_THAT(run.out, Catch::Contains(",Requested topology configuration is not available\n"));
  const auto result = core::Json::parse(test::content(scratch.path("result.json")));
  CHECK(result["refused"] == 1);
  CHECK(result["rejected"] == 1);
  CHECK(result["jobs"] == 5);
}

TEST_CASE("A topology.yaml of Slurm is a machine, and makes the same one by platform create") {
  const test::Scratch scratch;
  const auto yaml =
      scratch.write("topology.yaml",
                    "- topology: pods\n  cluster_default: true\n  torus3d:\n    toruses:\n"
                    "      - name: pod1\n        dims: {x: 4, y: 4, z: 2}\n"
                    "        regions:\n"
                    "          - {anchor: {x: 0, y: 0, z: 0}, dims: {x: 4, y: 4, z: 1}, nodes: 'nid[001-016]'}\n"
                    "          - {anchor: {x: 0, y: 0, z: 1}, dims: {x: 4, y: 2, z: 1}, nodes: 'nid[017-024]'}\n"
                    "        placements:\n          - dims: {x: 2, y: 2, z: 1}\n"
                    "          - {dims: {x: 2, y: 2, z: 2}, anchor_spacing: {x: 1, y: 2, z: 2}, "
                    "anchor_seed: {x: 1}}\n");
  const auto xml = scratch.path("pods.xml");
  const auto created = run_toroid("platform create pods --from " + yaml + " -o " + xml);
  INFO(created.err);
  REQUIRE(created.exit_code == 0);
  const auto log =
      scratch.write("log.csv", "size,submitted_s,run_time_s\n8,0,50\n4,0,20\n4,1,100\n8,2,100\n4,3,100\n8,4,5\n");
  const auto run = [&](const std::string& platform) {
    return run_toroid("schedule " + platform + " " + log + " --alloc slurm-torus3d --jobs-csv - | cut -d, -f1,9,15")
        .out;
  };
  // The first 2x2x2 is that at the seed (1, 0, 0); of z=1 only y=0 and y=1 have nodes. Nodes count from 0.
  CHECK_THAT(run(yaml), Catch::Contains("\n1,0,1-2 5-6 17-18 21-22\n"));
  CHECK(run(xml) == run(yaml));
  for (const auto& platform : {yaml, xml})
    CHECK(run_toroid("map " + platform +
                     " stencil:grid=2x2 --nodes 'nid[002-003,018-019]' --map morton --format slurm -o -")
              .out == "nid002\nnid003\nnid018\nnid019\n");
  const auto hosts = scratch.write("hosts", "nid019\nnid002\nnid003\nnid018\n");
  CHECK(run_toroid("map " + yaml + " stencil:grid=2x2 --nodes @" + hosts + " --map consecutive --format slurm -o -")
            .out == "nid019\nnid002\nnid003\nnid018\n");
  const auto bad = scratch.write("bad.yaml", "- topology: t\n  torus3d: 4x2x2\n");
  for (const std::string command : {"platform create pods --from ", "platform show "})
    test::check_fails(command + bad, 2, "bad.yaml:2: source: #/torus3d/, description: Rejecting string");
}

TEST_CASE("A log of sacct runs as it ran: its jobs get the nodes that they had") {
  const test::Scratch scratch;
  const auto log = scratch.write("log",
                                 "JobID|Submit|Start|End|NNodes|NodeList\n"
                                 "1|2026-06-01T00:00:00|2026-06-01T00:00:07|2026-06-01T00:01:00|2|nid[03-04]\n"
                                 "2|2026-06-01T00:00:10|2026-06-01T00:00:10|2026-06-01T00:00:20|1|nid01\n");
  const auto run = test::run_toroid("schedule 'torus:4,node-names=(nid[01-04])' " + log +
                                    " --scheduler as-logged --alloc as-logged --jobs-csv - | cut -d, -f1,9,11,15");
  CHECK(run.out == "job_id,starting_time,finish_time,allocated_resources\n2,10,20,0\n1,7,60,2-3\n");
}

TEST_CASE("A job whose run time is not known runs as a program or not at all") {
  const test::Scratch scratch;
  const auto table = scratch.write("none.csv", "size,submitted_s\n4,0\n8,1\n");
  const auto some = scratch.write("some.csv", "size,submitted_s,run_time_s\n4,0,5\n8,1,\n");
  const auto named = scratch.write("named.csv", "size,submitted_s,program\n4,0,stencil:grid=4\n");
  const std::string expected = "found no run time, expected one, or a program and --times replayed or epochs";
  for (const auto& [file, job] : {std::pair(table, 1), std::pair(some, 2), std::pair(named, 1)})
    test::check_fails("schedule mesh:8 " + file, 2, fmt::format("{}: job {}: {}", file, job, expected));
  CHECK(core::Json::parse(run_toroid("schedule mesh:8 " + named + " --times replayed --json -").out)["makespan_s"] > 0);
  const std::string programs = "schedule mesh:8 " + table + " --times replayed --json - --program 'stencil:grid={size}";
  CHECK(core::Json::parse(run_toroid(programs + "'").out)["jobs"] == 2);
  test::check_fails(programs + " rounds logged'", 2, "job 1: found no run time, expected one for 'rounds logged'");
  CHECK_THAT(run_toroid("jobs info " + some).out, Catch::Contains("5 s on average, at most 5 s; 1 have none"));
  CHECK(core::Json::parse(run_toroid("jobs info " + some + " --json -").out)["with_run_time"] == 1);
  test::check_fails("jobs info " + scratch.write("empty.csv", "size,submitted_s\n4,\n"), 2,
                    ":2: submitted_s: found '', expected 0 or more seconds");
}
