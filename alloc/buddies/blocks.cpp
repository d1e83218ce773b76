#include "alloc/buddies/blocks.hpp"

#include <numeric>
#include <tuple>

namespace toroid::alloc {
namespace {

using Axes = std::vector<std::size_t>;

/// Cubes along some dimensions, the largest that fits into a corner first, then those of what is left around it.
class Cubes {
 public:
  Cubes(const Machine& machine, Axes axes) : dimensions_(machine.grid().dimension_count()), axes_(std::move(axes)) {
    Block whole;
    whole.length.fill(1);
    for (std::size_t d = 0; d < dimensions_; ++d) whole.length[d] = machine.grid().dimension(d).extent;
    whole.length.back() = machine.description().nodes_per_router;
    layers_from(0, whole);
  }
  Blocks blocks;

 private:
  bool is_axis(std::size_t d) const { return std::ranges::find(axes_, d) != axes_.end(); }

  /// Along dimensions that are no axes, place after place by itself.
  void layers_from(std::size_t d, Block region) {
    if (d == dimensions_) return fill(region);
    if (is_axis(d)) return layers_from(d + 1, region);
    for (const std::int32_t end = region.length[d]; region.first[d] < end; ++region.first[d]) {
      Block layer = region;
      layer.length[d] = 1;
      layers_from(d + 1, layer);
    }
  }

  void fill(const Block& region) {
    std::int32_t shortest = axes_.empty() ? 1 : region.length[axes_[0]];
    for (const auto axis : axes_) shortest = std::min(shortest, region.length[axis]);
    if (shortest == 0) return;
    const auto side = static_cast<std::int32_t>(std::bit_floor(static_cast<std::uint32_t>(shortest)));
    Block cube = region, rest = region;
    for (const auto axis : axes_) cube.length[axis] = side;
    add(cube, BlockId::none());
    // Beside the cube along the first axis, then what is left along the second, and so on.
    for (const auto axis : axes_) {
      Block beside = rest;
      beside.first[axis] += side;
      beside.length[axis] -= side;
      if (beside.length[axis] > 0) fill(beside);
      rest.length[axis] = side;
    }
  }

  BlockId add(Block block, BlockId parent) {
    block.parent = parent;
    block.nodes = std::accumulate(block.length.begin(), block.length.end(), 1, std::multiplies<>());
    block.children.clear();
    const auto id = blocks.add(block);
    if (block.nodes > 1) add_children(block, id, 0);
    return id;
  }

  /// Halves along each axis; of a single router its nodes.
  void add_children(Block part, BlockId parent, std::size_t i) {
    const bool is_router = axes_.empty() || blocks[parent].length[axes_[0]] == 1;
    if (is_router) {
      part.length.back() = 1;
      for (; part.first.back() < blocks[parent].length.back(); ++part.first.back()) {
        const auto child = add(part, parent);  // which may move the parent
        blocks[parent].children.push_back(child);
      }
    } else if (i < axes_.size()) {
      part.length[axes_[i]] /= 2;
      add_children(part, parent, i + 1);
      part.first[axes_[i]] += part.length[axes_[i]];
      add_children(part, parent, i + 1);
    } else {
      const auto child = add(part, parent);
      blocks[parent].children.push_back(child);
    }
  }

  std::size_t dimensions_;
  Axes axes_;
};

/// Merges neighbours. A block that is part of no other is known by its first node.
class Granules {
 public:
  explicit Granules(const Machine& machine) : machine_(machine) {
    const std::int32_t per_router = machine.description().nodes_per_router;
    at_.resize(static_cast<std::size_t>(machine.grid().size()) * static_cast<std::size_t>(per_router), BlockId::none());
    Block node;
    node.length.fill(1);
    for (const RouterId router : core::ids<RouterId>(machine.grid().size())) {
      for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
        node.first[d] = machine.grid().coordinate(router, d);
      for (node.first.back() = 0; node.first.back() < per_router; ++node.first.back()) add(node);
    }
    for (bool merged = true; merged;) {
      merged = merge_along(node.first.size() - 1);
      for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) merged |= merge_along(d);
    }
  }
  Blocks blocks;

 private:
  /// Nothing beyond the ends of the machine.
  BlockId* block_at(const BlockPlace& place) {
    const auto& grid = machine_.grid();
    const std::int32_t per_router = machine_.description().nodes_per_router;
    platforms::Coordinates coordinates{};
    if (place.back() >= per_router) return nullptr;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      if (place[d] >= grid.dimension(d).extent) return nullptr;
      coordinates[d] = place[d];
    }
    return &at_[grid.router_at(coordinates).index() * static_cast<std::size_t>(per_router) +
                static_cast<std::size_t>(place.back())];
  }

  BlockId add(const Block& block) {
    tops_.push_back(blocks.add(block));
    return *block_at(block.first) = tops_.back();
  }

