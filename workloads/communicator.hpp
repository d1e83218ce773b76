#pragma once
// Which ranks of the world a communicator has, in the order of their numbers in it.

#include <vector>

#include "core/assert.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads {

class Communicator {
 public:
  /// All ranks of a world of that size, in order.
  static Communicator all(std::int32_t ranks) { return strided(0, 1, ranks); }
  /// The ranks first, first + stride, ..., such as a row or column of a grid of ranks. Takes no memory per member. The
  /// stride is not 0.
  static Communicator strided(Rank first, std::int32_t stride, CommRank size);
  /// The given ranks, all different, in any order. Takes 4 bytes per member, 8 if they do not ascend.
  explicit Communicator(std::vector<Rank> members);

  CommRank size() const { return size_; }
  /// The world rank of a member.
  Rank member(CommRank number) const {
    TOROID_ASSERT_HEAVY(number >= 0 && number < size_);
    return members_.empty() ? Rank(first_.value() + stride_ * number) : members_[static_cast<std::size_t>(number)];
  }
  /// The position of a world rank among the members; no_process if it is none. Takes O(1) for strided members, else
  /// O(log size).
  CommRank rank_of(Rank rank) const;

 private:
  Communicator() = default;

  Rank first_ = 0;
  std::int32_t stride_ = 1;
  CommRank size_ = 0;
  std::vector<Rank> members_;      ///< empty: as first and stride say
  std::vector<CommRank> by_rank_;  ///< positions by ascending world rank; empty: the members ascend
};

}  // namespace toroid::workloads
