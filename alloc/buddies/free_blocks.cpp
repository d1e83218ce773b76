#include "alloc/buddies/free_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace toroid::alloc {

FreeBlocks::FreeBlocks(FreeNodes& free, Blocks blocks)
    : FreeView(free),
      machine_(free.machine()),
      blocks_(std::move(blocks)),
      leaf_of_(machine_.node_count(), -1),
      is_free_(blocks_.size(), 0),
      free_children_(blocks_.size(), 0),
      listed_(blocks_.size()) {
  sort_blocks();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (sizes_.empty() || sizes_.back() != blocks_[i].nodes) {
      sizes_.push_back(blocks_[i].nodes);
      first_of_.push_back(static_cast<std::int32_t>(i));
    }
    const auto number = static_cast<std::int32_t>(i);
    if (blocks_[i].nodes == 1) for_each_node(number, [&](NodeId node) { leaf_of_[node] = number; });
  }
  given_back(free.all());
}

void FreeBlocks::sort_blocks() {
  std::vector<std::int32_t> order(blocks_.size()), place(blocks_.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](auto a, auto b) {
    const Block& left = blocks_[static_cast<std::size_t>(a)];
    const Block& right = blocks_[static_cast<std::size_t>(b)];
    return std::tie(left.nodes, left.first) < std::tie(right.nodes, right.first);
  });
  Blocks sorted;
  sorted.reserve(blocks_.size());
  for (const auto number : order) {
    place[static_cast<std::size_t>(number)] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(std::move(blocks_[static_cast<std::size_t>(number)]));
  }
  for (auto& block : sorted) {
    if (block.parent >= 0) block.parent = place[static_cast<std::size_t>(block.parent)];
    for (auto& child : block.children) child = place[static_cast<std::size_t>(child)];
    std::sort(block.children.begin(), block.children.end());
  }
  blocks_ = std::move(sorted);
}

void FreeBlocks::list(std::int32_t number) {
  listed_.set(static_cast<std::size_t>(number));
}

void FreeBlocks::unlist(std::int32_t number) {
  listed_.reset(static_cast<std::size_t>(number));
}

void FreeBlocks::set_free(std::int32_t number) {
  for (;;) {
    is_free_[static_cast<std::size_t>(number)] = 1;
    const std::int32_t parent = block(number).parent;
    if (parent < 0) return list(number);
    auto& free_children = free_children_[static_cast<std::size_t>(parent)];
    if (static_cast<std::size_t>(++free_children) < block(parent).children.size()) return list(number);
    for (const auto child : block(parent).children) unlist(child);
    number = parent;
  }
}

void FreeBlocks::set_busy(std::int32_t number) {
  for (;;) {
    is_free_[static_cast<std::size_t>(number)] = 0;
    const std::int32_t parent = block(number).parent;
    if (parent < 0) return unlist(number);
    --free_children_[static_cast<std::size_t>(parent)];
    if (is_free_[static_cast<std::size_t>(parent)] == 0) return unlist(number);
    for (const auto child : block(parent).children)
      if (child != number) list(child);
    number = parent;
  }
}

void FreeBlocks::taken(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) set_busy(leaf_of_[node]);
}

void FreeBlocks::given_back(std::span<const NodeId> nodes) {
  for (const NodeId node : nodes) set_free(leaf_of_[node]);
}

std::optional<std::int32_t> FreeBlocks::smallest(std::size_t rank) const {
  const std::size_t found = listed_.next_set(static_cast<std::size_t>(first_of_[rank]));
  return found < blocks_.size() ? std::optional(static_cast<std::int32_t>(found)) : std::nullopt;
}

std::int32_t FreeBlocks::first_part(std::int32_t number, std::size_t rank) const {
  while (block(number).nodes > sizes_[rank]) number = block(number).children.front();
  return number;
}

}  // namespace toroid::alloc
