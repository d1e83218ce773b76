#include "workloads/generators/llm/layout.hpp"

#include <functional>
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

}  // namespace toroid::workloads::llm
