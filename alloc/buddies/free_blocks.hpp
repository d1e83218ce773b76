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

  /// Sizes of blocks that there are, from the smallest.
  const std::vector<std::int32_t>& sizes() const { return sizes_; }
  const Block& block(std::int32_t number) const { return blocks_[static_cast<std::size_t>(number)]; }
  /// The first of the free blocks of the smallest size that is sizes()[rank] or more, in the order of its first places.
  std::optional<std::int32_t> smallest(std::size_t rank) const;
  /// The first part of a block that has sizes()[rank] nodes.
  std::int32_t first_part(std::int32_t number, std::size_t rank) const;

  /// A block of which no part is taken, or all of it again, whatever its nodes are: for plans that are undone.
  void set_free(std::int32_t number);
  void set_busy(std::int32_t number);

  /// Calls visit(NodeId) for the nodes of a block in order.
  template <class Visit>
  void for_each_node(std::int32_t number, Visit&& visit) const {
    block(number).for_each_node(machine_.grid(),
                                [&](RouterId router, std::int32_t i) { visit(machine_.first_node(router) + i); });
  }

 private:
  void sort_blocks();
  void list(std::int32_t number);
  void unlist(std::int32_t number);

  const Machine& machine_;
  Blocks blocks_;  ///< by size, those of a size by their first places
  core::IdVector<NodeId, std::int32_t> leaf_of_;
  std::vector<std::int32_t> sizes_;
  std::vector<std::int32_t> first_of_;  ///< by rank: its first block
  std::vector<char> is_free_;           ///< by block: all of it
  std::vector<std::int32_t> free_children_;
  core::Bits listed_;
};

}  // namespace toroid::alloc
