#pragma once
// How many nodes are free in a box of a machine: a summed-area table.

#include <array>
#include <cstdint>
#include <vector>

#include "alloc/free_nodes.hpp"

namespace toroid::alloc {

/// A box of routers: per dimension the first coordinate and how many there are. It may lie over the end of a dimension
/// that wraps, and beyond the ends of one that does not, where there is nothing.
struct Box {
  platforms::Coordinates first{}, length{};
  bool operator==(const Box&) const = default;
};

/// Gives a box `radius` routers more on all sides, or fewer.
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

  /// Goes up with each change of what is free.
  std::uint64_t changes() const { return changes_; }
  /// Free nodes in a box, in O(2^dimensions), 3^dimensions where it lies over ends.
  std::int32_t count(const Box& box);
  /// Free nodes in the boxes of the same lengths that begin at first[0], first[0] + 1, ... along dimension 0, one for
  /// each of `counts`. O(extent of dimension 0 + boxes) for each pair of bounds in the other dimensions.
  void count_along_line(const Box& box, std::span<std::int32_t> counts);

 private:
  struct Span {
    std::int32_t extent = 0;
    bool wraps = false;
    std::ptrdiff_t stride = 0;  ///< in the table, which has one more place along each dimension
  };
  /// Sums over the places before some coordinates of a dimension, of which a range of it is made: at most three.
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
  /// Calls visit(offset, sign) for each combination of a term of each of the dimensions from d on.
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
