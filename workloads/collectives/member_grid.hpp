#pragma once
// The members of a communicator as a torus, for algorithms whose messages go to neighbours along its axes. Workloads
// know no machine: who places the ranks says which members stand where (CollectiveCall::grid).

#include <string>
#include <vector>

#include "workloads/collectives/ring_parts.hpp"
#include "workloads/operation.hpp"

namespace toroid::workloads {

/// Places are numbered, the first axis fastest; each axis is a ring.
class MemberGrid {
 public:
  /// One ring of all members, in the order of their numbers. Takes no memory per member.
  static MemberGrid ring(CommRank size);
  /// `members` has the member at each place; the extents, each 2 or more, multiply to their number.
  MemberGrid(std::vector<CommRank> extents, std::vector<CommRank> members);

  /// How many axes there are: none for a single member.
  std::size_t axes() const { return extents_.size(); }
  CommRank extent(std::size_t axis) const { return extents_[axis]; }
  const std::vector<CommRank>& extents() const { return extents_; }
  /// The rings along the axes: of one cost, and both ways round, unless somebody has set them.
  const std::vector<RingAxis>& rings() const { return rings_; }
  void set_rings(std::vector<RingAxis> rings);
  /// How an all-gather is cut into parts for these rings.
  const RingParts& parts() const { return parts_; }
  CommRank size() const { return size_; }
  /// `4x4`.
  std::string text() const;

  CommRank member(CommRank place) const { return members_.empty() ? place : members_[static_cast<std::size_t>(place)]; }
  CommRank place(CommRank member) const { return places_.empty() ? member : places_[static_cast<std::size_t>(member)]; }
  CommRank coordinate(CommRank place, std::size_t axis) const { return place / strides_[axis] % extents_[axis]; }
  /// The place `steps` further along the ring of an axis; steps are more than -extent and less than extent.
  CommRank along(CommRank place, std::size_t axis, CommRank steps) const {
    const auto at = coordinate(place, axis), extent = extents_[axis];
    return place + ((at + steps + extent) % extent - at) * strides_[axis];
  }

 private:
  explicit MemberGrid(std::vector<CommRank> extents);

  CommRank size_ = 1;
  std::vector<CommRank> extents_, strides_;
  std::vector<RingAxis> rings_;
  RingParts parts_;
  std::vector<CommRank> members_, places_;  ///< by place, and by member; empty: they are alike
};

}  // namespace toroid::workloads
