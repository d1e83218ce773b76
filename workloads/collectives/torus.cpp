// What torus machines do: messages go to neighbours alone, along all axes of the members' grid and both ways round each
// at once ("bucket" algorithms). The data is cut into parts that take the axes in different orders. Each part is a
// lane: it waits for its own messages alone, whatever the others do.

#include <cmath>

#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {
namespace {

/// The grid as the calling rank sees it.
class View {
 public:
  explicit View(const CollectiveCall& call)
      : ring_(call.grid == nullptr ? MemberGrid::ring(call.size) : MemberGrid::ring(1)),
        grid_(call.grid == nullptr ? &ring_ : call.grid),
        me_(grid_->place(call.me)) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  const MemberGrid& grid() const { return *grid_; }
  std::size_t axes() const { return grid_->axes(); }
  const RingAxis& ring(std::size_t axis) const { return grid_->rings()[axis]; }
  CommRank extent(std::size_t axis) const { return grid_->extent(axis); }
  CommRank me() const { return me_; }
  /// The number of the member that is so many steps further along an axis.
  CommRank peer(std::size_t axis, CommRank steps) const { return grid_->member(grid_->along(me_, axis, steps)); }

 private:
  MemberGrid ring_;
  const MemberGrid* grid_;
  CommRank me_;
};

/// Bytes between two places of a vector, which are given from 0 to 1.
std::uint64_t between(std::uint64_t bytes, double first, double last) {
  const auto up_to = [&](double place) {
    return static_cast<std::uint64_t>(std::round(static_cast<long double>(bytes) * place));
  };
  TOROID_ASSERT(0 <= first && first <= last && last <= 1);
  return up_to(last) - up_to(first);
}
std::uint64_t half(std::uint64_t bytes, std::size_t which) {
  return cut_bytes(bytes, 2, static_cast<CommRank>(which), static_cast<CommRank>(which) + 1);
}

/// How the vector of a call is cut into parts.
const RingParts& parts_of(const CollectiveCall& call, const MemberGrid& grid) {
  return grid.parts(static_cast<double>(vector_bytes(call)));
}

/// A part of a gathering of blocks along the axes, which backwards is a part of a scattering of sums. Where the
/// links of an axis go forward alone, the blocks of that gathering go back, so that the sums go forward.
class Gathering {
 public:
  explicit Gathering(const CollectiveCall& call, bool is_backwards = false)
      : call_(call), view_(call), parts_(parts_of(call, view_.grid())), is_backwards_(is_backwards) {}

  const View& view() const { return view_; }
  const std::vector<RingMessage>& messages() const {
    TOROID_ASSERT(std::cmp_less(call_.lane, parts_.lanes.size()));
    return parts_.lanes[static_cast<std::size_t>(call_.lane)];
  }
  std::size_t axis(const RingMessage& message) const { return parts_.parts[message.part].axes[message.turn]; }
  /// The way that a message of the gathering goes along its axis.
  CommRank way(const RingMessage& message) const { return message.way * forward(axis(message)); }

  /// What the member at a place sends.
  std::uint64_t bytes(const RingMessage& message, CommRank from) const {
    if (!call_.recv_counts.empty()) return bytes_of_blocks(message, from);
    const auto size = static_cast<std::uint64_t>(call_.size);
    const auto all = share(message.part, call_.bytes) * (call_.kind == OpKind::allreduce ? 1 : size);
    const auto up_to = [&](std::uint64_t halves) {
      return static_cast<std::uint64_t>(static_cast<__uint128_t>(all) * halves / (2 * size));
    };
    return up_to(message.last) - up_to(message.first);
  }

 private:
  std::uint64_t share(std::size_t part, std::uint64_t bytes) const {
    return between(bytes, parts_.parts[part].first, parts_.parts[part].last);
  }

  std::uint64_t bytes_of_blocks(const RingMessage& message, CommRank from) const {
    const auto& ring = view_.ring(axis(message));
    std::uint64_t sum = 0;
    for (CommRank steps = 1; steps <= std::min(ring.reach(), message.round); ++steps) {
      const auto origin = view_.grid().along(from, axis(message), way(message) * (1 - steps));
      const auto blocks = come(message.part, origin, message.turn, message.round - steps);
      sum += ring.is_opposite(steps) ? half(blocks, message.way > 0 ? 0 : 1) : blocks;
    }
    return sum;
  }

  /// The part's bytes of all blocks that come to a place along the first axes in so many rounds.
  std::uint64_t come(std::size_t part, CommRank place, std::size_t turns, CommRank rounds) const {
    if (turns == 0) return rounds == 0 ? share(part, block_of(call_, view_.grid().member(place))) : 0;
    const auto axis = parts_.parts[part].axes[turns - 1];
    const auto& ring = view_.ring(axis);
    std::uint64_t sum = 0;
    for (CommRank steps = 0; steps < ring.extent; ++steps) {
      const auto taken = parts_.rounds_in_step > 0 ? parts_.rounds_in_step : ring.rounds(steps);
      if (taken <= rounds)
        sum += come(part, view_.grid().along(place, axis, -steps * forward(axis)), turns - 1, rounds - taken);
    }
    return sum;
  }

