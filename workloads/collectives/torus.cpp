// What torus machines do: messages go to neighbours alone, along all axes of the members' grid and both ways round each
// at once ("bucket" algorithms). The data is cut into as many parts as there are axes, and part p takes the axes in
// the order p, p + 1, ..., so that no two parts use the same links at a time.

#include <algorithm>
#include <vector>

#include "workloads/collectives/blocks.hpp"
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
  CommRank extent(std::size_t axis) const { return grid_->extent(axis); }
  CommRank me() const { return me_; }
  /// Rounds until all rings have come round in a phase; they may be of several lengths.
  CommRank rounds() const { return axes() == 0 ? 0 : std::ranges::max(grid_->extents()) / 2; }
  /// The axis that a part takes in a phase.
  std::size_t axis(std::size_t part, std::size_t phase) const { return (part + phase) % axes(); }
  /// The number of the member that is so many steps further along an axis.
  CommRank peer(std::size_t axis, CommRank steps) const { return grid_->member(grid_->along(me_, axis, steps)); }

 private:
  MemberGrid ring_;
  const MemberGrid* grid_;
  CommRank me_;
};

std::uint64_t part_of(std::uint64_t bytes, std::size_t parts, std::size_t part) {
  return cut_bytes(bytes, static_cast<CommRank>(parts), static_cast<CommRank>(part), static_cast<CommRank>(part) + 1);
}
std::uint64_t half(std::uint64_t bytes, std::size_t which) {
  return part_of(bytes, 2, which);
}

/// What goes to a neighbour, and what comes from it.
struct Exchange {
  CommRank peer;
  std::uint64_t out, in;
};

/// A gathering of blocks along the axes in rounds, which backwards is a scattering of sums. What a member has gathered
/// goes round the next axis whole: in round r of a ring each passes on, both ways, what started r - 1 members before
/// it. The halves of what starts opposite come from both sides.
class Gathering {
 public:
  explicit Gathering(const CollectiveCall& call) : call_(call), view_(call) {}

  CommRank rounds() const { return static_cast<CommRank>(view_.axes()) * view_.rounds(); }

  std::vector<Exchange> round(CommRank round) const {
    const auto phase = static_cast<std::size_t>(round / view_.rounds());
    std::vector<Exchange> all;
    for (std::size_t part = 0; part < view_.axes(); ++part) add(part, phase, round % view_.rounds() + 1, all);
    return all;
  }

 private:
  void add(std::size_t part, std::size_t phase, CommRank r, std::vector<Exchange>& all) const {
    const auto axis = view_.axis(part, phase);
    const auto extent = view_.extent(axis);
    if (r > extent / 2) return;
    const auto block = [&](CommRank steps) { return held(part, phase, view_.grid().along(view_.me(), axis, steps)); };
    if (extent == 2) {
      all.push_back({view_.peer(axis, 1), block(0), block(1)});
      return;
    }
    const bool opposite = 2 * r == extent;
    const auto share = [&](CommRank steps, std::size_t side) {
      return opposite ? half(block(steps), side) : block(steps);
    };
    // What goes forward comes from behind.
    all.push_back({view_.peer(axis, 1), share(1 - r, 0), share(r, 1)});
    all.push_back({view_.peer(axis, -1), share(r - 1, 1), share(-r, 0)});
  }

  /// Bytes of a part that the member at a place has at the beginning of a phase.
  std::uint64_t held(std::size_t part, std::size_t phase, CommRank place) const {
    if (call_.kind == OpKind::allreduce) {  // the vector is cut along the last axis first
      auto bytes = part_of(call_.bytes, view_.axes(), part);
      for (auto k = view_.axes(); k > phase; --k) {
        const auto axis = view_.axis(part, k - 1);
        const auto at = view_.grid().coordinate(place, axis);
        bytes = cut_bytes(bytes, view_.extent(axis), at, at + 1);
      }
      return bytes;
    }
    std::uint64_t count = 1;
    for (std::size_t k = 0; k < phase; ++k) count *= static_cast<std::uint64_t>(view_.extent(view_.axis(part, k)));
    if (call_.recv_counts.empty()) return count * part_of(call_.bytes, view_.axes(), part);
    return sum_of_blocks(part, phase, place);
  }

