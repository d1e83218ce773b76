#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/core/json.hpp"

using namespace toroid;
using test::check_fails;
using test::content;
using test::json_of;
using test::run_toroid;

TEST_CASE("advise says what to take, what it gains, and writes what simulate then confirms", "[slow]") {
  const test::Scratch scratch;
  const std::string job = "torus:4x4x4 cg:class=S,ranks=64,iterations=2";
  const auto nodes = scratch.path("advice.map"), json = scratch.path("advice.json"), page = scratch.path("page.html");
  const auto told = run_toroid("advise " + job + " --repeat 2 --map auto:budget=20 -o " + nodes + " --json " + json +
                               " --html " + page);
  CHECK(told.err.empty());
  REQUIRE(told.exit_code == 0);
  for (const auto* line : {"\ntake           auto:budget=20, --seed ", "\ngain           ", "\nof the whole   ",
                           "\nrandom order   ", "\npackets        ", "\nadaptive       ", "\nlimits         ",
                           "\nwould help     ", "\nchecked        simgrid agrees to 0.000"}) {
    CAPTURE(line, told.out);
    CHECK(told.out.find(line) != std::string::npos);
  }
  const auto advice = core::parse_json(content(json))["programs"][0];
  const auto run = json_of("simulate " + job + " --engine fluid --map " + nodes);
  CHECK(run["runtime_s"] == advice["limits"]["runtime_s"]);
  const auto before = json_of("simulate " + job + " --engine fluid");
  CHECK(before["runtime_s"].get<double>() / run["runtime_s"].get<double>() == Approx(advice["gain"].get<double>()));
  CHECK(content(page).find("<html") != std::string::npos);
}

TEST_CASE("advise has the order of node numbers for its baseline where the nodes are drawn", "[slow]") {
  const std::string question = "advise torus:4x4x4 cg:class=S,ranks=16,iterations=1 --map quick --budget 1s --json - ";
  const auto baseline = [&](const std::string& rest) {
    return core::Json::parse(run_toroid(question + rest).out)["manifest"]["baseline"].get<std::string>();
  };
  CHECK(baseline("--alloc random") == "node");
  CHECK(baseline("--alloc random:seed=3") == "node");
  CHECK(baseline("--alloc curve") == "consecutive");
  CHECK(baseline("--alloc random --baseline consecutive") == "consecutive");
}

TEST_CASE("advise tells of each of several programs, which have no file in common") {
  const auto told =
      run_toroid("advise mesh:4x4 stencil:grid=4x4 cg:class=S,ranks=16,iterations=1 --repeat 1 --map quick");
  REQUIRE(told.exit_code == 0);
  CHECK(told.out.find("take           consecutive, as it is") != std::string::npos);
  CHECK(told.out.find("program        cg:class=S,ranks=16,iterations=1, 16 ranks on 16 slots; traffic ") !=
        std::string::npos);
  check_fails("advise mesh:4x4 stencil:grid=4x4 stencil:grid=2x2 -o x", 2, "-o is for one program");
  check_fails("advise mesh:4x4 stencil:grid=4x4 stencil:grid=2x2 --html x", 2, "--html is for one program");
  check_fails("advise mesh:4x4 stencil:grid=5x5", 2, "25 ranks do not fit on 16 slots of mesh:4x4");
  check_fails("advise mesh:4x4 stencil:grid=4x4 --budget 5", 2, "--budget");
  check_fails("advise stencil:grid=4x4 mesh:4x4", 2, "");
}

