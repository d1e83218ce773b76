#include "mapping/costs/distance.hpp"

#include <algorithm>
#include <cstdlib>

namespace toroid::mapping {

double classic_distance(const Machine& machine, const platforms::Coordinates& hops) {
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) sum += hops[d];
  return sum;
}

double td_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  std::int32_t sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent == 1) continue;
    sum += hops[d];
    for (std::size_t e = d + 1; e < grid.dimension_count(); ++e)
      if (grid.dimension(e).extent > 1) sum += std::abs(hops[d] - hops[e]);
  }
  return sum;
}

double td_eq7_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  std::int32_t missing = 3;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) missing -= grid.dimension(d).extent > 1 ? 1 : 0;
  return td_distance(machine, hops) + std::max(0, missing) * classic_distance(machine, hops);
}

double weighted_distance(const Machine& machine, const platforms::Coordinates& hops) {
  const auto& grid = machine.grid();
  double fastest = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) fastest = std::max(fastest, grid.dimension(d).bandwidth);
  double sum = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) sum += hops[d] * (fastest / grid.dimension(d).bandwidth);
  return sum;
}

const core::Registry<Distance>& distances() {
  static const core::Registry<Distance> registry(
      "cost", {{"classic", "bytes times hops", classic_distance},
               {"td", "bytes times hops plus the differences of hops per dimension", td_distance},
               {"td-eq7", "the same as it is printed, with the dimensions that a grid has less than three as 0 hops",
                td_eq7_distance},
               {"weighted", "bytes times hops, each as much longer as its dimension is slower", weighted_distance}});
  return registry;
}

}  // namespace toroid::mapping
