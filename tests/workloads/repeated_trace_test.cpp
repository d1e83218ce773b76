#include "workloads/repeated_trace.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::workloads {
namespace {

TEST_CASE("A repeated trace does the same in each round, and says when they begin") {
  const test::Scratch scratch;
  const auto once = open_trace(scratch.write("once.ti", "0 compute 1\n0 compute 2\n1 compute 3\n2 init\n2 finalize\n"));
  std::vector<std::pair<Rank, std::uint64_t>> begun;
  const RepeatedTrace thrice(*once, 3, [&](Rank rank, std::uint64_t round) { begun.emplace_back(rank, round); });
  CHECK(thrice.ranks() == once->ranks());
  const auto amounts = [&](Rank rank) {
    std::vector<double> all;
    Operation operation;
    for (const auto stream = thrice.open(rank); stream->next(operation);) all.push_back(operation.amount);
    return all;
  };
  CHECK(amounts(0) == std::vector<double>{1, 2, 1, 2, 1, 2});
  CHECK(begun == std::vector<std::pair<Rank, std::uint64_t>>{{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  CHECK(amounts(1) == std::vector<double>{3, 3, 3});
  CHECK(amounts(2).empty());
  CHECK_THAT(thrice.locate(0, 3), Catch::Contains("once.ti:2, round 2"));
  CHECK_THAT(thrice.locate(1, 0), Catch::Contains("once.ti:3, round 1"));
}

}  // namespace
}  // namespace toroid::workloads
