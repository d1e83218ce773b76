// Traces of generators that are not ours: what is wrong with an operation is said where it is read.

#include <catch2/catch.hpp>

#include <limits>

#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/derived/forwarded_trace.hpp"
#include "workloads/diff.hpp"

namespace toroid::workloads {
namespace {

/// What is said of an operation of rank 1 of 4, after one that is right.
std::string fault(const Operation& operation) {
  auto trace = std::make_unique<CompactTrace>(4);
  const auto pair = trace->add_communicator(Communicator::strided(0, 2, 2));
  CHECK(pair == 1);
  trace->add(1, {.kind = OpKind::send, .to = 3, .bytes = 8});
  trace->add(1, operation);
  trace->finish();
  const auto checked = checked_trace("mine", std::move(trace));
  CHECK(checked->ranks() == 4);
  return test::error_of([&] {
    const auto stream = checked->open(1);
    Operation read;
    while (stream->next(read)) {
    }
  });
}

TEST_CASE("A wrong operation of somebody's generator is an error that names it") {
  using enum OpKind;
  const std::string who = "generator 'mine': operation 1 of rank 1, ";
  CHECK(fault({.kind = recv, .from = any_source, .tag = any_tag}).empty());
  CHECK(fault({.kind = send, .to = no_process}).empty());
  CHECK(fault({.kind = send, .to = 4}) ==
        who + "send: found rank 4, expected one below 4: so many has the communicator");
  CHECK(fault({.kind = send, .to = any_source}) == who + "send: found receiver -1, expected a rank or -2 (no process)");
  CHECK(fault({.kind = recv, .from = -3}) == who + "recv: found sender -3, expected a rank");
  CHECK(fault({.kind = bcast, .root = -1}) == who + "bcast: found root -1, expected a rank");
  CHECK(fault({.kind = barrier, .comm = 7}) == who + "barrier: found communicator 7, expected one of the trace");
  CHECK(fault({.kind = barrier, .comm = 1}) == who + "barrier: found communicator 1, of which the rank is no member");
  CHECK(fault({.kind = compute, .amount = std::numeric_limits<double>::infinity()}) ==
        who + "compute: found the amount inf, expected a finite number of 0 or more");
  const std::vector<std::uint64_t> counts{1, 2, 3};
  CHECK(fault({.kind = allgatherv, .recv_counts = counts}) ==
        who + "allgatherv: found 3 counts, expected 4, one for each rank of the communicator");
}

TEST_CASE("Somebody's generator makes a trace") {
  CHECK(test::error_of([] { checked_trace("mine", nullptr); }) ==
        "generator 'mine': made no trace, expected one of 1 rank or more");
}

TEST_CASE("A trace that goes through others keeps all that it says of itself") {
  auto trace = std::make_unique<CompactTrace>(2);
  trace->set_collectives(CollectiveWorld::torus);
  trace->set_computation(Computation::timed);
  for (const Rank rank : core::ids<Rank>(2))
    for (int i = 0; i < 3; ++i) trace->compute(rank, 5, 0);
  trace->finish();
  const auto expected = std::tuple(trace->collectives(), trace->computation(), trace->operation_count(),
                                   trace->memory_bytes(), trace->files());
  const auto facts = [](const Trace& one) {
    return std::tuple(one.collectives(), one.computation(), one.operation_count(), one.memory_bytes(), one.files());
  };
  CHECK(facts(ForwardedTrace(*trace)) == expected);
  CHECK(facts(RepeatedTrace(*trace, 1)) == expected);
  CHECK(facts(*checked_trace("mine", std::move(trace))) == expected);
}

TEST_CASE("A training that goes through other traces tells its purposes and its work, rounds in all") {
  std::unique_ptr<Trace> step = open_trace("llm:tensor=2,data=2,pipeline=1,layers=2");
  const auto work = *step->training();
  const auto check = [&](const Trace& one, double rounds) {
    CHECK(one.purpose(1) == step->purpose(1));
    CHECK(one.training()->tokens == rounds * work.tokens);
    CHECK(one.training()->flops == rounds * work.flops);
  };
  CHECK(step->purpose(1) == "tensor");
  check(ForwardedTrace(*step), 1);
  check(RepeatedTrace(*step, 3), 3);
  check(*checked_trace("mine", open_trace("llm:tensor=2,data=2,pipeline=1,layers=2")), 1);
}

TEST_CASE("Our own generators pass the check of others, and are the same programs") {
  for (const auto& spec : {"llm:tensor=2,data=2,pipeline=1,layers=2", "cg:class=S,ranks=4,iterations=1",
                           "lulesh:steps=1", "sharded:mesh=2x2", "broadcasts:ranks=4", "stencil:grid=2x2,steps=3"}) {
    CAPTURE(spec);
    const auto ours = open_trace(spec);
    CHECK(first_differences(*ours, *checked_trace("mine", open_trace(spec)), {true, 0, true}).empty());
  }
}

}  // namespace
}  // namespace toroid::workloads
