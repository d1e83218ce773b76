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
  for (const auto* line : {"\ntake           auto:budget=20, search ", "\ngain           ", "\nof the whole   ",
                           "\nrandom order   ", "\npackets        ", "\nadaptive       ", "\nlimits         ",
                           "\nwould help     ", "\nchecked        simgrid agrees to 0.0"}) {
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
