#pragma once
// How many nodes are free in a box of a machine: a summed-area table.

#include <array>
#include <cstdint>
#include <vector>

#include "alloc/free_nodes.hpp"

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

  void taken(std::span<const NodeId> nodes) override;
  void given_back(std::span<const NodeId> nodes) override;

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
  void for_each_corner(const Box& box, std::size_t d, std::ptrdiff_t offset, std::int32_t sign, Visit& visit) const;

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  std::array<Span, platforms::max_dimensions> spans_;
  std::vector<std::int32_t> sums_;   ///< free nodes below each place along all dimensions
  std::vector<std::int32_t> below_;  ///< room for count_along_line
  std::uint64_t changes_ = 0;
  std::int32_t first_stale_;  ///< lowest coordinate along the last dimension where something changed
};

}  // namespace toroid::alloc
