#include "workloads/amounts.hpp"

#include <catch2/catch.hpp>

#include "tests/support/support.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::workloads {
namespace {

/// The same, operation by operation.
RankComputation added_up(const Trace& trace, Rank rank) {
  RankComputation sum;
  const auto stream = trace.open(rank);
  for (Operation op; stream->next(op);) {
    (op.kind == OpKind::sleep ? sum.slept_s : sum.amount) += op.amount;
  }
  return sum;
}

void check_sums(const Trace& trace) {
  const auto sums = computation_by_rank(trace);
  REQUIRE(sums.size() == static_cast<std::size_t>(trace.ranks()));
  for (const Rank rank : sums.ids()) {
    CHECK(sums[rank].amount == Approx(added_up(trace, rank).amount).epsilon(1e-12));
    CHECK(sums[rank].slept_s == Approx(added_up(trace, rank).slept_s).epsilon(1e-12));
  }
}

TEST_CASE("What ranks compute is the sum over their operations, repeated or not") {
  for (const std::string spec :
       {"stencil:grid=3x2,steps=7,flops=3kf", "cg:class=S,ranks=8", "mg:class=S,ranks=8", "lu:class=S,ranks=4",
        "lulesh:ranks=8,steps=5", "minighost:ranks=8,steps=9", "namd:ranks=8,atoms=1000,steps=3,spread=0.5",
        "broadcasts:ranks=5,rounds=6", "traffic:grid=2x2,rate=1MBps,messages=20",
        "llm:model=llama2-7b,layers=2,tensor=2,data=2,pipeline=1,micro-batches=2,steps=3"}) {
    CAPTURE(spec);
    check_sums(*open_trace(spec));
  }
}

TEST_CASE("Sums of a trace in a file, also if it is repeated") {
  const test::Scratch scratch;
  // Its computations differ from iteration to iteration, and all else does not.
  std::string text;
  for (int i = 1; i <= 20; ++i)
    for (const char* rank : {"0", "1"})
      text += fmt::format("{0} compute {1}\n{0} sleep 0.5\n{0} barrier\n", rank, i % 7 == 0 ? 1000 : 10);
  const auto trace = open_trace(scratch.write("t.ti", text));
  const auto sums = computation_by_rank(*trace);
  CHECK(sums[1].amount == 2 * 1000 + 18 * 10);
  CHECK(sums[1].slept_s == 10);
  check_sums(*trace);
  const RepeatedTrace thrice(*trace, 3);
  CHECK(computation_by_rank(thrice)[0].amount == 3 * sums[0].amount);
}

TEST_CASE("Copies of a measured trace are measured") {
  const test::Scratch scratch;
  const auto trace =
      open_trace(scratch.write("t", "toroid trace 4\nranks 2\ncomputation timed\nrank 0\nc5 c7\nrank 1\nc6 c8\nend\n"));
  REQUIRE(trace->computation() == Computation::timed);
  CHECK(RepeatedTrace(*trace, 2).computation() == Computation::timed);
  CHECK(open_trace("stencil")->computation() == Computation::modelled);
}

}  // namespace
}  // namespace toroid::workloads
