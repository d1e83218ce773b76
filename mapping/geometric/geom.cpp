#include "mapping/geometric/geom.hpp"

#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

class Geom final : public Mapper {
 public:
  explicit Geom(const core::Arguments& arguments) : spec_(arguments.spec().text()), grid_(arguments[grid_parameter]) {}

  bool uses_traffic() const override { return !grid_; }
  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override {
    if (grid_) checked_grid(*grid_, problem.ranks(), spec_);
  }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const auto grid =
        grid_ ? checked_grid(*grid_, problem.ranks(), spec_) : derived_grid(TrafficGraph(problem.traffic.matrix()));
    const auto slot_of = geometric_mapping(grid, hops, compact_slots(hops, problem.ranks()));
    return mapping_of(slot_of, problem.slots, problem.ranks());
  }

 private:
  std::string spec_;
  std::optional<JobGrid> grid_;
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
  return {"geom", "geometric mapping of a stencil: ranks and nodes halved together", make<Geom>, {grid_parameter}};
}

}  // namespace toroid::mapping
