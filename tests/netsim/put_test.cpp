// One-sided puts and the fences that wait for them.

#include <catch2/catch.hpp>

#include "tests/netsim/checks.hpp"
#include "tests/support/support.hpp"
#include "toroid/core/error.hpp"

using namespace toroid;
using test::finish;
using test::us;
using workloads::CommId;
using workloads::Communicator;
using workloads::CompactTrace;
using workloads::Operation;
using workloads::OpKind;
using workloads::Rank;

namespace {

/// On a line where 1000 bytes take 1 us, and a link 1 us more.
core::Json run(const CompactTrace& trace) {
  netsim::ReplayOptions options;
  options.compute_scale = 1;
  options.collectives = workloads::CollectiveChoice::parse("default:barrier=linear");
  return test::simulate("mesh:3,bw=1GBps,lat=1us", trace, options, {}, "fluid");
}

Operation put(std::int32_t to, std::uint64_t bytes) {
  return {.kind = OpKind::put, .to = to, .bytes = bytes};
}
constexpr Operation fence{.kind = OpKind::fence};
Operation sleep(double seconds) {
  return {.kind = OpKind::sleep, .amount = seconds};
}

}  // namespace

TEST_CASE("A put needs no receive, and its rank goes on at once") {
  // While 200 MB are on their way to rank 1, an empty message gets to rank 2, over 2 links.
  CompactTrace trace(3);
  const auto pair = trace.add_communicator(Communicator(std::vector<Rank>{0, 1}));
  trace.add(0, {.kind = OpKind::put, .comm = pair, .to = 1, .bytes = 200'000'000});
  trace.add(0, {.kind = OpKind::send, .to = 2});
  trace.add(2, {.kind = OpKind::recv, .from = 0});
  for (const Rank rank : {Rank(0), Rank(1)}) trace.add(rank, {.kind = OpKind::fence, .comm = pair});
  trace.finish();
  const auto result = run(trace);
  CHECK(finish(result, 2) == Approx(2 * us));
  CHECK(finish(result, 0) == Approx(0.2 + 1 * us));
}

TEST_CASE("A fence ends when the puts of all ranks have arrived") {
  // Rank 0's put is there at 6 us. The linear barrier then has an empty message from the others to rank 0 and back:
  // rank 0 has those of ranks 1 and 2 long before, and its answers take 1 us to rank 1 and 2 us to rank 2.
  CompactTrace trace(3);
  trace.add(0, put(2, 4000));
  for (const Rank rank : core::ids<Rank>(3)) trace.add(rank, fence);
  trace.finish();
  auto result = run(trace);
  CHECK(finish(result, 0) == Approx(6 * us));
  CHECK(finish(result, 1) == Approx(7 * us));
  CHECK(finish(result, 2) == Approx(8 * us));

  // A put that has arrived before the fence costs it nothing more: rank 1 is the last to come, at 10 us.
  CompactTrace late(3);
  late.add(0, put(2, 4000));
  late.add(1, sleep(10 * us));
  for (const Rank rank : core::ids<Rank>(3)) late.add(rank, fence);
  late.finish();
  result = run(late);
  CHECK(finish(result, 0) == Approx(11 * us));
  CHECK(finish(result, 1) == Approx(12 * us));
  CHECK(finish(result, 2) == Approx(13 * us));
}

TEST_CASE("A fence waits for puts on its own communicator alone") {
  CompactTrace trace(3);
  const auto pair = trace.add_communicator(Communicator(std::vector<Rank>{0, 1}));
  const auto ends = trace.add_communicator(Communicator(std::vector<Rank>{0, 2}));
  trace.add(0, {.kind = OpKind::put, .comm = ends, .to = 1, .bytes = 4'000'000});
  trace.add(0, {.kind = OpKind::put, .comm = pair, .to = 1, .bytes = 1000});
  for (const Rank rank : {Rank(0), Rank(1)}) trace.add(rank, {.kind = OpKind::fence, .comm = pair});
  for (const Rank rank : {Rank(0), Rank(2)}) trace.add(rank, {.kind = OpKind::fence, .comm = ends});
  trace.finish();
  const auto result = run(trace);
  CHECK(finish(result, 1) < 10 * us);
  // The short one has gone over the first link in the second us, when the long one begins.
  CHECK(finish(result, 0) == Approx(2 * us + 4000 * us));
  CHECK(finish(result, 2) == Approx(finish(result, 0) + 2 * us));
}

TEST_CASE("A rank that puts into its own window, or into nobody's") {
  CompactTrace trace(3);
  trace.add(0, put(0, 4000));
  trace.add(0, put(workloads::no_process, 4000));
  for (const Rank rank : core::ids<Rank>(3)) trace.add(rank, fence);
  trace.finish();
  CHECK(run(trace)["runtime_s"] > 0);
}

TEST_CASE("A fence that not all ranks call is an error that names it") {
  CompactTrace trace(3);
  trace.add(0, put(1, 10));
  for (const Rank rank : {Rank(0), Rank(1)}) trace.add(rank, fence);
  trace.add(2, sleep(us));
  trace.finish();
  const auto error = test::message_of<core::SimulationError>([&] { run(trace); });
  CHECK_THAT(error, Catch::Contains("deadlock") && Catch::Contains("fence"));
}

TEST_CASE("A put that no fence follows is an error that names it") {
  CompactTrace trace(3);
  const auto pair = trace.add_communicator(Communicator(std::vector<Rank>{0, 1}));
  trace.add(0, put(1, 10));
  trace.add(0, {.kind = OpKind::put, .comm = pair, .to = 1, .bytes = 10});
  for (const Rank rank : core::ids<Rank>(3)) trace.add(rank, fence);
  trace.finish();
  const auto error = test::message_of<core::SimulationError>([&] { run(trace); });
  CHECK_THAT(error, Catch::Contains("put without end") && Catch::Contains(trace.locate(0, 1)));
}