TEST_CASE("advise on a job log judges allocators by response, then schedulers") {
  const test::Scratch scratch;
  const auto json = scratch.path("advice.json"), page = scratch.path("page.html");
  const auto made = scratch.path("made.swf");
  REQUIRE(run_toroid("jobs convert derose:side=8,jobs=80,changing=0 -o " + made).exit_code == 0);
  const auto log = scratch.write("log.swf", "; UnixStartTime: 893466664\n; TimeZone: -28800\n" + content(made));
  const auto told =
      run_toroid("advise mesh:8x8 " + log + " --shares 0.5 --alloc mc1x1 submesh random --repeat 3 --json " + json +
                 " --html " + page);
  CHECK(told.err.empty());
  REQUIRE(told.exit_code == 0);
  for (const auto* part :
       {"jobs submitted from 1998-04-24 17:11 (UTC-08:00) to ",
        "\nverdict        by response, under every assumption: ",
        "\nverdict        by slowdown, under every assumption: ", "\nresponse       both, 50 % communication: ",
        "\nintervals      95 %, of all allocators together, over 3 draws\n",
        "\nWhich allocator, with easy, both, 50 % communication:\n", "hops of a pair (no run time)",
        "\nWhich scheduler, with "}) {
    CAPTURE(part, told.out);
    CHECK(told.out.find(part) != std::string::npos);
  }
  const auto advice = core::parse_json(content(json));
  const auto html = content(page);
  for (const auto* part : {"Verdict", "under every assumption", "1998-04-24 17:11 (UTC-08:00)", "Mean response"}) {
    CAPTURE(part);
    CHECK(html.find(part) != std::string::npos);
  }
  const auto& assumption = advice["assumptions"][0];
  CHECK(assumption["communication"] == 0.5);
  REQUIRE(assumption["allocators"].size() == 3);
  const auto alone =
      json_of("schedule mesh:8x8 " + log +
              " --alloc submesh --times modelled --communication 0.5 --program "
              "stencil:grid={box},steps=1,bytes=1MB --program broadcasts:ranks={size},rounds=1,bytes=1MB");
  CHECK(assumption["by_allocator"]["rows"][3]["mean_wait_s"] == alone["mean_wait_s"]);
}

TEST_CASE(
    "advise calls machine, programs, log, schedulers and allocators by their labels; the JSON keeps their names") {
  const test::Scratch scratch;
  const auto json = scratch.path("advice.json"), page = scratch.path("page.html");
  const auto log = run_toroid(
      "advise 'our cluster := mesh:8x8' 'May := derose:side=8,jobs=40,changing=0' --shares 0.5 --alloc "
      "'near "
      ":= mc1x1' submesh --scheduler 'in order := fcfs' easy --json " +
      json + " --html " + page);
  REQUIRE(log.exit_code == 0);
  for (const auto* part : {"Which allocator, with in order, both", "our cluster  May ", "near ", "May, 40 jobs"}) {
    CAPTURE(part, log.out);
    CHECK(log.out.find(part) != std::string::npos);
  }
  CHECK(log.out.find("mc1x1") == std::string::npos);
  CHECK(content(page).find("near") != std::string::npos);
  const auto advice = core::parse_json(content(json));
  CHECK(advice["assumptions"][0]["allocators"][0]["alloc"] == "mc1x1");
  CHECK(advice["labels"]["alloc"].size() == 2);
  CHECK(advice["labels"]["alloc"][0]["label"] == "near");
  CHECK(advice["labels"]["scheduler"].size() == 2);
  CHECK(advice["assumptions"][0]["by_allocator"]["summary"][0]["scheduler"] == "fcfs");
  const auto program =
      run_toroid("advise 'our cluster := mesh:4x4' 'halo := stencil:grid=4x4' --map quick --repeat 1 --json " + json);
  REQUIRE(program.exit_code == 0);
  CHECK(program.out.find("machine        our cluster, 16 nodes\nprogram        halo, 16 ranks") != std::string::npos);
  CHECK(core::parse_json(content(json))["programs"][0]["trace"] == "stencil:grid=4x4");
}

TEST_CASE("advise tells of every program, and fails for those that cannot run") {
  const test::Scratch scratch;
  const auto stuck = scratch.write("stuck.ti", "0 recv 1 0 1 6\n1 compute 1\n");
  const auto told = run_toroid("advise mesh:4x4 " + stuck + " stencil:grid=4x4 --repeat 1 --map quick --budget 2s");
  CHECK(told.exit_code == 1);
  CHECK(told.out.find("failed         ") != std::string::npos);
  CHECK(told.out.find("take           consecutive, as it is: none of the ") != std::string::npos);
  CHECK(told.err.find(stuck) != std::string::npos);
  // Whatever can be judged beforehand is.
  check_fails("advise mesh:4x4 lu:class=C,ranks=16 stencil:grid=5x5", 2, "stencil:grid=5x5: 25 ranks do not fit");
}

