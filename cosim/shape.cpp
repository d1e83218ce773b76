#include "cosim/shape.hpp"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <numeric>

namespace toroid::cosim {

using platforms::Wrap;

namespace {

/// Sum over pairs of |a - b|: at each gap between two places, the nodes below times those above.
double pairs_on_line(const std::vector<std::int32_t>& nodes_at, double all) {
  double sum = 0, below = 0;
  for (const auto nodes : nodes_at) {
    below += nodes;
    sum += below * (all - below);
  }
  return sum;
}

/// Sum over pairs of the shorter way round. Take the circle apart at two gaps half a circle (rounded down) from each
/// other, in all ways: of the pairs, those d apart are separated by 2d of these cuts.
double pairs_on_circle(const std::vector<std::int32_t>& nodes_at, double all) {
  const std::size_t extent = nodes_at.size(), half = extent / 2;
  double sum = 0;
  double inside = std::accumulate(nodes_at.begin(), nodes_at.begin() + static_cast<std::ptrdiff_t>(half), 0.0);
  for (std::size_t first = 0; first < extent; ++first) {
    sum += inside * (all - inside);
    inside += nodes_at[(first + half) % extent] - nodes_at[first];
  }
  return sum / 2;
}

/// Sum over pairs of the mean of both ways, which together go once round.
double pairs_on_ring(const std::vector<std::int32_t>& nodes_at, double all) {
  double same_place = 0;
  for (const double nodes : nodes_at) same_place += nodes * nodes;
  return (all * all - same_place) / 2 * static_cast<double>(nodes_at.size()) / 2;
}

}  // namespace

ShapeMeter::ShapeMeter(const Machine& machine) : machine_(machine) {
  const auto& grid = machine.grid();
  const auto routers = static_cast<std::size_t>(grid.size());
  place_.assign(routers, -1);
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    nodes_at_[d].assign(static_cast<std::size_t>(grid.dimension(d).extent), 0);
  neighbours_.reserve(2 * grid.dimension_count() * routers);
  for (RouterId router = 0; router < grid.size(); ++router)
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      for (const bool forward : {true, false}) {
        // Of a one-way ring the link from the neighbour; of a line that is shared any.
        const bool is_shared = grid.dimension(d).shared;
        const auto joined = [&] {
          if (grid.dimension(d).extent == 1) return false;
          if (is_shared) return grid.has_neighbour(router, d, forward) || grid.dimension(d).wrap == Wrap::ring;
          const auto there = grid.neighbour(router, d, forward);
          return (grid.has_neighbour(router, d, forward) && machine.link_exists(grid.link(router, d, forward))) ||
                 (grid.has_neighbour(there, d, !forward) && machine.link_exists(grid.link(there, d, !forward)));
        };
        neighbours_.push_back(joined() ? grid.neighbour(router, d, forward) : -1);
      }
}

Shape ShapeMeter::measure(std::span<const NodeId> nodes) {
  const auto& grid = machine_.grid();
  Shape shape;
  routers_.clear();
  for (const NodeId node : nodes) {
    RouterId router = machine_.router(node);
    if (place_[static_cast<std::size_t>(router)] < 0) {
      place_[static_cast<std::size_t>(router)] = static_cast<std::int32_t>(routers_.size());
      routers_.push_back(router);
    }
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {  // half the divisions of coordinate()
      const auto extent = grid.dimension(d).extent, beyond = router / extent;
      ++nodes_at_[d][static_cast<std::size_t>(router - beyond * extent)];
      router = beyond;
    }
  }
  shape.box = nodes.empty() ? 0 : 1;
  for (std::size_t d = 0; d < grid.dimension_count() && !nodes.empty(); ++d) {
    shape.box *= box_along(d);
    if (machine_.separable()) shape.pairwise_hops += hops_along(d);
  }
  if (!machine_.separable()) shape.pairwise_hops = hops_pair_by_pair(nodes);
  count_parts(shape);
  for (const RouterId router : routers_) place_[static_cast<std::size_t>(router)] = -1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) std::fill(nodes_at_[d].begin(), nodes_at_[d].end(), 0);
  return shape;
}

double ShapeMeter::hops_along(std::size_t dimension) const {
  const auto& nodes_at = nodes_at_[dimension];
  const double all = std::accumulate(nodes_at.begin(), nodes_at.end(), 0.0);
  switch (machine_.grid().dimension(dimension).wrap) {
    case Wrap::mesh:
      return pairs_on_line(nodes_at, all);
    case Wrap::torus:
      return pairs_on_circle(nodes_at, all);
    case Wrap::ring:
      return pairs_on_ring(nodes_at, all);
  }
  return 0;
}

double ShapeMeter::hops_pair_by_pair(std::span<const NodeId> nodes) const {
  std::int64_t both_ways = 0;
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = a + 1; b < nodes.size(); ++b)
      both_ways += machine_.hops(nodes[a], nodes[b]) + machine_.hops(nodes[b], nodes[a]);
  return static_cast<double>(both_ways) / 2;
}

/// Where it wraps, all but the widest gap.
std::int32_t ShapeMeter::box_along(std::size_t dimension) const {
  const auto& nodes_at = nodes_at_[dimension];
  const auto extent = static_cast<std::int32_t>(nodes_at.size());
  std::int32_t first = -1, last = -1, widest_gap = 0;
  for (std::int32_t place = 0; place < extent; ++place) {
    if (nodes_at[static_cast<std::size_t>(place)] == 0) continue;
    if (first < 0) first = place;
    if (last >= 0) widest_gap = std::max(widest_gap, place - last - 1);
    last = place;
  }
  const std::int32_t outside = first + extent - last - 1;
  if (machine_.grid().dimension(dimension).wrap == Wrap::mesh) return extent - outside;
  return extent - std::max(widest_gap, outside);
}

void ShapeMeter::count_parts(Shape& shape) {
  std::vector<std::int32_t> rank(routers_.size(), 0), parent(routers_.size());
  boost::disjoint_sets parts(rank.data(), parent.data());
  shape.components = static_cast<std::int32_t>(routers_.size());
  for (std::int32_t i = 0; i < shape.components; ++i) parts.make_set(i);
  const auto ways = 2 * machine_.grid().dimension_count();
  for (std::size_t i = 0; i < routers_.size(); ++i) {
    const auto* first = &neighbours_[static_cast<std::size_t>(routers_[i]) * ways];
    for (const auto* neighbour = first; neighbour != first + ways; ++neighbour) {
      if (*neighbour < 0) continue;
      const auto other = place_[static_cast<std::size_t>(*neighbour)];
      if (other < 0) {
        ++shape.surface;
      } else if (parts.find_set(static_cast<std::int32_t>(i)) != parts.find_set(other)) {
        parts.union_set(static_cast<std::int32_t>(i), other);
        --shape.components;
      }
    }
  }
}

}  // namespace toroid::cosim
