#include "alloc/logged_nodes.hpp"

#include "core/blame.hpp"

namespace toroid::alloc {
namespace {

[[maybe_unused]] bool are_free_and_different(const FreeNodes& free, Allocation nodes) {
  std::ranges::sort(nodes);
  return std::ranges::adjacent_find(nodes) == nodes.end() &&
         std::ranges::all_of(nodes, [&](NodeId node) { return free.is_free(node); });
}

}  // namespace

std::optional<Allocation> LocalAllocator::choose(const Request& request) {
  TOROID_ASSERT(request.nodes >= 1);
  if (request.nodes > free().count()) return std::nullopt;
  auto nodes = who_.empty() ? find(request) : core::blamed(who_, [&] { return find(request); });
  if (!who_.empty()) check_answer(request, nodes);
  const auto wanted = static_cast<std::size_t>(request.nodes);
  TOROID_ASSERT(counting_suffices() ? nodes && nodes->size() == wanted : !nodes || nodes->size() >= wanted);
  TOROID_ASSERT_HEAVY(!nodes || are_free_and_different(free(), *nodes));
  return nodes;
}

void LocalAllocator::check_answer(const Request& request, const std::optional<Allocation>& nodes) const {
  const auto fail = [&](const std::string& fault) {
    core::fail_input("{}: job {}, {} nodes: {}", who_, request.job, request.nodes, fault);
  };
  if (!nodes && counting_suffices()) fail("found no nodes, expected some where enough are free");
  if (!nodes) return;
  const auto wanted = static_cast<std::size_t>(request.nodes);
  if (counting_suffices() ? nodes->size() != wanted : nodes->size() < wanted)
    fail(fmt::format("found {} nodes", nodes->size()));
  for (const NodeId node : *nodes) {
    if (node < 0 || node.value() >= machine().node_count())
      fail(fmt::format("found node {}, expected one of 0 to {}", node, machine().node_count() - 1));
    if (!free().is_free(node)) fail(fmt::format("found node {}, which is not free", node));
  }
  // Many answers are in order: to sort those would take longer than a simple allocator takes to find them.
  if (std::ranges::adjacent_find(*nodes, std::greater_equal<>()) == nodes->end()) return;
  auto sorted = *nodes;
  std::ranges::sort(sorted);
  if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
    fail(fmt::format("found node {} twice", *twice));
}

void LocalAllocator::allocate(const Request& request, Decided decided) {
  auto nodes = choose(request);
  [[maybe_unused]] const auto before = free().count();
  if (nodes) site_.free.take(*nodes);
  TOROID_ASSERT(free().count() + (nodes ? static_cast<std::int32_t>(nodes->size()) : 0) == before);
  decided(std::move(nodes));
}

void LocalAllocator::release(std::int64_t, std::span<const NodeId> nodes) {
  site_.free.give_back(nodes);
}

bool LocalAllocator::fits(const Request& request) const {
  return static_cast<std::size_t>(request.nodes) <= machine().compute_nodes().size();
}

Allocation LoggedNodes::read(std::string_view list, std::int32_t count) const {
  if (list.empty()) core::fail_input("The log does not say which nodes the job had");
  Allocation nodes;
  for (const auto part : platforms::split_host_list(list)) {
    const auto some = platforms::nodes_called(machine_, names_, part, "its nodes in the log");
    nodes.insert(nodes.end(), some.begin(), some.end());
  }
  if (!std::ranges::all_of(nodes, [&](NodeId node) { return machine_.computes(node); }))
    core::fail_input("Some of the nodes that the job had do not compute");
  if (nodes.size() != static_cast<std::size_t>(count))
    core::fail_input("The log names {} nodes, expected {}", nodes.size(), count);
  auto sorted = nodes;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end()) core::fail_input("The log names a node twice: {}", list);
  return nodes;
}

}  // namespace toroid::alloc
