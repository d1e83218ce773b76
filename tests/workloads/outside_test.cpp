// Traces of generators that are not ours: what is wrong with an operation is said where it is read.

#include <catch2/catch.hpp>

#include <limits>

#include "core/error.hpp"
#include "tests/support/support.hpp"
#include "workloads/outside_trace.hpp"

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
  return test::message_of<core::InputError>([&] {
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
  CHECK(test::message_of<core::InputError>([] { checked_trace("mine", nullptr); }) ==
        "generator 'mine': made no trace, expected one of 1 rank or more");
}

}  // namespace
}  // namespace toroid::workloads