TEST_CASE("advise on slices of several generations says what a chip is worth, and what it prints runs as it stands") {
  const test::Scratch scratch;
  const auto json = scratch.path("slices.json");
  const auto told = run_toroid(
      "advise tpu-v5p tpu-v6e tpu-v5e --chips 32 --batch 32 llm:model=llama3-8b,layers=2,recompute=full --json " +
      json);
  INFO(told.err);
  REQUIRE(told.exit_code == 0);
  CHECK(told.out.find("tpu-v5p and tpu-v5e are not compared: nobody has measured what a chip of tpu-v5e reaches") !=
        std::string::npos);
  const auto advice = core::parse_json(content(json));
  std::map<std::string, double> best;  // tokens a second and chip, by generation
  double before = INFINITY;
  for (const auto& one : advice["layouts"]) {
    const double tokens = one["tokens_per_second_and_chip"];
    CHECK(tokens <= before);
    before = tokens;
    const auto machine = one["machine"].get<std::string>();
    best.try_emplace(machine.substr(0, machine.find(':')), tokens);
    CHECK(one["chips"] == 32);
    CHECK(tokens == Approx(32 * 8192.0 / one["step_s"].get<double>() / 32));
    CHECK(one["low_s"] <= one["hidden_s"]);
    CHECK(one["high_s"] >= one["exposed_s"]);
  }
  CHECK(best.size() == 3);
  CHECK(told.out.find(fmt::format("a chip of tpu-v6e does the work of {:.2f} of tpu-v5p",
                                  best["tpu-v6e"] / best["tpu-v5p"])) != std::string::npos);
  int commands = 0;
  for (std::size_t at = 0; (at = told.out.find("toroid ", at)) != std::string::npos; ++at) {
    const auto command = told.out.substr(at, told.out.find('\n', at) - at);
    CAPTURE(command);
    const auto run = test::run_script("cd " + scratch.path(".") + " && toroid() { $toroid \"$@\"; } && " + command);
    CHECK(run.exit_code == 0);
    ++commands;
  }
  CHECK(commands == 6);
  CHECK(core::parse_json(content(scratch.path("devices.json"))).size() == 32);
  check_fails("advise tpu-v5p tpu-v5p --chips 32 --batch 32 llm:model=llama3-8b", 2, "'tpu-v5p' is given twice");
  check_fails("advise tpu-v5p mesh:2 --chips 32 --batch 32 llm:model=llama3-8b", 2, "'mesh:2': expected tpu-v2");
}

TEST_CASE("advise refuses what has no meaning for its subject") {
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 --map auto", 2, "--map is for programs; found derose");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 --budget 5s", 2, "--budget is for programs; found derose");
  check_fails("advise mesh:4x4 stencil:grid=4x4 --exchange both", 2, "--exchange is for a job log; found stencil");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5,changing=0 --program nothing", 2, "nothing");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 -o x", 2, "-o is for programs; found derose");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 stencil:grid=4", 2, "expected one job log, or programs");
  check_fails("advise mesh:4x4 stencil:grid=4x4 --scheduler fcfs", 2, "--scheduler is for a job log; found stencil");
  check_fails("advise mesh:4x4 stencil:grid=4x4 --alloc mc1x1 submesh", 2,
              "--alloc: expected one allocator, which chooses the nodes of a program; found mc1x1, submesh");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 --shares 0", 2, "expected a number from 0.001 to 1");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 --exchange both both", 2, "--exchange: found both twice");
  const std::string chips = "advise tpu-v5p --chips 128 --batch 128 llm:model=llama2-70b ";
  check_fails(chips + "--scheduler fcfs", 2, "--scheduler is not for --chips, which takes --batch, --json");
  check_fails(chips + "--html x.html", 2, "--html is not for --chips");
  check_fails("advise mesh:4x4 nowhere.swf", 2, "nowhere.swf");
  check_fails("advise mesh:4x4 stencil:grid=4 derose:side=4,jobs=5", 2, "expected one job log, or programs");
}
