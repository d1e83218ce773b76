#include "mapping/geometric/geometric_mapper.hpp"

#include <bitset>
#include <numeric>

namespace toroid::mapping {
namespace {

/// A box of ranks. A turned axis is counted from its upper end.
struct Box {
  std::array<std::int32_t, most_axes> low{}, length{};
  std::bitset<most_axes> turned;
};

class Halving {
 public:
  Halving(const JobGrid& grid, const Points& points, const Cuts& cuts)
      : grid_(grid), points_(points), cuts_(cuts), order_(points), slot_of_(points.slots.size()) {}

  Assignment run() {
    Box all;
    std::copy(grid_.begin(), grid_.end(), all.length.begin());
    TOROID_ASSERT(std::accumulate(grid_.begin(), grid_.end(), std::size_t{1}, std::multiplies<>()) == order_.size());
    match(all, {}, 0, order_.size());
    return std::move(slot_of_);
  }

 private:
  using Turned = std::bitset<platforms::max_dimensions>;  ///< dimensions counted from their upper end

  /// Ranks of the box go to the points order_[begin .. end).
  void match(const Box& box, const Turned& turned, std::size_t begin, std::size_t end) {
    if (end - begin == 1) {
      slot_of_[rank_at(box)] = points_.slots[order_[begin]];
      return;
    }
    const std::size_t axis = longest_axis(box);
    const std::int32_t first = (box.length[axis] + 1) / 2, second = box.length[axis] - first;
    const std::size_t middle =
        begin + (end - begin) / static_cast<std::size_t>(box.length[axis]) * static_cast<std::size_t>(first);
    Box lower = box, upper = box;
    lower.length[axis] = first;
    upper.length[axis] = second;
    (box.turned[axis] ? lower : upper).low[axis] += box.turned[axis] ? second : first;
    const std::size_t d = cuts_.dimension_of_axis.empty() ? order_.widest(begin, end) : cuts_.dimension_of_axis[axis];
    order_.split(d, turned[d], begin, middle, end);
    auto turned_above = turned;
    if (cuts_.fold) {
      turned_above.flip(d);
      upper.turned.flip(axis);
    }
    match(lower, turned, begin, middle);
    match(upper, turned_above, middle, end);
  }

  Rank rank_at(const Box& box) const {
    std::int32_t rank = 0;
    for (std::size_t axis = grid_.size(); axis-- > 0;) rank = rank * grid_[axis] + box.low[axis];
    return Rank(rank);
  }

  std::size_t longest_axis(const Box& box) const {
    return *std::ranges::max_element(cuts_.axes,
                                     [&](std::size_t a, std::size_t b) { return box.length[a] < box.length[b]; });
  }

  const JobGrid& grid_;
  const Points& points_;
  const Cuts& cuts_;
  SplitOrder order_;
  Assignment slot_of_;
};

class Geom final : public GeometricMapper {
 public:
  using GeometricMapper::GeometricMapper;

  bool uses_traffic() const override { return !is_given(); }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const auto job = grid(problem);
    const auto slot_of = geometric_mapping(job.extents, hops, compact_slots(hops, problem.ranks()));
    return mapping_of(job.ranks_on(slot_of), problem.slots, problem.ranks());
  }
};

}  // namespace

Assignment match_halves(const JobGrid& grid, const Points& points, const Cuts& cuts) {
  return Halving(grid, points, cuts).run();
}

const core::OptionalParameter<JobGrid> grid_parameter{
    "grid", "the job's grid", core::extents(most_axes, std::numeric_limits<std::int32_t>::max()), "from the traffic"};

Assignment RankGrid::ranks_on(const Assignment& slot_of_place) const {
  Assignment slot_of;
  for (const std::int32_t p : place) slot_of.add(slot_of_place[Rank(p)]);
  return slot_of;
}

std::vector<std::size_t> dimensions_for(const std::vector<std::size_t>& axes, const Points& points) {
  const auto by_spread = dimensions_by_spread(points);
  std::vector<std::size_t> dimensions(axes.size());
  for (std::size_t i = 0; i < axes.size() && !by_spread.empty(); ++i)
    dimensions[axes[i]] = by_spread[i % by_spread.size()];
  return dimensions;
}

Assignment geometric_mapping(const JobGrid& grid, const SlotHops& hops, std::vector<Slot> slots) {
  const Points points(hops, std::move(slots));
  const auto axes = longest_first(grid);
  return match_halves(grid, points, {axes, dimensions_for(axes, points), false});
}

bool suits_geometric_mappers(const FoundGrid& found) {
  return found.exists && !found.grid.extents.empty() && found.grid.extents.size() <= most_axes;
}

void GeometricMapper::check(const MappingProblem& problem) const {
  const auto& given = value(grid_parameter);
  if (!given) return;
  const auto places = std::accumulate(given->begin(), given->end(), std::int32_t{1}, std::multiplies<>());
  if (places != problem.ranks())
    core::fail_input("'{}': the grid has {} places, expected {}, one for each rank", core::excerpt(spec().text()),
                     places, problem.ranks());
}

RankGrid GeometricMapper::grid(const MappingProblem& problem) const {
  if (is_given()) {
    check(problem);
    RankGrid grid{*value(grid_parameter), {}};
    for (std::int32_t place = 0; place < problem.ranks(); ++place) grid.place.add(place);
    return grid;
  }
  auto found = find_grid(problem.traffic.matrix());
  if (found.exists && found.grid.extents.size() > most_axes)
    found = {false, {}, fmt::format("it has {} axes, more than {}", found.grid.extents.size(), most_axes)};
  if (!found.exists)
    core::fail_input("'{}': found no grid in the traffic: {}; expected a stencil, or its grid, as in grid=4x8x2",
                     core::excerpt(spec().text()), found.reason);
  problem.note(fmt::format("{}: the traffic looks like {}", spec().text(), found.grid.text()));
  return {std::move(found.grid.extents), std::move(found.grid.place)};
}

core::Entry<MakeMapper> geom_mapper() {
  return {"geom", "for stencils: the grid of the ranks and the nodes halved together", make<Geom>, {grid_parameter}};
}

}  // namespace toroid::mapping
