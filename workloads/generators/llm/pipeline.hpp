#pragma once
// The order in which a stage of a pipeline does the forward and backward passes of its micro-batches: one forward, one
// backward, with the layers in one piece or, interleaved, in several chunks. D. Narayanan et al., Efficient large-scale
// language model training on GPU clusters using Megatron-LM, SC 2021, section 2.2.

#include <cstdint>

namespace toroid::workloads::llm {

/// A pass of one micro-batch through one chunk of a stage.
struct Pass {
  bool forward;
  std::int32_t chunk, micro_batch;
};

class Pipeline {
 public:
  /// With several chunks the number of micro-batches must be a multiple of the number of stages.
  Pipeline(std::int32_t stages, std::int32_t chunks, std::int32_t micro_batches)
      : stages_(stages), chunks_(chunks), micro_batches_(micro_batches) {}

  std::int32_t stages() const { return stages_; }
  std::int32_t chunks() const { return chunks_; }
  std::int32_t micro_batches() const { return micro_batches_; }
  /// The number of passes of a stage, forward and backward.
  std::int32_t passes() const { return 2 * micro_batches_ * chunks_; }
  /// The `number`-th pass (0, 1, ...) of a stage.
  Pass pass(std::int32_t stage, std::int32_t number) const;

 private:
  Pass nth(bool forward, std::int32_t number) const;

  std::int32_t stages_, chunks_, micro_batches_;
};

}  // namespace toroid::workloads::llm
