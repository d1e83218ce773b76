#pragma once
// Allocators that narrow the choice of another one, and machines cut into blocks, which they may narrow it to.

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "alloc/allocator.hpp"
#include "alloc/free_nodes.hpp"

namespace toroid::alloc {

/// The key `base`, the allocator whose choice is narrowed.
extern const core::Parameter<MakeLocal> base_parameter;

class GroupedAllocator : public LocalAllocator {
 public:
  /// The arguments must have base_parameter.
  GroupedAllocator(const Site& site, const core::Arguments& arguments);

  bool uses_seed() const final { return base_->uses_seed(); }
  bool counting_suffices() const final { return base_->counting_suffices(); }

 protected:
  using Group = std::vector<NodeId>;

 private:
  /// Disjoint groups of free nodes, none empty, in the order in which a job uses them: it takes all nodes of each group
  /// before the last one that it needs.
  virtual std::vector<Group> groups(const Request& request) = 0;

  std::optional<Allocation> find(const Request& request) final;
  std::optional<Allocation> choose_among(const Group& group, const Request& request);

  FreeNodes seen_;  ///< the free nodes that the base sees: none except within choose_among()
  std::unique_ptr<LocalAllocator> base_;
};

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