  /// The blocks of all members that differ from a place along the axes of the phases before alone.
  std::uint64_t sum_of_blocks(std::size_t part, std::size_t phase, CommRank place) const {
    if (phase == 0) return part_of(block_of(call_, view_.grid().member(place)), view_.axes(), part);
    const auto axis = view_.axis(part, phase - 1);
    std::uint64_t sum = 0;
    for (CommRank steps = 0; steps < view_.extent(axis); ++steps)
      sum += sum_of_blocks(part, phase - 1, view_.grid().along(place, axis, steps));
    return sum;
  }

  CollectiveCall call_;
  View view_;
};

Schedule allgather_rings(CollectiveCall call) {  // also allgatherv
  const Gathering gathering(call);
  for (CommRank round = 0; round < gathering.rounds(); ++round) {
    const auto exchanges = gathering.round(round);
    for (const auto& with : exchanges) co_yield receive(with.peer);
    for (const auto& with : exchanges) co_yield send(with.peer, with.out);
    co_yield wait();
  }
}

/// Sums of blocks come together on the ways on which an all-gather spreads these.
Schedule reduce_scatter_rings(CollectiveCall call) {
  const Gathering gathering(call);
  for (CommRank round = gathering.rounds(); round-- > 0;) {
    const auto exchanges = gathering.round(round);
    for (const auto& with : exchanges) co_yield receive(with.peer);
    for (const auto& with : exchanges) co_yield send(with.peer, with.in);
    co_yield wait();
  }
}

Schedule allreduce_rings(CollectiveCall call) {
  auto scatter = reduce_scatter_rings(call);
  while (const auto step = scatter.next()) co_yield *step;
  auto gather = allgather_rings(call);
  while (const auto step = gather.next()) co_yield *step;
}

/// Along each axis in turn, blocks go to the member that has their destination's coordinate, in bundles that neighbours
/// hand on; those for the member opposite go half each way.
Schedule alltoall_rings(CollectiveCall call) {
  const View view(call);
  for (std::size_t phase = 0; phase < view.axes(); ++phase) {
    for (CommRank r = 1; r <= view.rounds(); ++r) {
      std::vector<Exchange> exchanges;
      for (std::size_t part = 0; part < view.axes(); ++part) {
        const auto axis = view.axis(part, phase);
        const auto extent = view.extent(axis);
        if (r > extent / 2) continue;
        const auto bundle = part_of(call.bytes, view.axes(), part) * static_cast<std::uint64_t>(call.size / extent);
        const auto whole = static_cast<std::uint64_t>((extent - 1) / 2 - r + 1) * bundle;  // for r or more steps
        const auto one_way = [&](std::size_t side) { return whole + (extent % 2 == 0 ? half(bundle, side) : 0); };
        if (extent == 2) {
          exchanges.push_back({view.peer(axis, 1), bundle, bundle});
        } else {
          exchanges.push_back({view.peer(axis, 1), one_way(0), one_way(1)});
          exchanges.push_back({view.peer(axis, -1), one_way(1), one_way(0)});
        }
      }
      for (const auto& with : exchanges) co_yield receive(with.peer);
      for (const auto& with : exchanges) co_yield send(with.peer, with.out);
      co_yield wait();
    }
  }
}

