#include "mapping/geometric/job_grid.hpp"

#include <functional>
#include <limits>
#include <numeric>

#include "core/error.hpp"

namespace toroid::mapping {

const core::OptionalParameter<JobGrid> grid_parameter{
    "grid", "the job's grid", core::extents(most_axes, std::numeric_limits<std::int32_t>::max()), "from the traffic"};

Assignment RankGrid::ranks_on(const Assignment& slot_of_place) const {
  Assignment slot_of;
  for (const std::int32_t p : place) slot_of.add(slot_of_place[Rank(p)]);
  return slot_of;
}

bool suits_geometric_mappers(const FoundGrid& found) {
  return found.exists && !found.grid.extents.empty() && found.grid.extents.size() <= most_axes;
}

GeometricMapper::GeometricMapper(const core::Arguments& arguments)
    : spec_(arguments.spec().text()), grid_(arguments[grid_parameter]) {}

void GeometricMapper::check(const MappingProblem& problem) const {
  if (!grid_) return;
  const auto places = std::accumulate(grid_->begin(), grid_->end(), std::int32_t{1}, std::multiplies<>());
  if (places != problem.ranks())
    core::fail_input("'{}': the grid has {} places, expected {}, one for each rank", core::excerpt(spec_), places,
                     problem.ranks());
}

RankGrid GeometricMapper::grid(const MappingProblem& problem) const {
  if (grid_) {
    check(problem);
    RankGrid grid{*grid_, {}};
    for (std::int32_t place = 0; place < problem.ranks(); ++place) grid.place.add(place);
    return grid;
  }
  auto found = find_grid(problem.traffic.matrix());
  if (found.exists && found.grid.extents.size() > most_axes)
    found = {false, {}, fmt::format("it has {} axes, more than {}", found.grid.extents.size(), most_axes)};
  if (!found.exists)
    core::fail_input("'{}': found no grid in the traffic: {}; expected a stencil, or its grid, as in grid=4x8x2",
                     core::excerpt(spec_), found.reason);
  problem.note(fmt::format("{}: the traffic looks like {}", spec_, found.grid.text()));
  return {std::move(found.grid.extents), std::move(found.grid.place)};
}

}  // namespace toroid::mapping
