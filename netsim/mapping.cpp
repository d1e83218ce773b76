#include "toroid/netsim/mapping.hpp"
#include "netsim/placed_grid.hpp"

#include <unordered_map>

#include "platforms/survey.hpp"

namespace toroid::netsim {

namespace {

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;
using workloads::CommRank;
using workloads::MemberGrid;
using workloads::RingAxis;

/// The block that the members fill, if they do.
std::optional<MemberGrid> filled_grid(const Machine& machine, const MemberNodes& nodes) {
  auto block = platforms::block_of(machine, nodes);
  if (!block) return std::nullopt;
  std::erase(block->extents, 1);
  return MemberGrid(std::move(block->extents), {block->node_at.begin(), block->node_at.end()});
}

using BytesOfLinks = std::unordered_map<LinkId, double>;

/// Seconds in the busiest link when all rings along an axis carry a byte round, these shares of it forward and back,
/// and the links have carried these bytes before.
double peak_along(const Machine& machine, std::span<const MemberNodes> groups, const MemberGrid& grid, std::size_t axis,
                  double forward, double back, BytesOfLinks& bytes) {
  double peak = 0;
  for (const auto& nodes : groups) {
    const auto node = [&](CommRank place) { return nodes[static_cast<std::size_t>(grid.member(place))]; };
    const auto carry = [&](CommRank place, CommRank steps, double share) {
      machine.for_each_link(node(place), node(grid.along(place, axis, steps)), [&](LinkId link) {
        peak = std::max(peak, (bytes[link] += share) / machine.link_bandwidth(link));
      });
    };
    for (CommRank place = 0; place < grid.size(); ++place) {
      carry(place, 1, forward);
      if (back > 0) carry(place, -1, back);
    }
  }
  return peak;
}

/// How much longer the busiest link takes when all axes are in use than with one axis alone: 1, unless the machine is
/// twisted, or the ways round what failed lead along other axes.
double slowed_by_other_axes(const Machine& machine, const MemberNodes& nodes, const MemberGrid& grid) {
  BytesOfLinks bytes;
  double together = 0, alone = 0;
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
    const auto& ring = grid.rings()[axis];
    const double back = ring.goes_one_way() ? 0 : 0.5;
    together = std::max(together, peak_along(machine, std::span(&nodes, 1), grid, axis, 1 - back, back, bytes));
    alone = std::max(alone, ring.cost);
  }
  return alone > 0 ? together / alone : 1;
}

/// MemberGrid::rings_from(), by an estimate. Rings take a message to a neighbour a round, and all links carry a vector.
/// An algorithm of log2 N rounds (recursive doubling, Bruck's) sends ever more bytes ever farther: the last rounds
/// alone are n / 3 vectors on a link along an axis of n members, and about one where members stand anywhere. An
/// all-reduce takes twice that, but one pass where short vectors are summed whole, which is n vectors.
void estimate_rings_from(const Machine& machine, const MemberNodes& nodes, MemberGrid& grid, double message_seconds) {
  if (grid.axes() == 0) return;
  const double base = machine.parameters().base_latency, rounds = std::ceil(std::log2(grid.size()));
  const auto hops = [&](CommRank place, std::size_t axis) {
    const auto node = [&](CommRank at) { return nodes[static_cast<std::size_t>(grid.member(at))]; };
    return machine.latency(node(place), node(grid.along(place, axis, 1))) - base;
  };
  const auto& parts = grid.parts(0);
  double rings = static_cast<double>(parts.messages) * message_seconds, few = (base + message_seconds) * rounds;
  double on_link = 0;
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
    const auto& ring = grid.rings()[axis];
    double longest = 0;  // the way that closes the ring of a line, which others go in many hops
    for (CommRank place = 0; place < grid.size(); ++place) longest = std::max(longest, hops(place, axis));
    rings += ring.reach() * (base + longest);
    few += grid.is_grid() ? std::max(longest, ring.reach() * hops(0, axis)) : longest;
    const double vectors = grid.is_grid() ? ring.extent / 3.0 : 1;
    on_link = std::max(on_link, vectors * ring.cost * (ring.goes_one_way() ? 1 : 2));
  }
  const auto from = [&](double later, double sooner) { return later <= 0 ? 0 : later / std::max(0.0, sooner); };
  const double bytes = std::max<double>(grid.size(), from(rings - few, on_link - parts.cost));  // a byte for each block
  constexpr double not_whole = 2049;  // rule mpi sums shorter vectors whole
  grid.set_rings_from(bytes, std::max(bytes, std::min(not_whole, from(2 * rings - few, 3 * on_link - 2 * parts.cost))));
}

}  // namespace

