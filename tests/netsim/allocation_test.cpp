// Once a run has seen its largest state, the fluid engine and the replay allocate nothing more, but for collectives.
// Jobs that have ended hold nothing. This program counts every call of operator new.

#include <catch2/catch.hpp>

#include <malloc.h>

#include <cstdlib>
#include <new>
#include <numeric>

#include "core/random.hpp"
#include "netsim/network.hpp"
#include "netsim/replay/matching.hpp"
#include "netsim/simulation.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/support.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "workloads/generators/generated_trace.hpp"

namespace {

std::size_t allocations = 0;
std::size_t live_bytes = 0;

void* allocate(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  ++allocations;
  live_bytes += ::malloc_usable_size(memory);
  return memory;
}

void release(void* memory) {
  live_bytes -= ::malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// Not inlined: GCC 12 takes what it sees of one without the other for a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = allocate(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  release(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  release(memory);
}

using namespace toroid;

namespace {

/// Every node has messages under way to random nodes, a new one for each that ends; the routes and their number never
/// repeat exactly. Counts what is allocated in the last eighth.
class SteadyTraffic final : public netsim::FlowClient, public netsim::TimerClient {
 public:
  SteadyTraffic(netsim::Network& network, std::uint64_t messages)
      : network_(network), left_(messages), counted_(messages / 8) {
    for (std::uint32_t i = 0; i < 2 * nodes(); ++i) go_on(i);
  }
  void flow_ended(std::uint32_t i, const netsim::FlowEnd&) override { go_on(i); }
  void go_on(std::uint32_t i) {
    if (left_ == 0) return;
    if (--left_ == counted_) before_ = allocations;
    if (left_ == 0) during_ = allocations - before_;
    if (random_.below(8) == 0) return void(network_.clock().start_timer(netsim::Time(1e-6 * random_.unit()), *this, i));
    const auto to = platforms::NodeId(random_.below(nodes()));
    network_.start_flow(platforms::NodeId(i % nodes()), to, random_.below(100000), *this, i);
  }
  void timer_ended(std::uint32_t i) override { go_on(i); }
  std::size_t allocated_at_last() const { return during_; }

 private:
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(network_.machine().node_count()); }
  netsim::Network& network_;
  std::uint64_t left_, counted_;
  std::size_t before_ = 0, during_ = 0;
  core::Random random_{41, "allocations"};
};

/// Every call for point-to-point messages that there is, with partners, sizes and computations that change from step to
/// step. Counts what is allocated in the second half, by the steps of rank 0: whatever grows all the time must grow
/// then.
class Calls final : public workloads::GeneratedTrace {
 public:
  Calls(std::int32_t ranks, std::uint64_t steps) : GeneratedTrace("calls", ranks), steps_(steps), handles_(2000) {
    std::iota(handles_.begin(), handles_.end(), 0U);
  }

  bool step(workloads::Rank me, std::uint64_t step, std::vector<workloads::Operation>& out) const override {
    using workloads::Operation;
    using workloads::OpKind;
    if (me == 0 && step == steps_ / 2) before_ = allocations;
    if (me == 0 && step == steps_) during_ = allocations - before_;
    if (step == steps_) return false;
    core::Random common(step, "allocations/calls");  // what partners must agree upon
    core::Random own(step * 1000 + me.index(), "allocations/calls/rank");
    const auto distance = [&] { return 1 + static_cast<std::int32_t>(common.below(std::uint64_t(ranks() - 1))); };
    const auto on = [&](std::int32_t d) { return (me.value() + ranks() + d) % ranks(); };
    const auto bytes = [&] { return common.below(1000); };  // the threshold lies within
    const auto receive = [&](OpKind kind, workloads::CommRank from, std::int32_t tag, workloads::RequestHandle handle) {
      out.push_back({.kind = kind, .from = from, .tag = tag, .request = handle});
    };
    const auto send = [&](OpKind kind, workloads::CommRank to, std::int32_t tag, std::uint64_t size,
                          workloads::RequestHandle handle) {
      out.push_back({.kind = kind, .to = to, .tag = tag, .request = handle, .bytes = size});
    };
    const auto wait = [&](OpKind kind, workloads::RequestHandle handle) {
      out.push_back({.kind = kind, .request = handle});
    };
    const auto wait_for = [&](OpKind kind, std::size_t first, std::size_t end) {
      out.push_back({.kind = kind, .requests = std::span(handles_).subspan(first, end - first)});
    };
    using workloads::no_handle;

    if (step == 0) {  // more at once than ever after, between all
      for (int i = 0; i < 100; ++i)
        for (std::int32_t d = 1; d < ranks(); ++d) {
          const auto handle = static_cast<workloads::RequestHandle>(2 * (i * (ranks() - 1) + d - 1));
          receive(OpKind::irecv, on(-d), 0, handle);
          send(OpKind::isend, on(d), 0, 700, handle + 1);
        }
      wait_for(OpKind::waitall, 0, 200 * static_cast<std::size_t>(ranks() - 1));
      for (workloads::RequestHandle h = 0; h < 4; ++h) {
        const auto next = on(1), previous = on(-1);
        out.push_back({.kind = h % 2 == 0 ? OpKind::recv_init : OpKind::send_init,
                       .to = next,
                       .from = previous,
                       .tag = 50,
                       .request = 90 + h,
                       .bytes = 400 * h});
      }
    }
    out.push_back({.kind = OpKind::compute, .amount = own.unit() * 1e4});
    const auto far = distance();
    const auto fresh = 100 + static_cast<std::int32_t>(step % 16);  // so that any source is the one that is meant
    receive(OpKind::irecv, on(-far), 1, 0);
    receive(OpKind::irecv, step % 3 == 0 ? workloads::any_source : on(-far), fresh, 1);
    send(OpKind::isend, on(far), 1, bytes(), 2);
    send(OpKind::isend, on(far), fresh, bytes(), 3);
    wait(OpKind::test, 0);
    wait(OpKind::wait, 0);
    wait(OpKind::wait, 1);
    wait_for(OpKind::waitall, 2, 4);

    for (std::int32_t tag = 3; tag < 30; ++tag) receive(OpKind::irecv, on(-1), tag, std::uint32_t(tag));
    for (std::int32_t tag = 3; tag < 30; ++tag) send(OpKind::isend, on(1), tag, bytes(), 30 + std::uint32_t(tag));
    for (std::uint32_t handle = 29; handle > 20; --handle) wait(OpKind::wait, handle);
    for (int i = 0; i < 3; ++i) wait_for(OpKind::waitany, 3, 60);
    wait_for(OpKind::waitsome, 3, 60);
    wait_for(OpKind::waitall, 3, 60);

    wait_for(OpKind::startall, 90, 94);
    wait_for(OpKind::waitall, 90, 94);

    const auto near = distance();
    out.push_back({.kind = OpKind::sendrecv, .to = on(near), .from = on(-near), .bytes = bytes()});
    const bool is_even = me.value() % 2 == 0;
    const auto other = me.value() + (is_even ? 1 : -1);
    if (is_even) send(OpKind::send, other, 0, bytes(), no_handle);
    receive(OpKind::recv, other, 0, no_handle);
    if (!is_even) send(OpKind::send, other, 0, bytes(), no_handle);
    return true;
  }
  std::size_t allocated_in_second_half() const { return during_; }

