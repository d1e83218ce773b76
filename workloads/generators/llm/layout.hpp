#pragma once
// Which rank has which part: the axes of parallelism, in the order in which ranks are numbered along them.

#include <array>
#include <string_view>
#include <vector>

#include "workloads/communicator.hpp"

namespace toroid::workloads::llm {

/// The axes along which a model and its data are divided: slices of matrices, parts of sequences, experts, copies,
/// replicas, stages of the pipeline. What is called data parallelism is experts times copies times replicas: copies sum
/// up gradients, or share the weights if these are sharded; replicas are further sets of such copies.
enum class Axis : std::size_t { tensor, context, expert, copy, replica, stage };
inline constexpr std::size_t axis_count = 6;

class Layout {
 public:
  /// `order` has all axes; successive ranks differ along its first one.
  Layout(const std::array<std::int32_t, axis_count>& sizes, const std::vector<Axis>& order);

  std::int32_t ranks() const;
  std::int32_t size(Axis axis) const { return sizes_[index(axis)]; }
  std::int32_t at(Rank rank, Axis axis) const { return rank.value() / strides_[index(axis)] % size(axis); }
  /// The rank that has another place along one axis.
  Rank with(Rank rank, Axis axis, std::int32_t place) const {
    return Rank(rank.value() + (place - at(rank, axis)) * strides_[index(axis)]);
  }
  /// The ranks that differ from `rank` along these axes alone, in order along the first, then the second, ...
  Communicator group(Rank rank, const std::vector<Axis>& axes) const;

 private:
  static std::size_t index(Axis axis) { return static_cast<std::size_t>(axis); }

  std::array<std::int32_t, axis_count> sizes_, strides_{};
};

}  // namespace toroid::workloads::llm
