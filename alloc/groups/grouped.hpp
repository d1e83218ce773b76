#pragma once
// Allocators that narrow the choice of another one, and machines cut into blocks, which they may narrow it to.

#include "alloc/neighbours.hpp"

namespace toroid::alloc {

/// The key `base`, the allocator whose choice is narrowed.
inline const core::Parameter<MakeLocal> base_parameter{"base", "the allocator that chooses within a group of nodes",
                                                       allocator_in_parentheses(), "consecutive"};

/// An allocator that says in which groups of nodes a job is placed; another one, which sees nothing but a group at a
/// time, says which nodes of it.
class GroupedAllocator : public LocalAllocator {
 public:
  /// The arguments must have base_parameter.
  GroupedAllocator(const Site& site, const core::Arguments& arguments) : LocalAllocator(site), seen_(site.machine()) {
    Site narrowed{seen_};
    narrowed.seed = site.seed;
    base_ = arguments[base_parameter](narrowed);
    if (base_->uses_logged_nodes())
      core::fail_input(
          "the nodes that a job had in its log lie where they lie, in a group or not; expected a 'base' that "
          "chooses nodes, or as-logged alone");
    seen_.take(seen_.all());
  }

  bool uses_seed() const final { return base_->uses_seed(); }
  bool counting_suffices() const final { return base_->counting_suffices(); }

 protected:
  using Group = std::vector<NodeId>;

 private:
  /// Disjoint groups of free nodes, none empty, in the order in which a job uses them: it takes all nodes of each group
  /// before the last one that it needs.
  virtual std::vector<Group> groups(const Request& request) = 0;

  std::optional<Allocation> find(const Request& request) final {
    Allocation all;
    for (const auto& group : groups(request)) {
      const auto left = request.nodes - static_cast<std::int32_t>(all.size());
      if (left <= 0) break;
      const auto nodes = std::min(left, static_cast<std::int32_t>(group.size()));
      seen_.give_back(group);
      const auto chosen = base_->choose({.job = request.job, .nodes = nodes});
      seen_.take(group);
      if (!chosen) return std::nullopt;
      all.insert(all.end(), chosen->begin(), chosen->end());
    }
    if (static_cast<std::int32_t>(all.size()) < request.nodes) return std::nullopt;
    return all;
  }

  FreeNodes seen_;  ///< the free nodes that the base sees: none except while it is asked
  std::unique_ptr<LocalAllocator> base_;
};

/// The order of blocks: line by line along the first dimension, in one direction (row) or back and forth (snake).
enum class BlockOrder : std::uint8_t { row, snake };

/// A machine cut into boxes of routers of one size, in an order.
class BlockList final : public FreeView {
 public:
  /// The place of a block in the order, from 0.
  using Place = std::size_t;

  /// `box` is the number of routers of a block along each dimension; it must divide the machine's extents.
  BlockList(FreeNodes& free, const std::vector<std::int32_t>& box, BlockOrder order)
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

  std::size_t size() const { return nodes_.size(); }
  /// The compute nodes of a block.
  const std::vector<NodeId>& nodes(Place block) const { return nodes_[block]; }
  std::int32_t free(Place block) const { return free_[block]; }
  /// The number of cables from a block to each other block that it has cables to.
  const std::map<Place, std::int32_t>& cables(Place block) const { return cables_[block]; }

  void taken(std::span<const NodeId> nodes) override {
    for (const NodeId node : nodes) --free_[place(node)];
  }

  void given_back(std::span<const NodeId> nodes) override {
    for (const NodeId node : nodes) ++free_[place(node)];
  }

 private:
  /// The place in the order of the block that a router is in.
  static std::size_t place_of(const platforms::Grid& grid, const std::vector<std::int32_t>& box, BlockOrder order,
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

  Place place(NodeId node) const { return places_[machine_.router(node)]; }
  void count_cables() {
    const auto& grid = machine_.grid();
    for (const RouterId router : grid.routers())
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
        if (!grid.has_neighbour(router, d, true) || !are_joined(machine_, router, d, true)) continue;
        const Place here = places_[router], next = places_[grid.neighbour(router, d, true)];
        if (here == next) continue;
        ++cables_[here][next];
        ++cables_[next][here];
      }
  }

  const Machine& machine_;
  core::IdVector<RouterId, Place> places_;
  std::vector<std::vector<NodeId>> nodes_;
  std::vector<std::int32_t> free_;
  std::vector<std::map<Place, std::int32_t>> cables_;
};

}  // namespace toroid::alloc
