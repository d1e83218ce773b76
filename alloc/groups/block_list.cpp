#include "alloc/groups/block_list.hpp"

#include "alloc/neighbours.hpp"

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
