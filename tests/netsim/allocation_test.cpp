// Once a run has seen its largest state, the fluid engine, the matching and the bookkeeping allocate nothing more.
// This program counts every call of operator new.

#include <catch2/catch.hpp>

#include <cstdlib>
#include <new>

#include "core/random.hpp"
#include "netsim/replay/matching.hpp"
#include "netsim/network.hpp"

namespace {
std::size_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

using namespace toroid;

namespace {

/// Every node has messages under way to random nodes, a new one for each that ends; the routes and their number never
/// repeat exactly. Counts what is allocated in the last eighth.
class Traffic final : public netsim::NetworkClient {
 public:
  Traffic(netsim::Network& network, std::uint64_t messages)
      : network_(network), left_(messages), counted_(messages / 8) {
    for (std::uint32_t i = 0; i < 2 * nodes(); ++i) flow_ended(i);
  }
  void flow_ended(std::uint32_t i) override {
    if (left_ == 0) return;
    if (--left_ == counted_) before_ = allocations;
    if (left_ == 0) during_ = allocations - before_;
    if (random_.below(8) == 0) return void(network_.start_timer(1e-6 * random_.unit(), *this, i));
    const auto to = static_cast<platforms::NodeId>(random_.below(nodes()));
    network_.start_flow(static_cast<platforms::NodeId>(i % nodes()), to, random_.below(100000), *this, i);
  }
  void timer_ended(std::uint32_t i) override { flow_ended(i); }
  std::size_t allocated_at_last() const { return during_; }

 private:
  std::uint32_t nodes() const { return static_cast<std::uint32_t>(network_.machine().node_count()); }
  netsim::Network& network_;
  std::uint64_t left_, counted_;
  std::size_t before_ = 0, during_ = 0;
  core::Random random_{41, "allocations"};
};

}  // namespace

TEST_CASE("the count of allocations counts") {
  const auto before = allocations;
  const std::vector<int> some(100);
  CHECK(allocations == before + 1);
}

TEST_CASE("the fluid engine allocates nothing in steady state") {
  const auto machine = platforms::make_machine("mesh:3x3");
  const auto spec = core::Spec::parse("fluid");
  const auto network = netsim::engines().find(spec).make(machine, spec);
  Traffic traffic(*network, 400000);
  network->run();
  CHECK(traffic.allocated_at_last() == 0);
}

TEST_CASE("matching allocates nothing in steady state") {
  netsim::MatchQueue queue;
  core::Random random(42, "allocations");
  std::size_t before = 0;
  for (std::uint32_t i = 0; i < 200000; ++i) {
    if (i == 100000) before = allocations;
    const netsim::Envelope envelope{static_cast<workloads::Rank>(random.below(30)), static_cast<int>(random.below(3)),
                                    0};
    queue.announce(envelope, i);
    queue.post_receive(envelope, i);
  }
  CHECK(allocations == before);
}
