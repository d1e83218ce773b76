#include "alloc/groups/grouped.hpp"

#include <algorithm>

#include "alloc/neighbours.hpp"
#include "core/error.hpp"

namespace toroid::alloc {
namespace {

/// The place in the order of the block that a router is in.
std::size_t place_of(const platforms::Grid& grid, const std::vector<std::int32_t>& box, BlockOrder order,
                     RouterId router) {
  std::size_t place = 0;  // of the line, along the dimensions so far
  for (std::size_t d = grid.dimension_count(); d-- > 0;) {
    const auto blocks = static_cast<std::size_t>(grid.dimension(d).extent / box[d]);
    const auto along = static_cast<std::size_t>(grid.coordinate(router, d) / box[d]);
    const bool back = order == BlockOrder::snake && place % 2 != 0;
    place = place * blocks + (back ? blocks - 1 - along : along);
  }
  return place;
}

}  // namespace

const core::Parameter<MakeLocal> base_parameter{"base", "the allocator that chooses within a group of nodes",
                                                allocator_in_parentheses(), "consecutive"};

GroupedAllocator::GroupedAllocator(const Site& site, const core::Arguments& arguments)
    : LocalAllocator(site), seen_(site.machine()) {
  Site narrowed{seen_};
  narrowed.seed = site.seed;
  base_ = arguments[base_parameter](narrowed);
  if (base_->uses_logged_nodes())
    core::fail_input(
        "the nodes that a job had in its log lie where they lie, in a group or not; expected a 'base' that "
        "chooses nodes, or as-logged alone");
  seen_.take(seen_.all());
}

std::optional<Allocation> GroupedAllocator::find(const Request& request) {
  Allocation all;
  for (const auto& group : groups(request)) {
    const auto left = request.nodes - static_cast<std::int32_t>(all.size());
    if (left <= 0) break;
    const auto nodes = std::min(left, static_cast<std::int32_t>(group.size()));
    const auto chosen = choose_among(group, {.job = request.job, .nodes = nodes});
    if (!chosen) return std::nullopt;
    all.insert(all.end(), chosen->begin(), chosen->end());
  }
  if (static_cast<std::int32_t>(all.size()) < request.nodes) return std::nullopt;
  return all;
}

std::optional<Allocation> GroupedAllocator::choose_among(const Group& group, const Request& request) {
  seen_.give_back(group);
  auto chosen = base_->choose(request);
  seen_.take(group);
  return chosen;
}

BlockList::BlockList(FreeNodes& free, const std::vector<std::int32_t>& box, BlockOrder order)
    : FreeView(free), machine_(free.machine()) {
  const auto& grid = machine_.grid();
  std::size_t blocks = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    blocks *= static_cast<std::size_t>(grid.dimension(d).extent / box[d]);
  nodes_.resize(blocks);
  free_.resize(blocks);
  cables_.resize(blocks);
  for (const RouterId router : grid.routers()) places_.add(place_of(grid, box, order, router));
  for (const NodeId node : machine_.compute_nodes()) nodes_[place(node)].push_back(node);
  given_back(free.all());
  count_cables();
}

void BlockList::count_cables() {
  const auto& grid = machine_.grid();
  for (const RouterId router : grid.routers())
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const bool has_next = grid.has_neighbour(router, d, true);
      if (!has_next || !are_joined(machine_, router, d, true)) continue;
      const Place here = places_[router], next = places_[grid.neighbour(router, d, true)];
      if (here == next) continue;
      ++cables_[here][next];
      ++cables_[next][here];
    }
}

void BlockList::taken(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) --free_[place(node)];
}

void BlockList::given_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) ++free_[place(node)];
}

}  // namespace toroid::alloc
