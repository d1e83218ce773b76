#pragma once
// Ranks on an n-D grid: rank = x + X*y + X*Y*z.

#include <functional>
#include <numeric>
#include <vector>

#include "workloads/operation.hpp"

namespace toroid::workloads {

class RankGrid {
 public:
  explicit RankGrid(std::vector<std::int32_t> extents) : extents_(std::move(extents)) {}

  std::size_t axes() const { return extents_.size(); }
  std::int32_t extent(std::size_t axis) const { return extents_[axis]; }
  std::int32_t size() const { return stride(axes()); }

  std::int32_t coordinate(Rank rank, std::size_t axis) const { return rank.value() / stride(axis) % extents_[axis]; }

  /// The rank that is `offset` places further along an axis; the offset is at most the axis' extent. A periodic axis
  /// wraps around. Returns no_process beyond the ends of an axis that is not periodic, and for the rank itself.
  CommRank neighbour(Rank rank, std::size_t axis, std::int32_t offset, bool periodic = false) const {
    const auto extent = extents_[axis], from = coordinate(rank, axis);
    auto to = from + offset;
    if (periodic) to = (to + extent) % extent;
    return to < 0 || to >= extent || to == from ? no_process : rank.value() + (to - from) * stride(axis);
  }

 private:
  /// The difference of the numbers of neighbours along an axis.
  std::int32_t stride(std::size_t axis) const {
    return std::accumulate(extents_.begin(), extents_.begin() + static_cast<std::ptrdiff_t>(axis), 1,
                           std::multiplies<>());
  }

  std::vector<std::int32_t> extents_;
};

}  // namespace toroid::workloads
