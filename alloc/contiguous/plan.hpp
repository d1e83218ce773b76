#pragma once
// Free boxes of a machine, as they are and as they would be after some steps of a plan.

#include <optional>
#include <vector>

#include "alloc/allocator.hpp"
#include "alloc/geometry/free_corners.hpp"
#include "alloc/geometry/free_sums.hpp"
#include "alloc/geometry/shapes.hpp"

namespace toroid::alloc {

/// Follows the free nodes; what a plan takes is taken here only, until it is undone.
class Plan final : public FreeView {
 public:
  explicit Plan(FreeNodes& free);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// Boxes whose coordinates are those of the first and whole sides of the shape apart.
  struct Frames {
    platforms::Coordinates first;
    bool to_borders;  ///< and those at the borders of a mesh, where a step is shorter
  };
  /// The first of the boxes of a shape in which all nodes are free, by the number of its first router; of those at
  /// every router or only of the frames.
  std::optional<Box> first_free(const Shape& shape, const Frames* frames = nullptr);
  /// Of the boxes of a shape in which all nodes are free the one with the fewest free nodes around it, the first of
  /// several (best fit: Zhu 1992; what is beyond the end of a mesh is not free).
  std::optional<Box> tightest_free(const Shape& shape);
  /// Free nodes around a box.
  std::int32_t free_around(const Box& box);

  /// The first nodes of a box, `count` or all.
  Allocation nodes_in(const Box& box, std::size_t count) const;
  /// Takes them: appends them to the allocation.
  void take(const Box& box, std::size_t count, Allocation& allocation);
  /// What was taken since the last time is free again.
  void undo();

  const FreeNodes& nodes() const { return nodes_; }

 private:
  template <class Visit>
  void for_each_free(const Shape& shape, Visit&& visit);

  FreeNodes nodes_;
  FreeCorners corners_;
  std::optional<FreeSums> sums_;  ///< once asked for
  Allocation taken_;
  std::vector<Shape> none_free_;  ///< shapes for which there was no box since nodes came free last
};

}  // namespace toroid::alloc
