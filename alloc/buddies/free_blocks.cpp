#include "alloc/buddies/free_blocks.hpp"

#include <algorithm>
#include <tuple>

namespace toroid::alloc {

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
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    return std::tie(blocks_[a].nodes, blocks_[a].first) < std::tie(blocks_[b].nodes, blocks_[b].first);
  });
  core::IdVector<BlockId, BlockId> place(blocks_.size());
  Blocks sorted;
  sorted.reserve(blocks_.size());
  for (const auto id : order) place[id] = sorted.add(std::move(blocks_[id]));
  for (auto& block : sorted) {
    if (block.is_part()) block.parent = place[block.parent];
    for (auto& child : block.children) child = place[child];
    std::sort(block.children.begin(), block.children.end());
  }
  blocks_ = std::move(sorted);
}

void FreeBlocks::set_free(BlockId id) {
  for (;;) {
    is_free_[id] = 1;
    const auto parent = block(id).parent;
    if (!block(id).is_part() || ++free_children_[parent] < block(parent).children.size())
      return listed_.set(id.index());
    for (const auto child : block(parent).children) listed_.reset(child.index());
    id = parent;
  }
}

void FreeBlocks::set_busy(BlockId id) {
  for (;;) {
    is_free_[id] = 0;
    const auto parent = block(id).parent;
    if (!block(id).is_part()) return listed_.reset(id.index());
    --free_children_[parent];
    if (is_free_[parent] == 0) return listed_.reset(id.index());
    for (const auto child : block(parent).children)
      if (child != id) listed_.set(child.index());
    id = parent;
  }
}

void FreeBlocks::taken(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) set_busy(leaf_of_[node]);
}

void FreeBlocks::given_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) set_free(leaf_of_[node]);
}

std::optional<BlockId> FreeBlocks::smallest(std::size_t rank) const {
  const BlockId found(listed_.next_set(first_of_[rank].index()));
  return blocks_.has(found) ? std::optional(found) : std::nullopt;
}

BlockId FreeBlocks::first_part(BlockId id, std::size_t rank) const {
  while (block(id).nodes > sizes_[rank]) id = block(id).children.front();
  return id;
}

}  // namespace toroid::alloc
