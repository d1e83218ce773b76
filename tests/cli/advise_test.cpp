#include <catch2/catch.hpp>

#include "core/json.hpp"
#include "tests/support/support.hpp"

using namespace toroid;
using test::check_fails;
using test::content;
using test::json_of;
using test::run_toroid;

TEST_CASE("advise says what to take, what it gains, and writes what simulate then confirms") {
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

TEST_CASE("advise has the order of node numbers for its baseline where the nodes are drawn") {
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

TEST_CASE("advise on a job log judges allocators, then schedulers, and what neighbours cost") {
  const test::Scratch scratch;
  const auto log = scratch.path("log.swf"), json = scratch.path("advice.json"), page = scratch.path("page.html");
  REQUIRE(run_toroid("jobs convert derose:side=8,jobs=80,changing=0 -o " + log).exit_code == 0);
  const auto told = run_toroid("advise mesh:8x8 " + log + " --shares 0.5 --budget 1s --alloc mc1x1 submesh --json " +
                               json + " --html " + page);
  CHECK(told.err.empty());
  REQUIRE(told.exit_code == 0);
  for (const auto* part :
       {"Which allocator, with easy:\n",
        "\nshape          jobs that waited although enough nodes were free: mc1x1 0.0 %", "\npieces         ",
        "\nneighbours     how much longer jobs take beside the others than alone, at ", "more than mc1x1",
        "\nWhich scheduler, with mc1x1 (the first: one run of each decides nothing):\n"}) {
    CAPTURE(part, told.out);
    CHECK(told.out.find(part) != std::string::npos);
  }
  const auto advice = core::parse_json(content(json));
  const auto html = content(page);
  for (const auto* part :
       {"What shapes cost", "What neighbours cost", "mean wait [s]", "Which scheduler, with mc1x1"}) {
    CAPTURE(part);
    CHECK(html.find(part) != std::string::npos);
  }
  CHECK(advice["allocators"].size() == 2);
  CHECK(advice["allocators"][1]["neighbours"][0]["communication_share"] == 0.5);
  const auto alone = json_of("schedule mesh:8x8 " + log + " --alloc submesh");
  CHECK(advice["by_allocator"]["rows"][1]["mean_wait_s"] == alone["mean_wait_s"]);
}

TEST_CASE(
    "advise calls machine, programs, log, schedulers and allocators by their labels; the JSON keeps their names") {
  const test::Scratch scratch;
  const auto json = scratch.path("advice.json"), page = scratch.path("page.html");
  const auto log = run_toroid(
      "advise 'our cluster := mesh:8x8' 'May := derose:side=8,jobs=40,changing=0' --shares 0.5 --budget 1s --alloc "
      "'near "
      ":= mc1x1' submesh --scheduler 'in order := fcfs' easy --json " +
      json + " --html " + page);
  REQUIRE(log.exit_code == 0);
  for (const auto* part : {"Which allocator, with in order:", "our cluster  May ", "  near ", "more than near"}) {
    CAPTURE(part, log.out);
    CHECK(log.out.find(part) != std::string::npos);
  }
  CHECK(log.out.find("mc1x1") == std::string::npos);
  CHECK(content(page).find(">near<") != std::string::npos);
  const auto advice = core::parse_json(content(json));
  CHECK(advice["allocators"][0]["alloc"] == "mc1x1");
  CHECK(advice["labels"]["alloc"].size() == 2);
  CHECK(advice["labels"]["alloc"][0]["label"] == "near");
  CHECK(advice["labels"]["scheduler"].size() == 2);
  CHECK(advice["by_allocator"]["summary"][0]["scheduler"] == "fcfs");
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

TEST_CASE("advise refuses what has no meaning for its subject") {
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 --map auto", 2, "--map is for programs; found derose");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 -o x", 2, "-o is for programs; found derose");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 stencil:grid=4", 2, "expected one job log, or programs");
  check_fails("advise mesh:4x4 stencil:grid=4x4 --scheduler fcfs", 2, "--scheduler is for a job log; found stencil");
  check_fails("advise mesh:4x4 stencil:grid=4x4 --alloc mc1x1 submesh", 2,
              "--alloc: expected one allocator, which chooses the nodes of a program; found mc1x1, submesh");
  check_fails("advise mesh:4x4 derose:side=4,jobs=5 --shares 0", 2, "expected a number from 0.001 to 1");
  check_fails("advise mesh:4x4 nowhere.swf", 2, "nowhere.swf");
  check_fails("advise mesh:4x4 stencil:grid=4 derose:side=4,jobs=5", 2, "expected one job log, or programs");
}
