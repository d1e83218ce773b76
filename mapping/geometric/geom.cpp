#include "mapping/geometric/geom.hpp"

#include <algorithm>
#include <numeric>

#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// 0, 1, ... with the greatest of `lengths` first; ties in order.
std::vector<std::size_t> longest_first(const std::vector<std::int32_t>& lengths) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

std::vector<std::int32_t> sides_of_bounding_box(const Points& points) {
  std::vector<std::int32_t> sides;
  for (std::size_t d = 0; d < points.dimensions; ++d) {
    std::int32_t low = points.extents[d], high = 0;
    for (std::size_t i = 0; i < points.slots.size(); ++i) {
      low = std::min(low, points.coordinate(i, d));
      high = std::max(high, points.coordinate(i, d));
    }
    sides.push_back(high - low + 1);
  }
  return sides;
}

class Geom final : public Mapper {
 public:
  explicit Geom(const core::Spec& spec) : spec_(spec.text()), grid_(grid_parameter(spec)) {}

  bool uses_traffic() const override { return !grid_; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const auto grid =
        grid_ ? checked_grid(*grid_, problem.ranks(), spec_) : derived_grid(TrafficGraph(problem.traffic.matrix()));
    const auto slot_of = geometric_mapping(grid, hops, compact_slots(hops, static_cast<std::size_t>(problem.ranks())));
    return nodes_of(slot_of, problem.slots);
  }

 private:
  std::string spec_;
  std::optional<JobGrid> grid_;
};

}  // namespace

SlotOf geometric_mapping(const JobGrid& grid, const SlotHops& hops, std::vector<std::int32_t> slots) {
  const Points points(hops, std::move(slots));
  Cuts cuts;
  cuts.axes = longest_first(grid);
  cuts.dimension_of_axis.resize(grid.size());
  const auto sides = longest_first(sides_of_bounding_box(points));
  for (std::size_t i = 0; i < grid.size() && !sides.empty(); ++i)
    cuts.dimension_of_axis[cuts.axes[i]] = sides[i % sides.size()];
  return match_halves(grid, points, cuts);
}

std::unique_ptr<Mapper> make_geom(const core::Spec& spec) {
  return std::make_unique<Geom>(spec);
}

}  // namespace toroid::mapping
