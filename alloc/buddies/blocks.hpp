#pragma once
// Machines as hierarchies of blocks, as buddy systems have them, and which of these are free.

#include "core/bits.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {

using BlockId = core::Id<struct BlockTag>;

/// The place of a node: its router's coordinate along each dimension, then its place on the router.
using BlockPlace = std::array<std::int32_t, platforms::max_dimensions + 1>;

/// A box of nodes.
struct Block {
  BlockPlace first{}, length{};
  std::int32_t nodes = 1;
  BlockId parent = BlockId::none();  ///< the block it is a part of
  std::vector<BlockId> children{};   ///< its parts, in order; a single node has none

  bool is_part() const { return parent != BlockId::none(); }

  /// Calls visit(router, place on it) for all nodes of the block; the first dimension changes slowest.
  template <class Visit>
  void for_each_node(const platforms::Grid& grid, Visit&& visit) const {
    platforms::Coordinates at{};
    for_each_node_from(0, grid, at, visit);
  }

 private:
  template <class Visit>
  void for_each_node_from(std::size_t d, const platforms::Grid& grid, platforms::Coordinates& at, Visit& visit) const {
    if (d < grid.dimension_count()) {
      for (at[d] = first[d]; at[d] < first[d] + length[d]; ++at[d]) for_each_node_from(d + 1, grid, at, visit);
      return;
    }
    const RouterId router = grid.router_at(at);
    for (std::int32_t i = first.back(); i < first.back() + length.back(); ++i) visit(router, i);
  }
};

/// All blocks of a machine, in no order. Each node is a block; the blocks that are part of no other are disjoint and
/// cover the machine.
using Blocks = core::IdVector<BlockId, Block>;
using MakeBlocks = Blocks (*)(const Machine&);

/// Squares of 2^k x 2^k routers in planes along the first two dimensions, each divided into four, and the nodes of a
/// router. On a plane this is the Multiple Buddy Strategy (Lo et al. 1997), elsewhere Layered MBS.
Blocks square_blocks(const Machine& machine);
/// Cubes with sides of 2^k routers along the first three dimensions: Octet MBS. On a plane all are single routers.
Blocks octet_blocks(const Machine& machine);
/// Cubes with sides of 2^k routers along all dimensions of more than one router: lines, squares, cubes and so on.
Blocks cube_blocks(const Machine& machine);
/// Blocks built from single nodes up: neighbouring blocks of the same size and shape become one, in phases along the
/// router, along the first dimension, the second and so on, repeated until no block finds a partner (Granular MBS:
/// Walker, Bunde, Leung 2010, Section III.A).
Blocks granular_blocks(const Machine& machine);

/// The free blocks of a hierarchy: those whose nodes are all free, and that are part of no other such block.
class FreeBlocks final : public FreeView {
 public:
  FreeBlocks(FreeNodes& free, Blocks blocks);

  void taken(std::span<const NodeId> nodes) override {
    for (const NodeId node : nodes) set_busy(leaf_of_[node]);
  }
  void given_back(std::span<const NodeId> nodes) override {
    for (const NodeId node : nodes) set_free(leaf_of_[node]);
  }

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
  std::vector<BlockId> first_of_;          ///< the first block of each rank of size
  core::IdVector<BlockId, char> is_free_;  ///< whether all of a block is free
  core::IdVector<BlockId, std::size_t> free_children_;
  boost::dynamic_bitset<> listed_;
};

}  // namespace toroid::alloc
