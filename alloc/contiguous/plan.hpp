#pragma once
// Free boxes of a machine, as they are and as they would be after some steps of a plan.

#include <optional>
#include <vector>

#include "alloc/allocator.hpp"
#include "alloc/geometry/boxes.hpp"

namespace toroid::alloc {

/// The free nodes of a machine, and those that are left after the steps of a plan: these take nodes here alone, until
/// undo().
class Plan final : public FreeView {
 public:
  explicit Plan(FreeNodes& free);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// Restricts boxes to those whose coordinates differ from `first` by multiples of the shape's sides.
  struct Frames {
    platforms::Coordinates first;
    bool to_borders;  ///< whether boxes at the borders of a mesh are allowed, too, where the last step is shorter
  };
  /// The first box of a shape in which all nodes are free, by the number of its first router; nothing if there is none.
  /// If `frames` are given, only their boxes count.
  std::optional<Box> first_free(const Shape& shape, const Frames* frames = nullptr);
  /// The box of a shape in which all nodes are free and that has the fewest free nodes around it, the first of several
  /// (best fit: Zhu 1992; there are no free nodes beyond the end of a mesh); nothing if there is none.
  std::optional<Box> tightest_free(const Shape& shape);
  /// The number of free nodes next to a box.
  std::int32_t free_around(const Box& box);

  /// The first `count` nodes of a box, or all if it has less.
  Allocation nodes_in(const Box& box, std::size_t count) const;
  /// Takes the first `count` nodes of a box, and appends them to the allocation.
  void take(const Box& box, std::size_t count, Allocation& allocation);
  /// Frees all nodes that take() has taken since the last undo().
  void undo();

  const FreeNodes& nodes() const { return nodes_; }

 private:
  template <class Visit>
  void for_each_free(const Shape& shape, Visit&& visit);

  FreeNodes nodes_;
  FreeCorners corners_;
  std::optional<FreeSums> sums_;  ///< none until they are needed
  Allocation taken_;
  std::vector<Shape> none_free_;  ///< shapes for which no box was found since nodes last became free
};

}  // namespace toroid::alloc
