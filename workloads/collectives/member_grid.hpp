#pragma once
// The members of a communicator as a torus, for algorithms whose messages go to neighbours along its axes. Workloads
// know no machine: who places the ranks says which members stand where (CollectiveCall::grid). An all-gather along the
// axes is cut into parts that take the axes in different orders, so that the links of all axes are busy all the time.

#include <algorithm>
#include <limits>

#include "toroid/workloads/operation.hpp"

namespace toroid::workloads {

/// The rings along one axis of a grid of members, which all go round at the same time.
struct RingAxis {
  CommRank extent = 1;   ///< members of a ring
  double cost = 1;       ///< seconds in the busiest link for a byte that goes round, or a multiple that all axes share
  bool one_way = false;  ///< rings go forward alone; otherwise half of the bytes goes each way
  bool operator==(const RingAxis&) const = default;

  /// Rounds until what a member has has come to all others of its ring. A pair is the same both ways.
  CommRank reach() const { return goes_one_way() ? extent - 1 : extent / 2; }
  bool goes_one_way() const { return one_way || extent == 2; }
  /// Rounds until what is so many steps away, from 0 up to the extent, has come.
  CommRank rounds(CommRank steps) const { return goes_one_way() ? steps : std::min(steps, extent - steps); }
  /// Whether what goes so many steps is half a block, as the other half comes the other way.
  bool is_opposite(CommRank steps) const { return !goes_one_way() && 2 * steps == extent; }
  /// Seconds of an all-to-all for each byte that a member has for all others together: its bundles for a ring of n go
  /// n (n - 1) / 2 steps in all, or n^2 / 4, rounded down, where they go the shorter way.
  double exchange_cost() const {
    const auto n = std::int64_t{extent};
    return static_cast<double>(goes_one_way() ? n * (n - 1) / 2 : n * n / 4) / static_cast<double>(n) * cost;
  }
};

/// A part of the data, and the axes in the order in which its blocks go along them.
struct RingPart {
  std::vector<std::size_t> axes;
  double first, last;  ///< where it begins and ends in the data, from 0 to 1
};

/// What each member sends to its neighbour along an axis in a round of an all-gather.
struct RingMessage {
  CommRank round;             ///< its number, from 1 on
  std::size_t part;           ///< the number of its part
  std::size_t turn;           ///< the number of its axis among the part's, in their order
  CommRank way;               ///< 1 or -1
  std::uint64_t first, last;  ///< half blocks that a member has before and after, its own ones among them
};

struct RingParts {
  std::vector<RingPart> parts;
  /// Messages by round; each lane goes on by itself, when its own messages of a round have come.
  std::vector<std::vector<RingMessage>> lanes;
  /// The rounds after which all parts, which are in one lane, change their axes together. 0: each part has a lane, and
  /// each block goes on along the next axis as soon as it has come.
  CommRank rounds_in_step = 0;
  double cost = 0;           ///< gather_cost() by the costs of the axes for which the parts were made
  std::size_t messages = 0;  ///< messages that a member sends, and as many that come to it
  double least_bytes = 0;    ///< bytes of the result from which on parts of fewer messages are later
};

/// Seconds that the parts take beside each other for each byte of an all-gather's result, if the rings along the axes
/// cost that, and a member's messages over a link go one after another, as nodes send unless they are told otherwise.
double gather_cost(const RingParts& parts, const std::vector<RingAxis>& rings);

/// Equal parts in step, where each begins with an axis of its own; and parts that go on by themselves, if their
/// gather_cost() is clearly less. A linear program over the orders of axes finds the shares that keep the busiest axis
/// busy for as short as can be. Each part goes in 2, 4 or 8 pieces, which are parts of one order, where that is clearly
/// less still. A part that has come along axes of n members in all, and goes along one of k members now, brings
/// n (k - 1) blocks to each member. Where a message takes its members' cores so many seconds besides, parts of fewer
/// messages are sooner for shorter results: all that are best for some length are returned, by rising least_bytes.
std::vector<RingParts> ring_parts(const std::vector<RingAxis>& axes, double message_seconds = 0);

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
  /// A message takes so many seconds of cores and cards, at both ends together; the rings' costs are in seconds, too.
  void set_rings(std::vector<RingAxis> rings, double message_seconds = 0);
  /// Bytes of a vector from which on rings are sooner than few rounds: 16 KiB, unless somebody has set it.
  double rings_from(OpKind kind) const { return kind == OpKind::allreduce ? sums_from_ : rings_from_; }
  void set_rings_from(double bytes, double bytes_of_allreduce) {
    rings_from_ = bytes;
    sums_from_ = bytes_of_allreduce;
  }
  /// How an all-gather whose result has so many bytes is cut into parts for these rings.
  const RingParts& parts(double bytes = std::numeric_limits<double>::infinity()) const {
    return *std::find_if(parts_.rbegin(), parts_.rend(), [&](const auto& parts) { return parts.least_bytes <= bytes; });
  }
  CommRank size() const { return size_; }
  /// Whether the members stand in a grid of the machine; otherwise their one ring goes wherever they stand.
  bool is_grid() const { return size_ == 1 || !members_.empty(); }
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
  std::vector<RingParts> parts_;
  double rings_from_ = 16384, sums_from_ = 16384;
  std::vector<CommRank> members_, places_;  ///< the members by place, and the places by member; empty: they are alike
};

}  // namespace toroid::workloads
