// Which program a job runs, by rules.

#include "toroid/cosim/options.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "core/random.hpp"
#include "jobs/program_text.hpp"
#include "tests/cosim/streams.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/platforms/load.hpp"

namespace toroid::cosim {
namespace {

using core::InputError;

/// The sides of a box, where no program asks for them.
const std::vector<std::int32_t> one_row{1};

std::string program(const std::vector<std::string>& rules, const jobs::Job& job, JobId id = 1) {
  return Programs(rules).of(job, id, 1, one_row).trace;
}

jobs::Job of_user(std::int32_t size, std::int64_t user, std::int64_t application = -1) {
  auto made = job(7, 0, size, 1);
  made.notes.user = user;
  made.notes.application = application;
  return made;
}

TEST_CASE("A program is told the size of its job") {
  CHECK(program({"stencil:grid={size}"}, job(7, 0, 21, 1)) == "stencil:grid=21");
  CHECK(program({"a{power2}b{square}c{number}"}, job(7, 0, 21, 1)) == "a16b16c7");
  CHECK(program({"{power2},{square}"}, job(7, 0, 64, 1)) == "64,64");
  CHECK(program({"{power2},{square}"}, job(7, 0, 63, 1)) == "32,49");
  CHECK(program({"{power2},{square}"}, job(7, 0, 1, 1)) == "1,1");
}

TEST_CASE("A grid like a box has the job's size, and no other one is nearer to the sides of the box") {
  const auto off = [](const std::vector<std::int32_t>& grid, const std::vector<std::int32_t>& sides) {
    double size = 1, volume = 1, sum = 0;
    for (const auto extent : grid) size *= extent;
    for (const auto side : sides) volume *= side;
    for (std::size_t d = 0; d < sides.size(); ++d)
      sum += std::pow(std::log(grid[d] / (sides[d] * std::pow(size / volume, 1.0 / static_cast<double>(sides.size())))),
                      2);
    return sum;
  };
  core::Random random(1, "grids");
  for (int round = 0; round < 300; ++round) {
    const auto size = 1 + static_cast<std::int32_t>(random.below(200));
    std::vector<std::int32_t> sides(3);
    for (auto& side : sides) side = 1 + static_cast<std::int32_t>(random.below(12));
    CAPTURE(size, sides);
    const auto grid = jobs::grid_like(size, sides);
    REQUIRE(grid.size() == 3);
    CHECK(grid[0] * grid[1] * grid[2] == size);
    for (std::int32_t x = 1; x <= size; ++x)
      for (std::int32_t y = 1; x * y <= size; ++y)
        if (size % (x * y) == 0) CHECK(off(grid, sides) <= off({x, y, size / x / y}, sides) + 1e-6);
  }
  // A box that is full is its own grid.
  CHECK(jobs::grid_like(60, std::vector{5, 3, 4}) == std::vector{5, 3, 4});
  CHECK(jobs::grid_like(64 * 81 * 25, std::vector{1, 1, 1, 1}).size() == 4);
}

TEST_CASE("A program is told a grid of its job's size: a box, or one like that of its nodes") {
  const auto grid = [](const std::string& rule, std::int32_t size, const std::vector<std::int32_t>& sides) {
    return Programs({rule}).of(job(7, 0, size, 1), 1, 1, sides).trace;
  };
  CHECK(grid("{box}", 64, {8, 8}) == "4x4x4");
  CHECK(grid("{box}", 12, {12}) == "3x2x2");
  CHECK(grid("{box}", 7, {7}) == "7x1x1");
  CHECK(grid("{box}", 1, {1}) == "1x1x1");
  CHECK(grid("{grid}", 64, {8, 8}) == "8x8");
  CHECK(grid("{grid}", 12, {3, 4}) == "3x4");
  CHECK(grid("{grid}", 12, {5, 3}) == "4x3");
  CHECK(grid("{grid}", 16, {16, 16, 1}) == "4x4x1");
  CHECK(grid("{grid}", 7, {2, 4}) == "1x7");
}

TEST_CASE("A program may be run several times") {
  const auto rounds = [](const std::string& rule) {
    return Programs({rule}).of(job(7, 0, 4, 1), 1, 1, one_row).rounds;
  };
  CHECK(rounds("a") == 1);
  CHECK(rounds("a rounds 25") == 25);
  CHECK(rounds("a:b=c rounds 25 if size=4 weight 2") == 25);
  CHECK(rounds("a rounds logged") == Program::logged);
  auto named = job(7, 0, 4, 1);
  named.program = "own:size={size} rounds 3";
  CHECK(Programs({}).of(named, 1, 1, one_row) == Program{"own:size=4", 3});
}

TEST_CASE("The first rule that is for a job counts") {
  const std::vector<std::string> rules{"small if size=1-4",    "mine if size=5-64,user=3", "large if size=65-",
                                       "exe if application=9", "named if name=special",    "rest"};
  CHECK(program(rules, of_user(4, 3)) == "small");
  CHECK(program(rules, of_user(5, 3)) == "mine");
  CHECK(program(rules, of_user(64, 3)) == "mine");
  CHECK(program(rules, of_user(5, 4)) == "rest");
  CHECK(program(rules, of_user(65, 3)) == "large");
  CHECK(program(rules, of_user(5, 1, 9)) == "exe");
  auto named = of_user(5, 1);
  named.name = "special";
  CHECK(program(rules, named) == "named");
  named.program = "its own {size}";
  CHECK(program(rules, named) == "its own 5");
}

TEST_CASE("Rules with the same condition are drawn by weight, job by job") {
  const Programs programs({"a if size=1-8 weight 3", "b if size=1-8", "c"});
  std::map<std::string, int> drawn;
  for (JobId id = 1; id <= 8000; ++id) ++drawn[programs.of(job(id, 0, 8, 1), id, 5, one_row).trace];
  CHECK(drawn.size() == 2);
  CHECK(drawn["a"] == Approx(6000).margin(5 * 39));  // five standard deviations
  CHECK(programs.of(job(1, 0, 9, 1), 1, 5, one_row) == Program{"c"});
  // Another job before it changes nothing; another seed does, for some.
  const Programs again({"a if size=1-8 weight 3", "b if size=1-8"}), other({"a if size=1-8", "b if size=1-8"});
  int differ = 0;
  for (JobId id = 100; id > 0; --id) {
    CHECK(again.of(job(id, 0, 8, 1), id, 5, one_row) == programs.of(job(id, 0, 8, 1), id, 5, one_row));
    differ += other.of(job(id, 0, 8, 1), id, 6, one_row) != programs.of(job(id, 0, 8, 1), id, 5, one_row) ? 1 : 0;
  }
  CHECK(differ > 10);
}

TEST_CASE("What is no rule is told so") {
  using Catch::Contains;
  const auto message = [](const std::vector<std::string>& rules) {
    return test::error_of([&] { program(rules, job(7, 0, 4, 1)); });
  };
  CHECK_THAT(message({"a if sise=4"}), Contains("unknown condition 'sise'; did you mean 'size'?"));
  CHECK_THAT(message({"a if size=4-2"}), Contains("expected a number or a range such as 2-64 or 65-"));
  CHECK_THAT(message({"a if size"}), Contains("found ''"));
  CHECK_THAT(message({"a weight -1"}), Contains("weight: found '-1'"));
  CHECK_THAT(message({"a{seize}"}), Contains("found {seize}, expected {size}"));
  CHECK_THAT(message({" if size=3"}), Contains("expected TRACE [rounds N] [if CONDITIONS] [weight W]"));
  CHECK_THAT(message({"a rounds 0"}), Contains("rounds: found '0'"));
  CHECK_THAT(message({"a rounds x if size=3"}), Contains("program 'a rounds x if size=3': rounds: found 'x'"));
  CHECK_THAT(message({"a if"}), Contains("if: found nothing after it, expected conditions such as size=2-64"));
  CHECK_THAT(message({"a if size=3"}), Contains("job 7 (size 4, user -1, application -1): no --program is for it"));
}

TEST_CASE("Rules are checked with all jobs before any of them runs") {
  using Catch::Contains;
  const auto machine = platforms::make_machine("mesh:4x4,cores=2");
  const ListedJobs jobs({job(1, 0, 4, 1), job(2, 0, 6, 1), job(3, 0, 100, 1)});
  const auto message = [&](const std::vector<std::string>& rules, std::int32_t ranks_per_node = 1) {
    return test::error_of([&] { Programs(rules).check(jobs, machine, ranks_per_node); });
  };
  // The job of 100 nodes never runs on 16.
  CHECK_NOTHROW(Programs({"stencil:grid={size}"}).check(jobs, machine, 1));
  CHECK_THAT(message({"stencil:grid={size} if size=6-", "stencil:grid=5"}),
             Contains("job 1: 'stencil:grid=5' has 5 ranks, the job's 4 nodes take 4"));
  CHECK_NOTHROW(Programs({"stencil:grid=5"}).check(jobs, machine, 2));
  CHECK_THAT(message({"stencil:grid={size}", "stencil:grid=2 if size=50-60"}), Contains("is for none of the jobs"));
  CHECK_THAT(message({"stencil:grid={size} if size=1-5"}), Contains("job 2"));
  CHECK_THAT(message({"nothing:grid={size}"}), Contains("nothing"));
}

}  // namespace
}  // namespace toroid::cosim
