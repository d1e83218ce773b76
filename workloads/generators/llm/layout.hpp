#pragma once
// Which rank has which part of a model, and when: the axes of parallelism, in the order in which ranks are numbered
// along them, and the order in which a stage of a pipeline does the forward and backward passes of its micro-batches.

#include "toroid/workloads/trace.hpp"

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

/// A pass of one micro-batch through one chunk of a stage.
struct Pass {
  bool forward;
  std::int32_t chunk, micro_batch;
};

/// The passes of a pipeline: one forward, one backward, with the layers in one piece or, interleaved, in several
/// chunks. D. Narayanan et al., Efficient large-scale language model training on GPU clusters using Megatron-LM, SC
/// 2021, section 2.2.
class Pipeline {
 public:
  /// With several chunks the number of micro-batches must be a multiple of the number of stages.
  Pipeline(std::int32_t stages, std::int32_t chunks, std::int32_t micro_batches, bool forward_only = false)
      : stages_(stages), chunks_(chunks), micro_batches_(micro_batches), forward_only_(forward_only) {
    TOROID_ASSERT(chunks == 1 || micro_batches % stages == 0);
  }

  std::int32_t stages() const { return stages_; }
  std::int32_t chunks() const { return chunks_; }
  std::int32_t micro_batches() const { return micro_batches_; }
  bool forward_only() const { return forward_only_; }
  /// The number of passes of a stage, forward and backward.
  std::int32_t passes() const { return (forward_only_ ? 1 : 2) * micro_batches_ * chunks_; }
  /// The `number`-th pass (0, 1, ...) of a stage.
  Pass pass(std::int32_t stage, std::int32_t number) const;

 private:
  Pass nth(bool forward, std::int32_t number) const;

  std::int32_t stages_, chunks_, micro_batches_;
  bool forward_only_;
};

}  // namespace toroid::workloads::llm
