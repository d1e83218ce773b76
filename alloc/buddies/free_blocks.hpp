#pragma once
// The free blocks of a hierarchy: those whose nodes are all free, and that are part of no other such block.

#include <optional>
#include <vector>

#include "alloc/buddies/hierarchy.hpp"
#include "core/bits.hpp"

namespace toroid::alloc {

class FreeBlocks final : public FreeView {
 public:
  FreeBlocks(FreeNodes& free, Blocks blocks);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// The sizes, in nodes, that blocks have, in ascending order.
  const std::vector<std::int32_t>& sizes() const { return sizes_; }
  const Block& block(BlockId id) const { return blocks_[id]; }
  /// The smallest free block of sizes()[rank] nodes or more; of several the first one, by their first places.
  std::optional<BlockId> smallest(std::size_t rank) const;
  /// The first part of a block that has sizes()[rank] nodes.
  BlockId first_part(BlockId id, std::size_t rank) const;

  /// Marks a block as free, or as busy, whatever its nodes are: for plans, which are undone later.
  void set_free(BlockId id);
  void set_busy(BlockId id);

  /// Calls visit(NodeId) for the nodes of a block in order.
  template <class Visit>
  void for_each_node(BlockId id, Visit&& visit) const {
    block(id).for_each_node(machine_.grid(),
                            [&](RouterId router, std::int32_t i) { visit(machine_.first_node(router) + i); });
  }

 private:
  void sort_blocks();

  const Machine& machine_;
  Blocks blocks_;  ///< sorted by size, then by their first places
  core::IdVector<NodeId, BlockId> leaf_of_;
  std::vector<std::int32_t> sizes_;
  std::vector<BlockId> first_of_;          ///< by rank of size, its first block
  core::IdVector<BlockId, char> is_free_;  ///< whether all of a block is free
  core::IdVector<BlockId, std::size_t> free_children_;
  core::Bits listed_;
};

}  // namespace toroid::alloc
