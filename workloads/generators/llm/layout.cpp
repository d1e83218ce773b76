#include "workloads/generators/llm/training.hpp"

#include <numeric>

namespace toroid::workloads::llm {

Layout::Layout(const std::array<std::int32_t, axis_count>& sizes, const std::vector<Axis>& order) : sizes_(sizes) {
  TOROID_ASSERT(order.size() == axis_count);
  std::int32_t stride = 1;
  for (const auto axis : order) {
    strides_[index(axis)] = stride;
    stride *= size(axis);
  }
}

std::int32_t Layout::ranks() const {
  return std::accumulate(sizes_.begin(), sizes_.end(), 1, std::multiplies<>());
}

Communicator Layout::group(Rank rank, const std::vector<Axis>& axes) const {
  for (const auto axis : axes) rank = with(rank, axis, 0);
  std::vector<Rank> members{rank};
  for (const auto axis : axes) {
    const auto so_far = members;
    for (std::int32_t place = 1; place < size(axis); ++place)
      for (const auto member : so_far) members.push_back(with(member, axis, place));
  }
  // A group at even distances needs no list.
  const auto stride = members.size() > 1 ? members[1].value() - members[0].value() : 1;
  for (std::size_t i = 1; i < members.size(); ++i)
    if (members[i].value() - members[i - 1].value() != stride) return Communicator(std::move(members));
  return Communicator::strided(rank, stride, static_cast<CommRank>(members.size()));
}

Pass Pipeline::pass(std::int32_t stage, std::int32_t number) const {
  if (forward_only_) return nth(true, number);
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