  /// Pairs of neighbours along a dimension, from the low end on. Blocks made here take no part.
  bool merge_along(std::size_t d) {
    std::ranges::sort(tops_, [&](auto a, auto b) { return blocks[a].first < blocks[b].first; });
    const auto tops = std::exchange(tops_, {});
    const BlockId made(blocks.size());
    for (const auto id : tops) {
      const Block block = blocks[id];
      if (block.is_part()) continue;
      BlockPlace next = block.first;
      next[d] += block.length[d];
      BlockId* const found = block_at(next);
      const auto partner = found == nullptr ? BlockId::none() : *found;
      if (partner == BlockId::none() || partner >= made || blocks[partner].is_part() ||
          blocks[partner].length != block.length) {
        tops_.push_back(id);
        continue;
      }
      Block both = block;
      both.length[d] *= 2;
      both.nodes *= 2;
      both.children = {id, partner};
      const auto parent = add(both);
      blocks[id].parent = parent;
      blocks[partner].parent = parent;
      *found = BlockId::none();
    }
    return blocks.has(made);
  }

  const Machine& machine_;
  std::vector<BlockId> at_;    ///< the block, part of no other, that begins at each place of a node, if any
  std::vector<BlockId> tops_;  ///< blocks that are part of no other
};

Axes first_axes(const Machine& machine, std::size_t count) {
  Axes axes(std::min(count, machine.grid().dimension_count()));
  std::iota(axes.begin(), axes.end(), 0U);
  // Where a dimension is missing it is as if it had one router: no square is larger than that.
  return axes.size() < count ? Axes{} : axes;
}

}  // namespace

Blocks square_blocks(const Machine& machine) {
  return Cubes(machine, first_axes(machine, 2)).blocks;
}

Blocks octet_blocks(const Machine& machine) {
  return Cubes(machine, first_axes(machine, 3)).blocks;
}

Blocks cube_blocks(const Machine& machine) {
  Axes axes;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d)
    if (machine.grid().dimension(d).extent > 1) axes.push_back(d);
  return Cubes(machine, axes).blocks;
}

Blocks granular_blocks(const Machine& machine) {
  return Granules(machine).blocks;
}

FreeBlocks::FreeBlocks(FreeNodes& free, Blocks blocks)
    : FreeView(free),
      machine_(free.machine()),
      blocks_(std::move(blocks)),
      leaf_of_(machine_.node_count(), BlockId::none()),
      is_free_(blocks_.size(), 0),
      free_children_(blocks_.size(), 0),
      listed_(blocks_.size()) {
  sort_blocks();
  for (const auto id : blocks_.ids()) {
    if (sizes_.empty() || sizes_.back() != block(id).nodes) {
      sizes_.push_back(block(id).nodes);
      first_of_.push_back(id);
    }
    if (block(id).nodes == 1) for_each_node(id, [&](NodeId node) { leaf_of_[node] = id; });
  }
  given_back(free.all());
}

void FreeBlocks::sort_blocks() {
  const auto ids = blocks_.ids();
  std::vector<BlockId> order(ids.begin(), ids.end());
  std::ranges::sort(order, [&](auto a, auto b) {
    return std::tie(blocks_[a].nodes, blocks_[a].first) < std::tie(blocks_[b].nodes, blocks_[b].first);
  });
  core::IdVector<BlockId, BlockId> place(blocks_.size());
  Blocks sorted;
  sorted.reserve(blocks_.size());
  for (const auto id : order) place[id] = sorted.add(std::move(blocks_[id]));
  for (auto& block : sorted) {
    if (block.is_part()) block.parent = place[block.parent];
    for (auto& child : block.children) child = place[child];
    std::ranges::sort(block.children);
  }
  blocks_ = std::move(sorted);
}

void FreeBlocks::set_free(BlockId id) {
  for (;;) {
    is_free_[id] = 1;
    const auto parent = block(id).parent;
    if (!block(id).is_part() || ++free_children_[parent] < block(parent).children.size()) break;
    for (const auto child : block(parent).children) listed_.reset(child.index());
    id = parent;
  }
  listed_.set(id.index());
}

void FreeBlocks::set_busy(BlockId id) {
  for (;;) {
    is_free_[id] = 0;
    const auto parent = block(id).parent;
    if (!block(id).is_part()) break;
    --free_children_[parent];
    if (is_free_[parent] == 0) break;
    for (const auto child : block(parent).children)
      if (child != id) listed_.set(child.index());
    id = parent;
  }
  listed_.reset(id.index());
}

std::optional<BlockId> FreeBlocks::smallest(std::size_t rank) const {
  const BlockId found(core::next_set(listed_, first_of_[rank].index()));
  return blocks_.has(found) ? std::optional(found) : std::nullopt;
}

BlockId FreeBlocks::first_part(BlockId id, std::size_t rank) const {
  while (block(id).nodes > sizes_[rank]) id = block(id).children.front();
  return id;
}

}  // namespace toroid::alloc
