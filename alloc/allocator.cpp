#include "alloc/allocator.hpp"

#include <algorithm>

#include "core/assert.hpp"

namespace toroid::alloc {
namespace {

[[maybe_unused]] bool are_free_and_different(const FreeNodes& free, Allocation nodes) {
  std::sort(nodes.begin(), nodes.end());
  return std::adjacent_find(nodes.begin(), nodes.end()) == nodes.end() &&
         std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) { return free.is_free(node); });
}

}  // namespace

std::optional<Allocation> LocalAllocator::choose(const Request& request) {
  TOROID_ASSERT(request.nodes >= 1);
  if (request.nodes > free().count()) return std::nullopt;
  auto nodes = find(request);
  const auto wanted = static_cast<std::size_t>(request.nodes);
  TOROID_ASSERT(counting_suffices() ? nodes && nodes->size() == wanted : !nodes || nodes->size() >= wanted);
  TOROID_ASSERT_HEAVY(!nodes || are_free_and_different(free(), *nodes));
  return nodes;
}

void LocalAllocator::allocate(const Request& request, Decided decided) {
  auto nodes = choose(request);
  if (nodes) site_.free.take(*nodes);
  decided(std::move(nodes));
}

void LocalAllocator::release(std::int64_t, std::span<const NodeId> nodes) {
  site_.free.give_back(nodes);
}

bool LocalAllocator::fits(const Request& request) const {
  return static_cast<std::size_t>(request.nodes) <= machine().compute_nodes().size();
}

}  // namespace toroid::alloc
