// MJ, geometric partitioning of ranks and nodes with rotations and torus shifts (Deveci et al., IPDPS'14; Zoltan2's
// task mapping), ranks of a stencil taken as points of its grid.

#include <numeric>

#include "mapping/geometric/geometric_mapper.hpp"

namespace toroid::mapping {
namespace {

class Mj final : public GeometricMapper {
 public:
  using GeometricMapper::GeometricMapper;

  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph graph(problem.traffic.matrix());
    const auto job = this->grid(problem);
    auto grid = job.extents;
    std::erase(grid, 1);
    Points points(hops, compact_slots(hops, problem.ranks()));
    cut_at_gaps(points, hops);

    Assignment best;
    double least = 0;
    const auto consider = [&](const Cuts& cuts) {
      auto slot_of = job.ranks_on(match_halves(grid, points, cuts));
      const double cost = hop_bytes(graph, hops, slot_of);
      if (!best.empty() && cost >= least) return;
      least = cost;
      best = std::move(slot_of);
    };
    for_each_order(grid.size(), [&](const std::vector<std::size_t>& axes) {
      consider({axes, {}, true});
      if (points.dimensions == 0) return;
      const auto dimensions = dimensions_for(axes, points);
      if (grid.size() > most_axes_with_ties)
        consider({axes, dimensions, false});
      else
        for_each_order(grid.size(), [&](const std::vector<std::size_t>& ties) { consider({ties, dimensions, false}); });
    });
    return mapping_of(best, problem.slots, problem.ranks());
  }

 private:
  /// With few axes, which of two axes as long is cut first is tried both ways, apart from the rotation.
  static constexpr std::size_t most_axes_with_ties = 3;

  /// Every order of the axes, up to 120: all of five axes.
  template <class Visit>
  static void for_each_order(std::size_t axes, Visit visit) {
    std::vector<std::size_t> order(axes);
    std::iota(order.begin(), order.end(), 0U);
    int left = 120;
    do visit(order);
    while (--left > 0 && std::next_permutation(order.begin(), order.end()));
  }
};

}  // namespace

core::Entry<MakeMapper> mj_mapper() {
  return {"mj",
          "for stencils: the best of many variants of geom, with rotations, folds and torus shifts",
          make<Mj>,
          {grid_parameter}};
}

}  // namespace toroid::mapping
