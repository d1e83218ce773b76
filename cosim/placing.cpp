#include "cosim/placing.hpp"

#include <optional>
#include <unordered_set>

#include "core/error.hpp"
#include "netsim/clock.hpp"

namespace toroid::cosim {
namespace {

void check_busy(const Machine& machine, std::span<const NodeId> busy) {
  std::unordered_set<NodeId> seen;
  for (const NodeId node : busy) {
    if (node < 0 || node.value() >= machine.node_count() || !machine.computes(node))
      core::fail_input("busy nodes: found node {}, expected one of {} that computes", node, machine.name());
    if (!seen.insert(node).second) core::fail_input("busy nodes: node {} is given twice", node);
  }
}

}  // namespace

Allocation allocate(const Machine& machine, const alloc::AllocatorChoice& allocator, std::span<const NodeId> busy,
                    std::int32_t nodes, std::uint64_t seed) {
  check_busy(machine, busy);
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  free.take(busy);
  const auto made = allocator.make(alloc::Site{free, nullptr, seed, &clock});
  std::optional<Allocation> found;
  if (nodes <= free.count())
    made->allocate({.job = 1, .nodes = nodes}, [&](std::optional<Allocation> answer) { found = std::move(answer); });
  clock.run();
  if (!found)
    core::fail_input("allocator '{}' has no {} nodes for the job on {}, where {} are free", allocator.text(), nodes,
                     machine.name(), free.count());
  return *found;
}

AllocatorTraits traits_of(const alloc::AllocatorChoice& allocator, const Machine& machine) {
  netsim::Clock clock;
  alloc::FreeNodes free(machine);
  const auto made = allocator.make(alloc::Site{free, nullptr, 1, &clock});
  return {made->uses_seed(), made->local() != nullptr};
}

}  // namespace toroid::cosim
