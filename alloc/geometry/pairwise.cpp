#include "alloc/geometry/pairwise.hpp"

#include <algorithm>
#include <numeric>

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

}  // namespace

std::int64_t sum_of_hops_both_ways(const platforms::Dimension& dimension, Counts counts, std::int64_t nodes) {
  switch (dimension.wrap) {
    case platforms::Wrap::torus:
      return twice_sum_on_circle(counts, nodes);
    case platforms::Wrap::ring:
      return twice_sum_on_one_way_ring(counts, nodes);
    case platforms::Wrap::mesh:
      break;
  }
  return 2 * sum_on_line(counts, nodes);
}

std::int64_t least_hops_both_ways(const platforms::Dimension& dimension, Counts counts, std::int64_t nodes) {
  if (dimension.wrap != platforms::Wrap::mesh) return 0;
  std::int64_t sum = 0, below = 0;
  for (const auto count : counts) {
    below += count;
    sum += std::min(below, nodes - below);
  }
  return 2 * sum;
}

}  // namespace toroid::alloc
