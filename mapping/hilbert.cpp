// Ranks in order along a Hilbert curve through the machine (Slurm orders the nodes of a 3-D torus so): ranks close in
// number come close in the network, whatever the program.

#include <algorithm>

#include "core/hilbert.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

class Hilbert final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const auto& grid = problem.machine.grid();
    std::vector<std::size_t> dimensions;
    std::int32_t longest = 1;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      if (grid.dimension(d).extent > 1) dimensions.push_back(d);
      longest = std::max(longest, grid.dimension(d).extent);
    }
    std::vector<std::pair<std::vector<std::uint32_t>, NodeId>> places;
    for (const NodeId node : problem.slots) {
      std::vector<std::uint32_t> x;
      for (const auto d : dimensions)
        x.push_back(static_cast<std::uint32_t>(grid.coordinate(problem.machine.router(node), d)));
      places.emplace_back(core::place_on_hilbert_curve(std::move(x), core::bits_for(longest)), node);
    }
    std::stable_sort(places.begin(), places.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Mapping mapping;
    for (std::size_t i = 0; i < static_cast<std::size_t>(problem.ranks()); ++i) mapping.add(places[i].second);
    return mapping;
  }
};

}  // namespace

core::Entry<MakeMapper> hilbert_mapper() {
  return {"hilbert", "rank r on the r-th node along a Hilbert curve through the machine", make<Hilbert>};
}

}  // namespace toroid::mapping
