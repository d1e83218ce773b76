#include "alloc/contiguous/plan.hpp"

#include <utility>

namespace toroid::alloc {

using platforms::Coordinates;
using platforms::Wrap;

Plan::Plan(FreeNodes& free)
    : FreeView(free),
      nodes_(free.machine()),
      sums_(nodes_),
      counts_(static_cast<std::size_t>(free.machine().grid().dimension(0).extent)) {
  Allocation busy;
  for (const NodeId node : free.machine().compute_nodes())
    if (!free.is_free(node)) busy.push_back(node);
  nodes_.take(busy);
}

void Plan::taken(std::span<const NodeId> nodes) {
  nodes_.take(nodes);
}

void Plan::given_back(std::span<const NodeId> nodes) {
  nodes_.give_back(nodes);
}

/// Calls visit(box) for the free boxes of a shape in order until it returns false.
template <class Visit>
void Plan::for_each_free(const Shape& shape, Visit&& visit) {
  const Machine& machine = nodes_.machine();
  const auto& grid = machine.grid();
  const auto all = volume(shape, grid.dimension_count()) * machine.description().nodes_per_router;
  if (all > nodes_.count()) return;
  const auto is_within = [&](const Coordinates& first, std::size_t d) {
    const auto& dimension = grid.dimension(d);
    return shape[d] <= dimension.extent && (dimension.wrap != Wrap::mesh || first[d] + shape[d] <= dimension.extent);
  };
  const auto line = static_cast<std::int32_t>(counts_.size());
  for (std::int32_t router = 0; router < grid.size(); router += line) {
    Box box{grid.coordinates(RouterId(router)), shape};
    bool is_line_within = true;
    for (std::size_t d = 1; d < grid.dimension_count(); ++d) is_line_within &= is_within(box.first, d);
    if (!is_line_within) continue;
    sums_.count_along_line(box, counts_);
    for (std::size_t x = 0; x < counts_.size(); ++x) {
      box.first[0] = static_cast<std::int32_t>(x);
      if (counts_[x] == all && is_within(box.first, 0) && !visit(std::as_const(box))) return;
    }
  }
}

std::optional<Box> Plan::first_free(const Shape& shape, const Frames* frames) {
  const auto& grid = nodes_.machine().grid();
  const auto is_frame = [&](const Box& box, std::size_t d) {
    const auto& dimension = grid.dimension(d);
    const std::int32_t at = box.first[d];
    const bool is_at_border = dimension.wrap == Wrap::mesh && (at == 0 || at + shape[d] == dimension.extent);
    return (at - frames->first[d]) % shape[d] == 0 || (frames->to_borders && is_at_border);
  };
  std::optional<Box> found;
  for_each_free(shape, [&](const Box& box) {
    bool is_candidate = true;
    for (std::size_t d = 0; frames != nullptr && d < grid.dimension_count(); ++d) is_candidate &= is_frame(box, d);
    if (is_candidate) found = box;
    return !found;
  });
  return found;
}

std::int32_t Plan::free_around(const Box& box) {
  Box with_neighbours = box;
  widen(with_neighbours, nodes_.machine().grid().dimension_count(), 1);
  return sums_.count(with_neighbours) - sums_.count(box);
}

std::optional<Box> Plan::tightest_free(const Shape& shape) {
  std::optional<Box> found;
  std::int32_t least = 0;
  for_each_free(shape, [&](const Box& box) {
    const std::int32_t around = free_around(box);
    if (!found || around < least) {
      found = box;
      least = around;
    }
    return true;
  });
  return found;
}

void Plan::take(const Box& box, std::size_t count, Allocation& allocation) {
  const Machine& machine = nodes_.machine();
  const auto& grid = machine.grid();
  const std::size_t before = allocation.size();
  Coordinates at{};
  for (bool more = true; more;) {
    Coordinates place{};
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      place[d] = (box.first[d] + at[d]) % grid.dimension(d).extent;
    const NodeId first = machine.first_node(grid.router_at(place));
    for (std::int32_t i = 0; i < machine.description().nodes_per_router; ++i)
      if (allocation.size() - before < count) allocation.push_back(first + i);
    more = false;
    for (std::size_t d = 0; d < grid.dimension_count() && !more; ++d) {
      more = ++at[d] < box.length[d];
      if (!more) at[d] = 0;
    }
  }
  const std::span<const NodeId> nodes(allocation.begin() + static_cast<std::ptrdiff_t>(before), allocation.end());
  nodes_.take(nodes);
  taken_.insert(taken_.end(), nodes.begin(), nodes.end());
}

void Plan::undo() {
  nodes_.give_back(taken_);
  taken_.clear();
}

}  // namespace toroid::alloc
