#include "netsim/placed_grid.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "platforms/block.hpp"

namespace toroid::netsim {
namespace {

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;
using workloads::CommRank;
using workloads::MemberGrid;

/// The block that the members fill, if they do.
std::optional<MemberGrid> filled_grid(const Machine& machine, const MemberNodes& nodes) {
  auto block = platforms::block_of(machine, nodes);
  if (!block) return std::nullopt;
  std::erase(block->extents, 1);
  return MemberGrid(std::move(block->extents), {block->node_at.begin(), block->node_at.end()});
}

/// Seconds in the busiest link when all rings along an axis carry a byte round, half each way.
double peak_along(const Machine& machine, std::span<const MemberNodes> groups, const MemberGrid& grid,
                  std::size_t axis) {
  std::unordered_map<LinkId, double> bytes;
  double peak = 0;
  const bool pair = grid.extent(axis) == 2;
  for (const auto& nodes : groups) {
    const auto node = [&](CommRank place) { return nodes[static_cast<std::size_t>(grid.member(place))]; };
    const auto carry = [&](CommRank place, CommRank steps, double share) {
      machine.for_each_link(node(place), node(grid.along(place, axis, steps)), [&](LinkId link) {
        peak = std::max(peak, (bytes[link] += share) / machine.link_bandwidth(link));
      });
    };
    for (CommRank place = 0; place < grid.size(); ++place) {
      carry(place, 1, pair ? 1 : 0.5);
      if (!pair) carry(place, -1, 0.5);
    }
  }
  return peak;
}

}  // namespace

GridCost grid_cost(const Machine& machine, std::span<const MemberNodes> groups, const MemberGrid& grid) {
  std::vector<double> peaks;
  for (std::size_t axis = 0; axis < grid.axes(); ++axis) peaks.push_back(peak_along(machine, groups, grid, axis));
  const auto axes = grid.axes();
  GridCost cost;
  std::vector<double> block(axes, 1.0 / static_cast<double>(grid.size()));
  for (std::size_t phase = 0; phase < axes; ++phase) {
    GridCost longest;
    for (std::size_t part = 0; part < axes; ++part) {
      const auto axis = (part + phase) % axes;
      longest.gather = std::max(longest.gather, block[part] * (grid.extent(axis) - 1) * peaks[axis]);
      // A member has a bundle for each place of the ring, which travel n^2 / 4 steps in all, rounded down.
      const auto extent = grid.extent(axis);
      const double steps = extent * extent / 4;
      longest.exchange = std::max(longest.exchange, steps / extent * peaks[axis]);
      block[part] *= grid.extent(axis);
    }
    cost.gather += longest.gather / static_cast<double>(axes);
    cost.exchange += longest.exchange / static_cast<double>(axes) * grid.size() / (grid.size() - 1);
  }
  return cost;
}

MemberGrid placed_grid(const Machine& machine, const MemberNodes& nodes) {
  auto ring = MemberGrid::ring(static_cast<CommRank>(nodes.size()));
  auto filled = filled_grid(machine, nodes);
  if (!filled) return ring;
  constexpr double rounding = 1e-9;
  const auto gather = [&](const MemberGrid& grid) { return grid_cost(machine, std::span(&nodes, 1), grid).gather; };
  return gather(*filled) <= gather(ring) * (1 + rounding) ? std::move(*filled) : std::move(ring);
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
