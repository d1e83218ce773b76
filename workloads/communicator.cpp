#include "toroid/workloads/trace.hpp"

#include <numeric>
#include <set>

namespace toroid::workloads {

Communicator Communicator::strided(Rank first, std::int32_t stride, CommRank size) {
  TOROID_ASSERT(stride != 0 && size >= 0);
  Communicator communicator;
  communicator.first_ = first;
  communicator.stride_ = stride;
  communicator.size_ = size;
  return communicator;
}

Communicator::Communicator(std::vector<Rank> members)
    : size_(static_cast<CommRank>(members.size())), members_(std::move(members)) {
  TOROID_ASSERT_HEAVY(std::set(members_.begin(), members_.end()).size() == members_.size());
  if (std::is_sorted(members_.begin(), members_.end())) return;
  by_rank_.resize(members_.size());
  std::iota(by_rank_.begin(), by_rank_.end(), 0);
  std::sort(by_rank_.begin(), by_rank_.end(), [&](CommRank a, CommRank b) { return member(a) < member(b); });
  TOROID_ASSERT_HEAVY(std::ranges::all_of(members_, [&](Rank rank) { return member(rank_of(rank)) == rank; }));
}

CommRank Communicator::rank_of(Rank rank) const {
  if (members_.empty()) {
    const auto steps = (rank.value() - first_.value()) / stride_;
    return steps >= 0 && steps < size_ && member(steps) == rank ? steps : no_process;
  }
  if (by_rank_.empty()) {
    const auto found = std::lower_bound(members_.begin(), members_.end(), rank);
    return found != members_.end() && *found == rank ? static_cast<CommRank>(found - members_.begin()) : no_process;
  }
  const auto found = std::lower_bound(by_rank_.begin(), by_rank_.end(), rank,
                                      [&](CommRank number, Rank wanted) { return member(number) < wanted; });
  return found != by_rank_.end() && member(*found) == rank ? *found : no_process;
}

}  // namespace toroid::workloads
