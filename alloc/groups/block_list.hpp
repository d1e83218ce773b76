#pragma once
// A machine cut into boxes of routers of one size, in an order.

#include <cstdint>
#include <map>
#include <vector>

#include "alloc/free_nodes.hpp"

namespace toroid::alloc {

/// The order of blocks: line by line along the first dimension, in one direction (row) or back and forth (snake).
enum class BlockOrder : std::uint8_t { row, snake };

class BlockList final : public FreeView {
 public:
  /// The place of a block in the order, from 0.
  using Place = std::size_t;

  /// `box` is the number of routers of a block along each dimension; it must divide the machine's extents.
  BlockList(FreeNodes& free, const std::vector<std::int32_t>& box, BlockOrder order);

  std::size_t size() const { return nodes_.size(); }
  /// The compute nodes of a block.
  const std::vector<NodeId>& nodes(Place block) const { return nodes_[block]; }
  std::int32_t free(Place block) const { return free_[block]; }
  /// The number of cables from a block to each other block that it has cables to.
  const std::map<Place, std::int32_t>& cables(Place block) const { return cables_[block]; }

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

 private:
  Place place(NodeId node) const { return places_[machine_.router(node)]; }
  void count_cables();

  const Machine& machine_;
  core::IdVector<RouterId, Place> places_;
  std::vector<std::vector<NodeId>> nodes_;
  std::vector<std::int32_t> free_;
  std::vector<std::map<Place, std::int32_t>> cables_;
};

}  // namespace toroid::alloc
