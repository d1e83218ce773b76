#pragma once
// Boxes of routers that are as large as a job, how many nodes are free in a box, and where boxes of free routers begin.

#include <bit>

#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {

/// A box of routers: per dimension its first coordinate and its length. It may lie over the end of a dimension that
/// wraps. Beyond the ends of one that does not, it may have places, but no routers.
struct Box {
  platforms::Coordinates first{}, length{};
  bool operator==(const Box&) const = default;
};

/// Widens a box by `radius` routers on all sides; a negative radius makes it smaller.
inline void widen(Box& box, std::size_t dimensions, std::int32_t radius) {
  for (std::size_t d = 0; d < dimensions; ++d) {
    box.first[d] -= radius;
    box.length[d] += 2 * radius;
  }
}

class FreeSums final : public FreeView {
 public:
  explicit FreeSums(FreeNodes& free);

  void taken(std::span<const NodeId> nodes) override { changed(nodes); }
  void given_back(std::span<const NodeId> nodes) override { changed(nodes); }

  /// A counter that grows with each change of what is free.
  std::uint64_t changes() const { return changes_; }
  /// The number of free nodes in a box, in O(2^dimensions), or O(3^dimensions) where the box lies over ends.
  std::int32_t count(const Box& box);
  /// Counts the free nodes in boxes of the same lengths that begin at first[0], first[0] + 1, ... along dimension 0,
  /// one box for each element of `counts`. Takes O(extent of dimension 0 + boxes) for each pair of bounds in the other
  /// dimensions.
  void count_along_line(const Box& box, std::span<std::int32_t> counts);

 private:
  struct Span {
    std::int32_t extent = 0;
    bool wraps = false;
    std::ptrdiff_t stride = 0;  ///< stride in the table, which has one more place along each dimension
  };
  /// One of the at most three sums over the places below a coordinate whose combination is the sum over a range.
  struct Term {
    std::ptrdiff_t offset;
    std::int32_t sign;
  };
  struct Terms {
    std::array<Term, 3> all;
    std::size_t count = 0;
    void add(std::ptrdiff_t offset, std::int32_t sign) { all[count++] = {offset, sign}; }
  };

  void changed(std::span<const NodeId> nodes);
  void bring_up_to_date();
  template <std::size_t dimensions>
  std::int32_t count_in(const Box& box) const;
  std::int32_t count_in_pieces(const Box& box) const;
  Terms terms(std::size_t d, std::int32_t first, std::int32_t length) const;
  /// Calls visit(offset, sign) for each combination of terms, one of each dimension from d on.
  template <class Visit>
  void for_each_corner(const Box& box, std::size_t d, std::ptrdiff_t offset, std::int32_t sign, Visit& visit) const {
    if (d == dimensions_) return visit(offset, sign);
    const Terms these = terms(d, box.first[d], box.length[d]);
    for (std::size_t i = 0; i < these.count; ++i)
      for_each_corner(box, d + 1, offset + these.all[i].offset, sign * these.all[i].sign, visit);
  }

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  std::array<Span, platforms::max_dimensions> spans_;
  std::vector<std::int32_t> sums_;   ///< free nodes below each place along all dimensions
  std::vector<std::int32_t> below_;  ///< room for count_along_line
  std::uint64_t changes_ = 0;
  std::int32_t first_stale_;  ///< lowest coordinate along the last dimension where something changed
};

/// The sides of a box: routers along each dimension.
using Shape = platforms::Coordinates;

/// The key `rotate`, whether the job's shape may be turned.
extern const core::Parameter<bool> rotate_parameter;

/// The number of routers in a box of that shape, on a grid of `dimensions` dimensions.
std::int64_t volume(const Shape& shape, std::size_t dimensions);

/// The shape that a request asks for, in routers. A request for any shape gets the box with enough nodes whose sides
/// have the least sum; of several the smallest, then the one that is longest along the last dimensions. Where routers
/// have several nodes, the first side of a shape in nodes goes first along the nodes of a router. Throws InputError
/// when the request's shape has more dimensions than the machine.
Shape shape_of(const Request& request, const Machine& machine);

/// The different shapes that a shape becomes when it is turned, itself first, as far as they fit into the grid.
std::vector<Shape> orientations(const Shape& shape, const platforms::Grid& grid);

/// The routers on which all nodes are free, a bit for each. To find where free boxes begin, the set is eroded by the
/// box: along each dimension a bit stays set if all bits from it on, as many as the box is long, are set.
class FreeCorners final : public FreeView {
 public:
  explicit FreeCorners(FreeNodes& free);

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

  /// Calls visit(router) for the first router of each box of a shape in which all nodes are free, in ascending order,
  /// until it returns false. Takes O(log(longest side)) operations per word of 64 routers along dimension 0.
  template <class Visit>
  void for_each(const Shape& shape, Visit&& visit) {
    if (!find(shape)) return;
    for (std::size_t i = 0; i < corners_.size(); ++i)
      for (auto bits = corners_[i]; bits != 0; bits &= bits - 1) {
        const auto x = i % words_ * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        if (!visit(RouterId(static_cast<std::int32_t>(i / words_) * extent_ + static_cast<std::int32_t>(x)))) return;
      }
  }

 private:
  using Word = std::uint64_t;

  /// The bit of a router.
  struct Place {
    std::size_t word;
    Word bit;
  };
  bool is_free(RouterId router) const {
    return free_.free_on(router) == free_.machine().description().nodes_per_router;
  }
  bool find(const Shape& shape);
  void erode_lines(std::int32_t step);
  void erode_slices(std::size_t d, std::int32_t step);

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::int32_t extent_;  ///< extent of dimension 0
  std::size_t words_;    ///< words of a line along dimension 0
  core::IdVector<RouterId, Place> places_;
  std::vector<Word> routers_, corners_, before_;
};

}  // namespace toroid::alloc
