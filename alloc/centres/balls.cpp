#include "alloc/centres/balls.hpp"

#include <algorithm>

#include "alloc/geometry/pairwise.hpp"

namespace toroid::alloc {

using platforms::Wrap;

Balls::Balls(FreeNodes& free)
    : FreeView(free),
      free_nodes_(free),
      grid_(free.machine().grid()),
      dimensions_(grid_.dimension_count()),
      free_(grid_.size()) {
  std::int32_t stride = 1;
  for (std::size_t d = 0; d < dimensions_; ++d) {
    strides_[d] = stride;
    stride *= grid_.dimension(d).extent;
    counts_[d].resize(static_cast<std::size_t>(grid_.dimension(d).extent));
  }
  for (const RouterId router : core::ids<RouterId>(grid_.size())) free_[router] = free.free_on(router);
}

void Balls::taken(std::span<const NodeId> nodes) {
  add(nodes, -1);
}

void Balls::given_back(std::span<const NodeId> nodes) {
  add(nodes, 1);
}

void Balls::add(std::span<const NodeId> nodes, std::int32_t count) {
  for (const NodeId node : nodes) free_[free_nodes_.machine().router(node)] += count;
}

void Balls::set_centre(RouterId centre) {
  centre_ = grid_.coordinates(centre);
  for (std::size_t d = 0; d < dimensions_; ++d) {
    const std::int32_t extent = grid_.dimension(d).extent;
    const bool is_mesh = grid_.dimension(d).wrap == Wrap::mesh;
    low_[d] = is_mesh ? -centre_[d] : -((extent - 1) / 2);
    high_[d] = is_mesh ? extent - 1 - centre_[d] : extent / 2;
  }
}

std::int64_t Balls::least_sum(std::int32_t within, std::int32_t nodes) const {
  std::int64_t sum = 0;
  for (std::size_t d = 0; d < dimensions_; ++d)
    sum += toroid::alloc::sum_of_hops_both_ways(grid_.dimension(d), counts_[d], within) +
           (nodes - within) * least_hops_both_ways(grid_.dimension(d), counts_[d], within);
  return sum;
}

std::int32_t Balls::count_line(RouterId line, std::int32_t radius) {
  const std::int32_t extent = grid_.dimension(0).extent;
  const std::int32_t first = centre_[0] + std::max(-radius, low_[0]), last = centre_[0] + std::min(radius, high_[0]);
  std::int32_t sum = 0;
  const auto count = [&](std::int32_t from, std::int32_t to) {
    const std::int32_t* row = &free_[line];
    std::int32_t* counts = counts_[0].data();
    for (std::int32_t x = from; x <= to; ++x) {
      counts[x] += row[x];
      sum += row[x];
    }
  };
  count(std::max(first, 0), std::min(last, extent - 1));
  if (first < 0) count(first + extent, extent - 1);
  if (last >= extent) count(0, last - extent);
  return sum;
}

std::int32_t Balls::count_ball(std::size_t d, RouterId router, std::int32_t radius) {
  if (d == 0) return count_line(router, radius);
  const std::int32_t extent = grid_.dimension(d).extent;
  std::int32_t sum = 0;
  for (std::int32_t offset = std::max(-radius, low_[d]); offset <= std::min(radius, high_[d]); ++offset) {
    std::int32_t c = centre_[d] + offset;
    if (c < 0) c += extent;
    if (c >= extent) c -= extent;
    const std::int32_t there = count_ball(d - 1, router + c * strides_[d], radius - std::abs(offset));
    counts_[d][static_cast<std::size_t>(c)] += there;
    sum += there;
  }
  return sum;
}

template <class Visit>
bool Balls::for_each_at(std::size_t d, RouterId router, std::int32_t radius, Visit& visit) {
  const std::int32_t extent = grid_.dimension(d).extent;
  const auto go_on = [&](std::int32_t offset) {
    std::int32_t c = centre_[d] + offset;
    if (c < 0) c += extent;
    if (c >= extent) c -= extent;
    at_[d] = c;
    const RouterId there = router + c * strides_[d];
    return d + 1 < dimensions_ ? for_each_at(d + 1, there, radius - std::abs(offset), visit) : visit(there);
  };
  if (d + 1 == dimensions_) {
    if (-radius >= low_[d] && !go_on(-radius)) return false;
    return radius == 0 || radius > high_[d] || go_on(radius);
  }
  for (std::int32_t offset = std::max(-radius, low_[d]); offset <= std::min(radius, high_[d]); ++offset)
    if (!go_on(offset)) return false;
  return true;
}

std::int64_t Balls::sum_of_hops_both_ways(RouterId centre, std::int32_t nodes, std::int64_t most) {
  set_centre(centre);
  // A ball that holds fewer nodes, of nearly the radius it took for the last centre; then shell after shell.
  std::int32_t within = nodes, radius = guess_ + 1;
  while (within >= nodes && radius > 0) {
    for (std::size_t d = 0; d < dimensions_; ++d) std::fill(counts_[d].begin(), counts_[d].end(), 0);
    within = count_ball(dimensions_ - 1, RouterId(0), --radius);
  }
  if (within >= nodes) {  // one router has them all
    guess_ = 0;
    return 0;
  }
  while (within < nodes) {
    guess_ = radius;
    if (least_sum(within, nodes) > most) return most + 1;
    ++radius;
    auto add = [&](RouterId router) {
      const std::int32_t there = std::min(free_[router], nodes - within);
      if (there > 0)
        for (std::size_t d = 0; d < dimensions_; ++d) counts_[d][static_cast<std::size_t>(at_[d])] += there;
      within += there;
      return within < nodes;
    };
    for_each_at(0, RouterId(0), radius, add);
  }
  return least_sum(nodes, nodes);
}

std::vector<NodeId> Balls::nearest(RouterId centre, std::int32_t nodes) {
  set_centre(centre);
  std::vector<NodeId> found;
  auto add = [&](RouterId router) {
    const NodeId first = free_nodes_.machine().first_node(router);
    for (std::int32_t i = 0; i < free_nodes_.machine().description().nodes_per_router; ++i)
      if (free_nodes_.is_free(first + i) && found.size() < static_cast<std::size_t>(nodes)) found.push_back(first + i);
    return found.size() < static_cast<std::size_t>(nodes);
  };
  for (std::int32_t radius = 0; found.size() < static_cast<std::size_t>(nodes); ++radius)
    for_each_at(0, RouterId(0), radius, add);
  return found;
}

}  // namespace toroid::alloc
