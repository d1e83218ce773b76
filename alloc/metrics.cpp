#include "alloc/metrics.hpp"

#include <numeric>

#include "alloc/neighbours.hpp"

namespace toroid::alloc {
namespace {

/// Each cut between two neighbours is crossed by the pairs it separates.
std::int64_t sum_on_line(Counts counts, std::int64_t nodes) {
  std::int64_t sum = 0, below = 0;
  for (const auto count : counts) {
    below += count;
    sum += below * (nodes - below);
  }
  return sum;
}

/// Twice the sum of the shorter ways round. Of the arcs that hold half of the circle, 2 * min(d, extent - d) hold one
/// of two places at a distance of d and not the other.
std::int64_t twice_sum_on_circle(Counts counts, std::int64_t nodes) {
  const std::size_t half = counts.size() / 2;
  std::int64_t sum = 0;
  std::int64_t within = std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(half), 0LL);
  for (std::size_t start = 0; start < counts.size(); ++start) {
    sum += within * (nodes - within);
    within += counts[(start + half) % counts.size()] - counts[start];
  }
  return sum;
}

/// There and back is once round, wherever two places are.
std::int64_t twice_sum_on_one_way_ring(Counts counts, std::int64_t nodes) {
  std::int64_t pairs = nodes * (nodes - 1) / 2;
  for (const std::int64_t count : counts) pairs -= count * (count - 1) / 2;
  return pairs * static_cast<std::int64_t>(counts.size());
}

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

std::int64_t sum_of_hops_both_ways(const platforms::Dimension& dimension, Counts counts, std::int64_t nodes) {
  if (dimension.wrap == Wrap::mesh) return 2 * sum_on_line(counts, nodes);
  if (dimension.wrap == Wrap::ring) return twice_sum_on_one_way_ring(counts, nodes);
  return twice_sum_on_circle(counts, nodes);
}

Measure::Measure(const Machine& machine)
    : machine_(machine), dimensions_(machine.grid().dimension_count()), states_(machine.grid().size(), State::outside) {
  const auto& grid = machine.grid();
  coordinates_.reserve(dimensions_ * states_.size());
  joined_.reserve(2 * dimensions_ * states_.size());
  for (std::size_t d = 0; d < dimensions_; ++d) counts_[d].resize(static_cast<std::size_t>(grid.dimension(d).extent));
  for (const RouterId router : states_.ids())
    for (std::size_t d = 0; d < dimensions_; ++d) {
      coordinates_.push_back(grid.coordinate(router, d));
      for (const bool forward : {true, false}) {
        const bool joined = are_joined(machine, router, d, forward);
        joined_.push_back(joined ? grid.neighbour(router, d, forward) : RouterId::none());
      }
    }
}

/// Fills counts_ with the nodes at each coordinate.
void Measure::count(std::span<const NodeId> nodes) {
  for (std::size_t d = 0; d < dimensions_; ++d) std::ranges::fill(counts_[d], 0);
  for (const NodeId node : nodes) {
    const std::int32_t* at = &coordinates_[machine_.router(node).index() * dimensions_];
    for (std::size_t d = 0; d < dimensions_; ++d) ++counts_[d][static_cast<std::size_t>(at[d])];
  }
}

double Measure::sum_pairwise_hops(std::span<const NodeId> nodes) {
  count(nodes);
  std::int64_t twice = 0;
  if (machine_.separable()) {
    for (std::size_t d = 0; d < dimensions_; ++d)
      twice += sum_of_hops_both_ways(machine_.grid().dimension(d), counts_[d], static_cast<std::int64_t>(nodes.size()));
  } else {
    for (const NodeId from : nodes)
      for (const NodeId to : nodes) twice += machine_.hops(from, to);
  }
  return static_cast<double>(twice) / 2;
}

void Measure::measure_routers(AllocationMetrics& metrics, std::span<const NodeId> nodes) {
  routers_.clear();
  for (const NodeId node : nodes) {
    const auto router = machine_.router(node);
    if (std::exchange(states_[router], State::inside) == State::outside) routers_.push_back(router);
  }
  for (const RouterId router : routers_) {
    if (states_[router] == State::reached) continue;
    ++metrics.components;
    metrics.surface += flood(router);
  }
  TOROID_ASSERT(metrics.components >= 1 || routers_.empty());
  for (const RouterId router : routers_) states_[router] = State::outside;
}

std::int64_t Measure::flood(RouterId from) {
  std::int64_t cables = 0;
  states_[from] = State::reached;
  to_visit_ = {from};
  while (!to_visit_.empty()) {
    const auto* joined = &joined_[to_visit_.back().index() * 2 * dimensions_];
    to_visit_.pop_back();
    for (std::size_t way = 0; way < 2 * dimensions_; ++way) {
      const RouterId next = joined[way];
      if (next == RouterId::none()) continue;
      if (states_[next] == State::outside) ++cables;
      if (states_[next] != State::inside) continue;
      states_[next] = State::reached;
      to_visit_.push_back(next);
    }
  }
  return cables;
}

AllocationMetrics Measure::all(std::span<const NodeId> nodes) {
  AllocationMetrics metrics;
  if (nodes.empty()) return metrics;
  metrics.sum_pairwise_hops = sum_pairwise_hops(nodes);
  if (nodes.size() > 1)
    metrics.mean_pairwise_hops =
        metrics.sum_pairwise_hops * 2 / (static_cast<double>(nodes.size()) * static_cast<double>(nodes.size() - 1));
  metrics.box_routers = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    metrics.box[d] = shortest_stretch(counts_[d], machine_.grid().dimension(d).wrap != Wrap::mesh);
    metrics.box_routers *= metrics.box[d];
  }
  TOROID_ASSERT(metrics.box_routers >= 1 && metrics.sum_pairwise_hops >= 0);
  measure_routers(metrics, nodes);
  return metrics;
}

}  // namespace toroid::alloc