/// Kumar and others (ICS 2008), for the long dimension of Blue Gene/L: straight to the members with the destination's
/// coordinate along the longest axis, and from there straight to the destinations. Both go on at once, so that no links
/// stand idle: while a segment of all blocks goes along the axis, the one before it goes to the destinations.
Schedule alltoall_two_phase(CollectiveCall call) {
  const View view(call);
  if (view.axes() == 0) co_return;
  constexpr std::uint64_t segment = 512, most_segments = 16;
  std::size_t longest = 0;
  for (std::size_t axis = 0; axis < view.axes(); ++axis)
    if (view.extent(axis) > view.extent(longest)) longest = axis;
  const auto extent = view.extent(longest);
  std::vector<CommRank> others;  // that the blocks go to in the end
  const auto at = view.grid().coordinate(view.me(), longest);
  for (CommRank steps = 1; steps < call.size; ++steps) {
    const auto place = around(view.me(), steps, call.size);
    if (view.grid().coordinate(place, longest) == at) others.push_back(view.grid().member(place));
  }
  const auto along = call.bytes * static_cast<std::uint64_t>(call.size / extent);
  const auto on = call.bytes * static_cast<std::uint64_t>(extent);
  const auto segments =
      others.empty() ? 1 : static_cast<CommRank>(std::clamp<std::uint64_t>(on / segment, 1, most_segments));
  for (CommRank s = 0; s <= segments; ++s) {
    for (CommRank steps = 1; steps < extent && s < segments; ++steps) co_yield receive(view.peer(longest, -steps));
    for (std::size_t i = 0; i < others.size() && s > 0; ++i) co_yield receive(others[i]);
    for (CommRank steps = 1; steps < extent && s < segments; ++steps)
      co_yield send(view.peer(longest, steps), cut_bytes(along, segments, s, s + 1));
    for (std::size_t i = 0; i < others.size() && s > 0; ++i)
      co_yield send(others[i], cut_bytes(on, segments, s - 1, s));
    co_yield wait();
  }
}

/// A spanning tree along the axes in the order of a part: from the root both ways round the first, from all there both
/// ways round the second, and so on.
struct Branch {
  CommRank parent = no_process;
  std::vector<CommRank> children = {};
};

Branch branch_of(const View& view, std::size_t part, CommRank root) {
  Branch branch;
  const auto steps_from_root = [&](std::size_t axis) {
    const auto& grid = view.grid();
    return around(grid.coordinate(view.me(), axis), -grid.coordinate(root, axis), view.extent(axis));
  };
  std::size_t reached = 0;  // the phase in which the message comes here
  for (std::size_t phase = 0; phase < view.axes(); ++phase)
    if (steps_from_root(view.axis(part, phase)) != 0) reached = phase + 1;
  for (auto phase = std::max<std::size_t>(reached, 1) - 1; phase < view.axes(); ++phase) {
    const auto axis = view.axis(part, phase);
    const auto extent = view.extent(axis), steps = steps_from_root(axis), far = extent / 2;
    if (steps != 0) branch.parent = view.peer(axis, steps <= far ? -1 : 1);
    if (steps < far) branch.children.push_back(view.peer(axis, 1));
    if (steps == 0 ? extent > 2 : steps > far + 1) branch.children.push_back(view.peer(axis, -1));
  }
  return branch;
}

/// Each part of the message goes down a tree of its own, in segments: while one comes, that before it goes on.
Schedule bcast_trees(CollectiveCall call) {
  const View view(call);
  constexpr std::uint64_t segment = 65536, most_segments = 256;
  const auto root = view.grid().place(call.root);
  std::vector<Branch> branches;
  for (std::size_t part = 0; part < view.axes(); ++part) branches.push_back(branch_of(view, part, root));
  const auto parts = std::max<std::uint64_t>(view.axes(), 1);
  const auto segments =
      static_cast<CommRank>(std::clamp<std::uint64_t>(call.bytes / parts / segment, 1, most_segments));
  for (CommRank s = 0; s <= segments; ++s) {
    for (const auto& branch : branches)
      if (branch.parent != no_process && s < segments) co_yield receive(branch.parent);
    for (std::size_t part = 0; part < branches.size() && s > 0; ++part)
      for (const auto child : branches[part].children)
        co_yield send(child, cut_bytes(part_of(call.bytes, branches.size(), part), segments, s - 1, s));
    co_yield wait();
  }
}

}  // namespace

std::vector<CollectiveAlgorithm> torus_collectives() {
  const auto rings = "rings along all axes of the members' grid at once, both ways round";
  return {{OpKind::bcast, "trees", "a tree along the axes of the members' grid for each part", bcast_trees, true},
          {OpKind::allreduce, "rings", rings, allreduce_rings, true},
          {OpKind::allgather, "rings", rings, allgather_rings, true},
          {OpKind::allgatherv, "rings", rings, allgather_rings, true},
          {OpKind::alltoall, "rings", rings, alltoall_rings, true},
          {OpKind::alltoall, "two_phase", "along the longest axis of the members' grid, then straight on",
           alltoall_two_phase, true},
          {OpKind::reduce_scatter, "rings", rings, reduce_scatter_rings, true}};
}

}  // namespace toroid::workloads
