// Ranks in order along a snake through the machine: back and forth along x, row by row, plane by plane. Each router is
// beside the next, where hilbert needs sides that are powers of two for that.

#include <algorithm>

#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// Where the snake comes to a router: of every second row, seen from the last dimension on, it takes the other end
/// first.
std::int64_t place_on_snake(const platforms::Grid& grid, platforms::RouterId router) {
  std::int64_t place = 0;
  for (std::size_t d = grid.dimension_count(); d-- > 0;) {
    const std::int64_t extent = grid.dimension(d).extent, c = grid.coordinate(router, d);
    place = place * extent + (place % 2 == 0 ? c : extent - 1 - c);
  }
  return place;
}

class Snake final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const auto& machine = problem.machine;
    std::vector<std::pair<std::int64_t, NodeId>> places;
    for (const NodeId node : problem.slots)
      places.emplace_back(place_on_snake(machine.grid(), machine.router(node)), node);
    std::sort(places.begin(), places.end());
    Mapping mapping;
    for (std::size_t i = 0; i < static_cast<std::size_t>(problem.ranks()); ++i) mapping.add(places[i].second);
    return mapping;
  }
};

}  // namespace

core::Entry<MakeMapper> snake_mapper() {
  return {"snake", "rank r on the r-th node along a snake through the machine, back and forth along x", make<Snake>};
}

}  // namespace toroid::mapping
