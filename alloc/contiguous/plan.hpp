#pragma once
// Free boxes of a machine, as they are and as they would be after some steps of a plan.

#include "alloc/geometry/boxes.hpp"

namespace toroid::alloc {

/// The free nodes of a machine, and those that are left after the steps of a plan: these take nodes here alone, until
/// undo().
class Plan final : public FreeView {
 public:
  explicit Plan(FreeNodes& free) : FreeView(free), nodes_(free.machine()), corners_(nodes_) {
    for (const NodeId node : free.machine().compute_nodes())
      if (!free.is_free(node)) nodes_.take({&node, 1});
  }

  void taken(std::span<const NodeId> nodes) override { nodes_.take(nodes); }

  void given_back(std::span<const NodeId> nodes) override {
    none_free_.clear();
    nodes_.give_back(nodes);
  }

  /// Restricts boxes to those whose coordinates differ from `first` by multiples of the shape's sides.
  struct Frames {
    platforms::Coordinates first;
    bool to_borders;  ///< whether boxes at the borders of a mesh are allowed, too, where the last step is shorter
  };
  /// The first box of a shape in which all nodes are free, by the number of its first router; nothing if there is none.
  /// If `frames` are given, only their boxes count.
  std::optional<Box> first_free(const Shape& shape, const Frames* frames = nullptr) {
    const auto& grid = nodes_.machine().grid();
    const auto is_frame = [&](const Box& box, std::size_t d) {
      const auto& dimension = grid.dimension(d);
      const std::int32_t at = box.first[d];
      const bool is_at_border =
          dimension.wrap == platforms::Wrap::mesh && (at == 0 || at + shape[d] == dimension.extent);
      return (at - frames->first[d]) % shape[d] == 0 || (frames->to_borders && is_at_border);
    };
    std::optional<Box> found;
    for_each_free(shape, [&](const Box& box) {
      bool is_candidate = true;
      for (std::size_t d = 0; frames != nullptr && d < grid.dimension_count(); ++d) is_candidate &= is_frame(box, d);
      if (is_candidate) found = box;
      return !found;
    });
    return found;
  }

  /// The box of a shape in which all nodes are free and that has the fewest free nodes around it, the first of several
  /// (best fit: Zhu 1992; there are no free nodes beyond the end of a mesh); nothing if there is none.
  std::optional<Box> tightest_free(const Shape& shape) {
    std::optional<Box> found;
    std::int32_t least = 0;
    for_each_free(shape, [&](const Box& box) {
      const std::int32_t around = free_around(box);
      if (!found || around < least) {
        found = box;
        least = around;
      }
      return true;
    });
    return found;
  }

  /// The number of free nodes next to a box.
  std::int32_t free_around(const Box& box) {
    Box with_neighbours = box;
    widen(with_neighbours, nodes_.machine().grid().dimension_count(), 1);
    if (!sums_) sums_.emplace(nodes_);
    return sums_->count(with_neighbours) - sums_->count(box);
  }

  /// The first `count` nodes of a box, or all if it has less.
  Allocation nodes_in(const Box& box, std::size_t count) const {
    const Machine& machine = nodes_.machine();
    const auto& grid = machine.grid();
    Allocation nodes;
    platforms::Coordinates at{};
    for (bool more = true; more;) {
      platforms::Coordinates place{};
      for (std::size_t d = 0; d < grid.dimension_count(); ++d)
        place[d] = (box.first[d] + at[d]) % grid.dimension(d).extent;
      for (const NodeId node : machine.nodes_on(grid.router_at(place)))
        if (nodes.size() < count) nodes.push_back(node);
      more = false;
      for (std::size_t d = 0; d < grid.dimension_count() && !more; ++d) {
        more = ++at[d] < box.length[d];
        if (!more) at[d] = 0;
      }
    }
    return nodes;
  }

  /// Takes the first `count` nodes of a box, and appends them to the allocation.
  void take(const Box& box, std::size_t count, Allocation& allocation) {
    const auto nodes = nodes_in(box, count);
    allocation.insert(allocation.end(), nodes.begin(), nodes.end());
    nodes_.take(nodes);
    taken_.insert(taken_.end(), nodes.begin(), nodes.end());
  }

  /// Frees all nodes that take() has taken since the last undo().
  void undo() {
    if (taken_.empty()) return;
    given_back(taken_);
    taken_.clear();
  }

  const FreeNodes& nodes() const { return nodes_; }

 private:
  /// Calls visit(box) for the free boxes of a shape in order until it returns false.
  template <class Visit>
  void for_each_free(const Shape& shape, Visit&& visit) {
    const Machine& machine = nodes_.machine();
    const auto& grid = machine.grid();
    const auto all = volume(shape, grid.dimension_count()) * machine.description().nodes_per_router;
    if (all > nodes_.count()) return;
    // Where a queue waits for boxes it is asked for the same few shapes all the time.
    if (std::ranges::find(none_free_, shape) != none_free_.end()) return;
    bool is_none = true;
    corners_.for_each(shape, [&](RouterId first) {
      is_none = false;
      return visit(Box{grid.coordinates(first), shape});
    });
    if (is_none) none_free_.push_back(shape);
  }

  FreeNodes nodes_;
  FreeCorners corners_;
  std::optional<FreeSums> sums_;  ///< none until they are needed
  Allocation taken_;
  std::vector<Shape> none_free_;  ///< shapes for which no box was found since nodes last became free
};

}  // namespace toroid::alloc