void check_mapping(const Mapping& mapping, const workloads::Trace& trace, const Machine& machine) {
  if (mapping.size() != static_cast<std::size_t>(trace.ranks()))
    core::fail_input("the mapping has {} nodes for {} ranks", mapping.size(), trace.ranks());
  for (const NodeId node : mapping)
    if (node < 0 || node.value() >= machine.node_count())
      core::fail_input("the mapping names node {}; {} has nodes 0 to {}", node, machine.name(),
                       machine.node_count() - 1);
    else if (!machine.computes(node))
      core::fail_input("the mapping names node {} of {}, which does not compute", node, machine.name());
  core::IdVector<NodeId, std::int32_t> ranks_on(machine.node_count(), 0);
  const auto cores = machine.parameters().cores;
  for (const NodeId node : mapping)
    if (++ranks_on[node] > cores)
      core::fail_input("the mapping names node {} more than {} times; {} allows 1 to {} ranks per node (its cores)",
                       node, cores, machine.name(), cores);
}

/// Rings go both ways round where that is as good as forward alone, which takes it that nothing in the way back is
/// worse.
std::vector<RingAxis> rings_of(const Machine& machine, std::span<const MemberNodes> groups, const MemberGrid& grid) {
  constexpr double rounding = 1e-9;
  std::vector<RingAxis> rings;
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) {
    const auto alone = [&](double forward, double back) {
      BytesOfLinks bytes;
      return peak_along(machine, groups, grid, axis, forward, back, bytes);
    };
    const auto forward = alone(1, 0);
    const auto both = grid.extent(axis) == 2 ? forward : alone(0.5, 0.5);
    const bool one_way = both > forward * (1 + rounding);
    rings.push_back({grid.extent(axis), one_way ? forward : both, one_way});
  }
  return rings;
}

GridCost grid_cost(const MemberGrid& grid, const std::vector<RingAxis>& rings) {
  GridCost cost{.gather = workloads::gather_cost(grid.parts(), rings)};
  for (const auto& ring : rings) cost.exchange = std::max(cost.exchange, ring.exchange_cost());
  if (grid.size() > 1) cost.exchange *= grid.size() / (grid.size() - 1.0);
  return cost;
}

MemberGrid placed_grid(const Machine& machine, const MemberNodes& nodes) {
  const double message_seconds = 2 * machine.parameters().overhead + machine.parameters().gap;
  const auto with_rings = [&](MemberGrid grid) {
    grid.set_rings(rings_of(machine, std::span(&nodes, 1), grid), message_seconds);
    estimate_rings_from(machine, nodes, grid, message_seconds);
    return grid;
  };
  auto ring = with_rings(MemberGrid::ring(static_cast<CommRank>(nodes.size())));
  auto filled = filled_grid(machine, nodes);
  if (!filled) return ring;
  constexpr double rounding = 1e-9;
  filled = with_rings(std::move(*filled));
  const double slowed = machine.separable() ? 1 : slowed_by_other_axes(machine, nodes, *filled);
  return filled->parts().cost * slowed <= ring.parts().cost * (1 + rounding) ? std::move(*filled) : std::move(ring);
}

const MemberGrid& PlacedGrids::of(workloads::CommId comm) {
  if (const auto known = grids_.find(comm); known != grids_.end()) return known->second;
  const auto& communicator = trace_.communicator(comm);
  MemberNodes nodes;
  for (CommRank member = 0; member < communicator.size(); ++member)
    nodes.push_back(node_of_(communicator.member(member)));
  return grids_.emplace(comm, placed_grid(machine_, nodes)).first->second;
}

workloads::CommunicationMatrix placed_matrix(const Machine& machine, const workloads::Trace& trace,
                                             const workloads::CollectiveChoice& collectives, const Mapping& mapping) {
  PlacedGrids grids(machine, trace, [&](workloads::Rank rank) { return mapping[rank]; });
  return workloads::communication_matrix(trace, collectives,
                                         [&](workloads::CommId comm) -> const MemberGrid& { return grids.of(comm); });
}

}  // namespace toroid::netsim
