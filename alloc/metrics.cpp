#include "alloc/metrics.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>

#include "alloc/geometry/pairwise.hpp"
#include "alloc/neighbours.hpp"

namespace toroid::alloc {
namespace {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;
using platforms::Wrap;

/// Places of the shortest stretch, on a circle perhaps over its end, that holds all that are counted.
std::int32_t shortest_stretch(Counts counts, bool is_circle) {
  const auto extent = static_cast<std::int32_t>(counts.size());
  std::int32_t first = -1, last = -1, widest_gap = 0;
  for (std::int32_t c = 0; c < extent; ++c) {
    if (counts[static_cast<std::size_t>(c)] == 0) continue;
    if (first < 0) first = c;
    if (last >= 0) widest_gap = std::max(widest_gap, c - last - 1);
    last = c;
  }
  const std::int32_t outside = extent - (last - first + 1);
  return extent - (is_circle ? std::max(outside, widest_gap) : outside);
}

}  // namespace

Measure::Measure(const Machine& machine) : machine_(machine), place_(machine.grid().size(), -1) {
  const auto& grid = machine.grid();
  joined_.reserve(2 * grid.dimension_count() * place_.size());
  for (const RouterId router : place_.ids())
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      for (const bool forward : {true, false}) {
        const bool joined = are_joined(machine, router, d, forward);
        joined_.push_back(joined ? grid.neighbour(router, d, forward) : RouterId::none());
      }
}

void Measure::count_along(std::size_t d, std::span<const NodeId> nodes) {
  counts_.assign(static_cast<std::size_t>(machine_.grid().dimension(d).extent), 0);
  for (const NodeId node : nodes)
    ++counts_[static_cast<std::size_t>(machine_.grid().coordinate(machine_.router(node), d))];
}

double Measure::sum_pairwise_hops(std::span<const NodeId> nodes) {
  std::int64_t twice = 0;
  if (machine_.separable()) {
    for (std::size_t d = 0; d < machine_.grid().dimension_count(); ++d) {
      if (machine_.grid().dimension(d).extent == 1) continue;
      count_along(d, nodes);
      twice += sum_of_hops_both_ways(machine_.grid().dimension(d), counts_, static_cast<std::int64_t>(nodes.size()));
    }
  } else {
    for (const NodeId from : nodes)
      for (const NodeId to : nodes) twice += machine_.hops(from, to);
  }
  return static_cast<double>(twice) / 2;
}

void Measure::measure_routers(AllocationMetrics& metrics, std::span<const NodeId> nodes) {
  std::vector<RouterId> routers;
  for (const NodeId node : nodes) {
    auto& place = place_[machine_.router(node)];
    if (place >= 0) continue;
    place = static_cast<std::int32_t>(routers.size());
    routers.push_back(machine_.router(node));
  }
  std::vector<std::int32_t> rank(routers.size()), parent(routers.size());
  boost::disjoint_sets<std::int32_t*, std::int32_t*> sets(rank.data(), parent.data());
  metrics.components = static_cast<std::int32_t>(routers.size());
  for (std::int32_t i = 0; i < metrics.components; ++i) sets.make_set(i);
  const std::size_t ways = 2 * machine_.grid().dimension_count();
  for (const RouterId router : routers)
    for (std::size_t way = 0; way < ways; ++way) {
      const RouterId next = joined_[router.index() * ways + way];
      if (next == RouterId::none()) continue;
      const std::int32_t here = place_[router], there = place_[next];
      if (there < 0)
        ++metrics.surface;
      else if (sets.find_set(here) != sets.find_set(there)) {
        sets.union_set(here, there);
        --metrics.components;
      }
    }
  for (const RouterId router : routers) place_[router] = -1;
}

AllocationMetrics Measure::all(std::span<const NodeId> nodes) {
  AllocationMetrics metrics;
  if (nodes.empty()) return metrics;
  metrics.sum_pairwise_hops = sum_pairwise_hops(nodes);
  if (nodes.size() > 1)
    metrics.mean_pairwise_hops =
        metrics.sum_pairwise_hops * 2 / (static_cast<double>(nodes.size()) * static_cast<double>(nodes.size() - 1));
  metrics.box_routers = 1;
  for (std::size_t d = 0; d < machine_.grid().dimension_count(); ++d) {
    count_along(d, nodes);
    metrics.box[d] = shortest_stretch(counts_, machine_.grid().dimension(d).wrap != Wrap::mesh);
    metrics.box_routers *= metrics.box[d];
  }
  measure_routers(metrics, nodes);
  return metrics;
}

}  // namespace toroid::alloc