 private:
  std::uint64_t steps_;
  std::vector<workloads::RequestHandle> handles_;  // 0, 1, ...
  mutable std::size_t before_ = 0, during_ = 0;
};

}  // namespace

TEST_CASE("the count of allocations counts") {
  const auto before = allocations;
  const std::vector<int> some(100);
  CHECK(allocations == before + 1);
}

TEST_CASE("the fluid engine allocates nothing in steady state", "[slow]") {
  const auto machine = platforms::make_machine("mesh:3x3");
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  SteadyTraffic traffic(*network, 800000);
  clock.run();
  CHECK(traffic.allocated_at_last() == 0);
}

TEST_CASE("matching allocates nothing in steady state") {
  netsim::MatchQueues queues(1);
  core::Random random(42, "allocations");
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    if (i == 100000) before = allocations;
    const netsim::Envelope envelope{workloads::Rank(random.below(30)), static_cast<int>(random.below(3)), 0};
    queues.announce(0, envelope, i);
    queues.post_receive(0, envelope, i);
  }
  CHECK(allocations == before);
}

TEST_CASE("a replay allocates nothing in steady state", "[slow]") {
  const auto machine = platforms::make_machine("torus:3x2");
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  const Calls trace(6, 4000);
  netsim::ReplayEnd end;
  netsim::Replay replay(trace, {0, 1, 2, 3, 4, 5}, *network, {.compute_scale = 1, .eager_threshold = 800},
                        [&](netsim::ReplayEnd how) { end = std::move(how); });
  replay.start();
  clock.run();
  CHECK(end.how == netsim::ReplayOutcome::done);
  CHECK(end.report.messages == 6u * (5 * 100 + 4000 * (2 + 27 + 2 + 2)));
  CHECK(trace.allocated_in_second_half() == 0);
}

TEST_CASE("jobs that have ended, been killed or failed hold no memory") {
  const auto machine = platforms::make_machine("mesh:8x8");
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  const auto trace = workloads::open_trace("stencil:grid=8x8,steps=2,bytes=2kB");
  const auto stuck = test::trace_of("0 send 1 0 9000 6\n0 recv 1 7 8 6\n1 recv 0 0 8 6\n1 recv 0 7 8 6\n");
  netsim::Simulation simulation(*network, netsim::OnFailedJob::go_on);
  netsim::Mapping all;
  for (const auto node : machine.nodes()) all.add(node);
  std::vector<std::size_t> live;
  std::uint32_t ended = 0;
  const auto add = [&] {
    if (ended % 5 == 4) return void(simulation.add({stuck.get(), {0, 1}, {}, clock.now()}));
    const auto job = simulation.add({trace.get(), all, {}, clock.now()});
    if (ended % 5 == 3) simulation.kill(job, clock.now() + netsim::Time(1e-6));
  };
  simulation.on_end([&](netsim::Simulation::JobEnd) {
    if (++ended % test::tenth_if_sanitized(500U) == 0) live.push_back(live_bytes);
    if (ended < test::tenth_if_sanitized(3000U)) add();
  });
  live.reserve(10);
  add();
  simulation.run();
  REQUIRE(live.size() == 6);
  CHECK(live[1] == live[5]);
  CHECK(clock.timers() == 0);
}

TEST_CASE("a job that has not started holds no more than its description") {
  const auto machine = platforms::make_machine("mesh:8x8");
  netsim::Clock clock;
  const auto network = netsim::engines().make("fluid", machine, clock);
  const auto trace = workloads::open_trace("stencil:grid=8x8,steps=2,bytes=2kB");
  netsim::Simulation simulation(*network);
  const auto before = live_bytes;
  for (int i = 0; i < 1000; ++i) simulation.add({trace.get(), netsim::Mapping(64), {}, netsim::Time(i)});
  CHECK(live_bytes - before < 1000 * (64 * sizeof(platforms::NodeId) + 1000));
}
