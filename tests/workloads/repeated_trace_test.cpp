#include "workloads/derived/forwarded_trace.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/compact_trace.hpp"

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

TEST_CASE("Rounds of a program that receives from any rank end in a barrier, of all ranks") {
  const auto kinds = [](const Trace& trace, Rank rank) {
    std::vector<OpKind> all;
    Operation operation;
    for (const auto stream = trace.open(rank); stream->next(operation);) all.push_back(operation.kind);
    return all;
  };
  using enum OpKind;
  const auto any = open_trace("traffic:grid=2,messages=1");
  const RepeatedTrace twice(*any, 2), once(*any, 1);
  for (const Rank rank : core::ids<Rank>(2)) {
    CHECK(kinds(twice, rank) == std::vector<OpKind>{irecv, send, barrier, irecv, send, barrier});
    CHECK(kinds(once, rank) == std::vector<OpKind>{irecv, send});
  }
  CHECK(twice.locate(0, 5) == "the end of round 2");
  CHECK_THAT(twice.locate(0, 4), Catch::Contains("round 2"));
  // Places of a stream are known with barriers, too.
  const RepeatedTrace often(*any, 10);
  const auto stream = often.open(0);
  Operation operation;
  for (int i = 0; i < 3; ++i) stream->next(operation);
  const auto mark = stream->mark();
  for (int i = 0; i < 3; ++i) stream->next(operation);
  CHECK(stream->repeats(mark, true) == 8);
  stream->skip(mark, 8);
  CHECK_FALSE(stream->next(operation));
  // A rank that does nothing takes part in barriers.
  CompactTrace one_idle(3);
  one_idle.add(0, {.kind = recv, .from = any_source});
  one_idle.add(1, {.kind = send, .to = 0});
  one_idle.finish();
  CHECK(kinds(RepeatedTrace(one_idle, 2), 2) == std::vector<OpKind>{barrier, barrier});
  const auto permuted = open_trace("traffic:grid=2,messages=1,pattern=neighbour");
  CHECK(kinds(RepeatedTrace(*permuted, 2), 0) == std::vector<OpKind>{irecv, send, irecv, send});
}

}  // namespace
}  // namespace toroid::workloads
