// Ranks along a Morton curve (Z-order) through the job's part of the machine, as Slurm's topology/torus3d orders tasks:
// where a greedy program does not say better, ranks close in number come close in the network.

#include <algorithm>
#include <tuple>

#include "core/hilbert.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

constexpr int most_bits = 16;  ///< of a rank's place, in Slurm

/// The shortest stretch of a dimension that holds a job.
struct Arc {
  std::int32_t first = 0, span = 1;
};

/// The arc of the coordinates, which are sorted: what the widest gap between neighbours leaves, the first of several. A
/// job that takes the whole of a dimension keeps its coordinates; so does all on one that does not wrap.
Arc arc_of(const std::vector<std::int32_t>& coordinates, const platforms::Dimension& dimension) {
  Arc arc{coordinates.front(), coordinates.back() - coordinates.front() + 1};
  if (dimension.wrap == platforms::Wrap::mesh) return arc;
  for (std::size_t i = 1; i < coordinates.size(); ++i) {
    const auto span = coordinates[i - 1] + dimension.extent - coordinates[i] + 1;
    if (span < arc.span) arc = {coordinates[i], span};
  }
  return arc.span == dimension.extent ? Arc{0, arc.span} : arc;
}

/// A place along an axis, and how many bits the axis has.
struct Axis {
  std::int32_t first = 0, extent = 1;
  int bits = 0, dropped = 0;
};

class Morton final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const auto& machine = problem.machine;
    const auto& grid = machine.grid();
    const bool has_tori = torus_count(machine.description()) > 1;
    const auto dimensions = grid.dimension_count() - (has_tori ? 1U : 0U);
    const auto torus_of = [&](NodeId node) { return has_tori ? grid.coordinate(machine.router(node), dimensions) : 0; };
    auto slots = problem.slots;
    std::stable_sort(slots.begin(), slots.end(),
                     [&](NodeId a, NodeId b) { return std::pair(torus_of(a), a) < std::pair(torus_of(b), b); });
    Mapping mapping;
    const auto ranks = static_cast<std::size_t>(problem.ranks());
    for (auto begin = slots.begin(); begin != slots.end();) {  // torus by torus
      const auto end =
          std::find_if(begin, slots.end(), [&](NodeId node) { return torus_of(node) != torus_of(*begin); });
      std::vector<std::pair<std::uint32_t, NodeId>> places;
      const auto axes = axes_of(machine, dimensions, {begin, end});
      for (auto slot = begin; slot != end; ++slot) places.emplace_back(place(machine, axes, *slot), *slot);
      std::stable_sort(places.begin(), places.end());
      for (const auto& [at, node] : places)
        if (mapping.size() < ranks) mapping.add(node);
      begin = end;
    }
    return mapping;
  }

 private:
  static std::vector<Axis> axes_of(const Machine& machine, std::size_t dimensions, std::span<const NodeId> nodes) {
    std::vector<Axis> axes(dimensions);
    int bits = 0;
    for (std::size_t d = 0; d < dimensions; ++d) {
      std::vector<std::int32_t> coordinates;
      for (const NodeId node : nodes) coordinates.push_back(machine.grid().coordinate(machine.router(node), d));
      std::sort(coordinates.begin(), coordinates.end());
      const auto& dimension = machine.grid().dimension(d);
      const auto arc = arc_of(coordinates, dimension);
      axes[d] = {arc.first, dimension.extent,
                 core::bits_for(arc.span), 0};
      bits += axes[d].bits;
    }
    for (; bits > most_bits; --bits) {  // the longest axis loses its lowest bit
      auto& longest =
          *std::max_element(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.bits < b.bits; });
      --longest.bits;
      ++longest.dropped;
    }
    return axes;
  }

  /// The bits of the coordinates in turn, from the lowest on, until each axis has run out of them.
  static std::uint32_t place(const Machine& machine, const std::vector<Axis>& axes, NodeId node) {
    std::uint32_t place = 0;
    int next = 0;
    for (int bit = 0; bit < most_bits; ++bit)
      for (std::size_t d = 0; d < axes.size(); ++d) {
        const auto& axis = axes[d];
        if (bit >= axis.bits) continue;
        const auto from_first = machine.grid().coordinate(machine.router(node), d) - axis.first + axis.extent;
        const auto at = static_cast<std::uint32_t>(from_first % axis.extent) >> axis.dropped;
        place |= (at >> bit & 1U) << next++;
      }
    return place;
  }
};

}  // namespace

core::Entry<MakeMapper> morton_mapper() {
  return {"morton", "rank r on the r-th node in Morton order, as Slurm orders tasks on a torus", make<Morton>};
}

}  // namespace toroid::mapping