  CommRank forward(std::size_t axis) const { return is_backwards_ && view_.ring(axis).one_way ? -1 : 1; }

  CollectiveCall call_;
  View view_;
  const RingParts& parts_;
  bool is_backwards_;
};

CommRank gathering_lanes(const CollectiveCall& call) {
  return call.grid == nullptr ? 1 : static_cast<CommRank>(parts_of(call, *call.grid).lanes.size());
}
CommRank lane_for_each_axis(const CollectiveCall& call) {
  return call.grid == nullptr ? 1 : std::max(static_cast<CommRank>(call.grid->axes()), 1);
}

Schedule allgather_rings(CollectiveCall call) {  // also allgatherv
  const Gathering gathering(call);
  const auto& view = gathering.view();
  const auto& all = gathering.messages();
  for (std::size_t first = 0, last = 0; first < all.size(); first = last) {
    while (last < all.size() && all[last].round == all[first].round) ++last;
    for (auto i = first; i < last; ++i) co_yield receive(view.peer(gathering.axis(all[i]), -all[i].way));
    for (auto i = first; i < last; ++i)
      co_yield send(view.peer(gathering.axis(all[i]), all[i].way), gathering.bytes(all[i], view.me()));
    co_yield wait();
  }
}

/// Sums of blocks come together on the ways on which an all-gather spreads these.
Schedule reduce_scatter_rings(CollectiveCall call) {
  const Gathering gathering(call, true);
  const auto& view = gathering.view();
  const auto& all = gathering.messages();
  for (std::size_t first = all.size(), last = all.size(); last > 0; last = first) {
    while (first > 0 && all[first - 1].round == all[last - 1].round) --first;
    for (auto i = first; i < last; ++i) co_yield receive(view.peer(gathering.axis(all[i]), gathering.way(all[i])));
    for (auto i = first; i < last; ++i) {
      const auto behind = view.grid().along(view.me(), gathering.axis(all[i]), -gathering.way(all[i]));
      co_yield send(view.grid().member(behind), gathering.bytes(all[i], behind));
    }
    co_yield wait();
    for (auto i = first; i < last; ++i) co_yield summed(gathering.bytes(all[i], view.me()));
  }
}

Schedule allreduce_rings(CollectiveCall call) {
  auto scatter = reduce_scatter_rings(call);
  while (const auto step = scatter.next()) co_yield *step;
  auto gather = allgather_rings(call);
  while (const auto step = gather.next()) co_yield *step;
}

/// Along each axis in turn, blocks go to the member that has their destination's coordinate, in bundles that neighbours
/// hand on; those for the member opposite go half each way. Each part begins with an axis of its own, and all change
/// their axes together: the longest axis, which decides how long an all-to-all takes, is then busy all the time.
Schedule alltoall_rings(CollectiveCall call) {
  const View view(call);
  const auto parts = static_cast<CommRank>(view.axes());
  CommRank rounds = 0;
  for (const auto& ring : view.grid().rings()) rounds = std::max(rounds, ring.reach());
  for (CommRank phase = 0; phase < parts; ++phase) {
    for (CommRank r = 1; r <= rounds; ++r) {
      std::vector<std::pair<CommRank, std::uint64_t>> sent;
      for (CommRank part = 0; part < parts; ++part) {
        const auto axis = static_cast<std::size_t>((part + phase) % parts);
        const auto& ring = view.ring(axis);
        if (r > ring.reach()) continue;
        const auto extent = ring.extent;
        const auto bundle =
            cut_bytes(call.bytes, parts, part, part + 1) * static_cast<std::uint64_t>(call.size / extent);
        // The bundles for members that are r or more steps away.
        const auto further = static_cast<std::uint64_t>(ring.goes_one_way() ? extent - r : (extent - 1) / 2 - r + 1);
        const auto one_way = [&](std::size_t side) {
          return further * bundle + (ring.is_opposite(extent / 2) ? half(bundle, side) : 0);
        };
        sent.emplace_back(view.peer(axis, 1), one_way(0));
        co_yield receive(view.peer(axis, -1));
        if (ring.goes_one_way()) continue;
        sent.emplace_back(view.peer(axis, -1), one_way(1));
        co_yield receive(view.peer(axis, 1));
      }
      for (const auto& [peer, bytes] : sent) co_yield send(peer, bytes);
      co_yield wait();
    }
  }
}

std::size_t longest_axis(const View& view) {
  const auto& extents = view.grid().extents();
  return static_cast<std::size_t>(std::ranges::max_element(extents) - extents.begin());
}

/// Into how many segments a two-phase all-to-all cuts its messages: by the bytes of one in the second phase.
CommRank segments_of_phases(const CollectiveCall& call, CommRank longest) {
  constexpr std::uint64_t segment = 512;
  constexpr CommRank most_segments = 16;
  if (longest == call.size) return 1;  // a ring, which has no second phase
  const auto bytes = call.bytes * static_cast<std::uint64_t>(longest);
  if (call.tuning.segment > 0) return segments_of(bytes, call.tuning.segment);
  return std::min(segments_of(bytes, segment), most_segments);
}

/// Two lanes take segments in turn: while one waits for its messages, those of the other keep the links busy.
CommRank lanes_of_phases(const CollectiveCall& call) {
  const View view(call);
  return view.axes() == 0 ? 1 : std::min(segments_of_phases(call, view.extent(longest_axis(view))), 2);
}

/// Kumar and others (ICS 2008), for the long dimension of Blue Gene/L: straight to the members with the destination's
/// coordinate along the longest axis, and from there straight to the destinations. Both go on at once, so that no links
/// stand idle: while a segment of all blocks goes along the axis, the one before it in this lane goes to the
/// destinations.
Schedule alltoall_two_phase(CollectiveCall call) {
  const View view(call);
  if (view.axes() == 0) co_return;
  const auto longest = longest_axis(view);
  const auto extent = view.extent(longest);
  std::vector<CommRank> others;  // the members to which the blocks go in the end
  const auto at = view.grid().coordinate(view.me(), longest);
  for (CommRank steps = 1; steps < call.size; ++steps) {
    const auto place = around(view.me(), steps, call.size);
    if (view.grid().coordinate(place, longest) == at) others.push_back(view.grid().member(place));
  }
  const auto along = call.bytes * static_cast<std::uint64_t>(call.size / extent);
  const auto on = call.bytes * static_cast<std::uint64_t>(extent);
  const auto segments = segments_of_phases(call, extent), lanes = lanes_of_phases(call);
  for (CommRank s = call.lane; s < segments + lanes; s += lanes) {
    const auto before = s - lanes;
    for (CommRank steps = 1; steps < extent && s < segments; ++steps) co_yield receive(view.peer(longest, -steps));
    for (std::size_t i = 0; i < others.size() && before >= 0; ++i) co_yield receive(others[i]);
    for (CommRank steps = 1; steps < extent && s < segments; ++steps)
      co_yield send(view.peer(longest, steps), cut_bytes(along, segments, s, s + 1));
    for (std::size_t i = 0; i < others.size() && before >= 0; ++i)
      co_yield send(others[i], cut_bytes(on, segments, before, before + 1));
    co_yield wait();
  }
}

/// A spanning tree along the axes, from that of a lane on: from the root both ways round the first, from all there both
/// ways round the second, and so on.
Tree tree_of(const View& view, std::size_t lane, CommRank root) {
  Tree tree;
  const auto axis_of = [&](std::size_t turn) { return (lane + turn) % view.axes(); };
  const auto steps_from_root = [&](std::size_t axis) {
    const auto& grid = view.grid();
    return around(grid.coordinate(view.me(), axis), -grid.coordinate(root, axis), view.extent(axis));
  };
  std::size_t reached = 0;  // the turn in which the message comes here
  for (std::size_t turn = 0; turn < view.axes(); ++turn)
    if (steps_from_root(axis_of(turn)) != 0) reached = turn + 1;
  for (auto turn = std::max<std::size_t>(reached, 1) - 1; turn < view.axes(); ++turn) {
    const auto axis = axis_of(turn);
    const auto& ring = view.ring(axis);
    const auto steps = steps_from_root(axis), far = ring.reach();
    if (steps != 0) tree.parent = view.peer(axis, steps <= far ? -1 : 1);
    if (steps < far) tree.children.push_back(view.peer(axis, 1));
    if (!ring.goes_one_way() && (steps == 0 || steps > far + 1)) tree.children.push_back(view.peer(axis, -1));
  }
  return tree;
}

/// Each lane's part of the message goes down a tree of its own, in segments.
Schedule bcast_trees(CollectiveCall call) {
  const View view(call);
  constexpr std::uint64_t segment = 65536, most_segments = 256;
  const auto bytes = cut_bytes(call.bytes, lane_for_each_axis(call), call.lane, call.lane + 1);
  const auto segments = static_cast<CommRank>(std::clamp<std::uint64_t>(bytes / segment, 1, most_segments));
  return down_the_tree(tree_of(view, static_cast<std::size_t>(call.lane), view.grid().place(call.root)), bytes,
                       segments);
}

}  // namespace

std::vector<CollectiveAlgorithm> torus_collectives() {
  const auto rings = "rings along all axes of the members' grid at once, both ways round";
  return {{OpKind::bcast, "trees", "a tree along the axes of the members' grid for each part", bcast_trees, true,
           lane_for_each_axis},
          {OpKind::allreduce, "rings", rings, allreduce_rings, true, gathering_lanes},
          {OpKind::allgather, "rings", rings, allgather_rings, true, gathering_lanes},
          {OpKind::allgatherv, "rings", rings, allgather_rings, true, gathering_lanes},
          {OpKind::alltoall, "rings", rings, alltoall_rings, true},
          {OpKind::alltoall, "two_phase", "along the longest axis of the members' grid, then straight on",
           alltoall_two_phase, true, lanes_of_phases, CollectiveAlgorithm::Takes::segment},
          {OpKind::reduce_scatter, "rings", rings, reduce_scatter_rings, true, gathering_lanes}};
}

}  // namespace toroid::workloads
