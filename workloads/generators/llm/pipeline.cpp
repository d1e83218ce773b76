#include "workloads/generators/llm/pipeline.hpp"

#include <algorithm>

namespace toroid::workloads::llm {

Pass Pipeline::pass(std::int32_t stage, std::int32_t number) const {
  const auto forwards = micro_batches_ * chunks_;
  // So many forward passes come before the first backward pass.
  const auto ahead = chunks_ == 1 ? stages_ - stage - 1 : 2 * (stages_ - stage - 1) + (chunks_ - 1) * stages_;
  const auto first = std::min(ahead, forwards);
  if (number < first) return nth(true, number);
  const auto since = number - first;
  if (since < 2 * (forwards - first)) return since % 2 == 0 ? nth(true, first + since / 2) : nth(false, since / 2);
  return nth(false, number - forwards);
}

/// As many micro-batches as there are stages go through one chunk, then through the next. Back, the last chunk is
/// first.
Pass Pipeline::nth(bool forward, std::int32_t number) const {
  if (chunks_ == 1) return {forward, 0, number};
  const auto round = stages_ * chunks_;
  const auto chunk = number % round / stages_;
  return {forward, forward ? chunk : chunks_ - 1 - chunk, number / round * stages_ + number % stages_};
}

}  // namespace toroid::workloads::llm
