#include "mapping/geometric/geometric_mapper.hpp"

namespace toroid::mapping {
namespace {

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

Assignment geometric_mapping(const JobGrid& grid, const SlotHops& hops, std::vector<Slot> slots) {
  const Points points(hops, std::move(slots));
  Cuts cuts;
  cuts.axes = longest_first(grid);
  cuts.dimension_of_axis.resize(grid.size());
  const auto sides = dimensions_by_spread(points);
  for (std::size_t i = 0; i < grid.size() && !sides.empty(); ++i)
    cuts.dimension_of_axis[cuts.axes[i]] = sides[i % sides.size()];
  return match_halves(grid, points, cuts);
}

core::Entry<MakeMapper> geom_mapper() {
  return {"geom", "for stencils: the grid of the ranks and the nodes halved together", make<Geom>, {grid_parameter}};
}

}  // namespace toroid::mapping
