#pragma once
// Random machines, allocations and traffic for the tests of this folder.

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"
#include "tests/support/ids.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/trace.hpp"

namespace toroid::mapping {

/// A machine with room for several ranks on each node.
inline Machine roomy_machine(const std::string& spec) {
  return platforms::make_machine(spec + ",cores=64");
}

/// Machines whose links are counted in many ways: wraps, shared lines, twists, failures, ports, unequal bandwidths.
inline const std::vector<std::string> platforms_tried{"mesh:4x5",
                                                      "torus:4x4",
                                                      "ring:4x5",
                                                      "torus:6x3,x.shared=yes",
                                                      "torus:4x4,x.twist=y+2",
                                                      "mesh:4x4,failed-links=n0-n1",
                                                      "torus:3x3x3,injection=2GBps,ejection=1GBps",
                                                      "mesh:4x4x2,bw=1GBps/3GBps/7GBps"};

/// A matrix in which each pair of different ranks communicates with probability `density`.
inline workloads::CommunicationMatrix random_matrix(core::Random& random, std::int32_t ranks, double density) {
  workloads::CommunicationMatrix matrix;
  matrix.rows.resize(ranks);
  for (const auto from : matrix.rows.ids())
    for (const auto to : matrix.rows.ids())
      if (to != from && random.unit() < density) matrix.rows[from].push_back({to, random.below(1000), 1});
  return matrix;
}

/// `count` slots on nodes of the machine in random order, `per_node` on each.
inline std::vector<platforms::NodeId> random_slots(core::Random& random, const platforms::Machine& machine,
                                                   std::size_t count, std::size_t per_node) {
  std::vector<platforms::NodeId> slots;
  for (const NodeId node : machine.nodes()) slots.insert(slots.end(), per_node, node);
  random.shuffle(slots);
  slots.resize(count);
  return slots;
}

inline Assignment random_assignment(core::Random& random, std::size_t slots) {
  auto slot_of = in_order(slots);
  random.shuffle(slot_of.elements());
  return slot_of;
}

/// The cost by its definition, from the hops of the machine. For TD, dimensions that there are not count as such
/// without hops, up to `least_dimensions`.
inline double cost_by_definition(const workloads::CommunicationMatrix& matrix, const Machine& machine,
                                 const Mapping& mapping, bool td, std::size_t least_dimensions = 0) {
  const auto& grid = machine.grid();
  double sum = 0;
  for (const auto from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from]) {
      const auto by_dimension = machine.hops_per_dimension(mapping[from], mapping[cell.to]);  // twists and all
      std::vector<int> hops;
      for (std::size_t d = 0; d < grid.dimension_count(); ++d)
        if (grid.dimension(d).extent > 1) hops.push_back(by_dimension[d]);
      if (hops.size() < least_dimensions) hops.resize(least_dimensions, 0);
      int distance = std::accumulate(hops.begin(), hops.end(), 0);
      for (std::size_t d = 0; td && d < hops.size(); ++d)
        for (std::size_t e = 0; e < d; ++e) distance += std::max(hops[d], hops[e]) - std::min(hops[d], hops[e]);
      sum += static_cast<double>(cell.bytes) * distance;
    }
  return sum;
}

/// The messages of `stencil:grid=...`, without its collective.
inline workloads::CommunicationMatrix stencil(const std::string& parameters) {
  return workloads::point_to_point_matrix(*workloads::generators().make("stencil:steps=1,bytes=8," + parameters));
}

/// New names of ranks.
using Names = core::IdVector<Rank, Rank>;

inline Names shuffled_names(core::Random& random, std::int32_t count) {
  Names names;
  for (const Rank rank : core::ids<Rank>(count)) names.add(rank);
  random.shuffle(names.elements());
  return names;
}

/// The same job with rank r called name[r].
inline workloads::CommunicationMatrix permuted(const workloads::CommunicationMatrix& matrix, const Names& name) {
  workloads::CommunicationMatrix result;
  result.rows.resize(matrix.rows.size());
  for (const auto from : matrix.rows.ids())
    for (auto cell : matrix.rows[from]) {
      cell.to = name[cell.to];
      result.rows[name[from]].push_back(cell);
    }
  for (auto& row : result.rows) std::sort(row.begin(), row.end(), [](auto& a, auto& b) { return a.to < b.to; });
  return result;
}

/// Hop-bytes of a mapping; bytes in all, what it would be with one hop for each message.
inline double cost(const MappingProblem& problem, const Mapping& mapping) {
  return cost_by_definition(problem.traffic.matrix(), problem.machine, mapping, false);
}

inline double bytes(const MappingProblem& problem) {
  return static_cast<double>(problem.traffic.matrix().total_bytes());
}

}  // namespace toroid::mapping
