// Slurm's topology/torus3d (26.05): a job gets a box of a configured placement at a configured anchor, of all that are
// free the one with the lightest nodes, then that which spoils the fewest free boxes of the next size, then that in the
// fullest torus.

#include <fmt/ranges.h>

#include "alloc/slurm/anchors.hpp"
#include "alloc/slurm/request.hpp"
#include "platforms/check.hpp"
#include "platforms/values.hpp"

namespace toroid::alloc {
namespace {

using Placements = std::vector<std::vector<Placement>>;

const core::OptionalParameter<Placements> placements_parameter{
    "placements",
    "boxes that jobs may have, in parentheses, as the machine's property says them: (2x2x1 4x4x2 spacing=2x2x2)",
    {"placements such as (2x2x1 4x4x2 spacing=2x2x2 seed=0x0x1)",
     [](std::string_view text, const core::Place& place) -> std::optional<Placements> {
       return platforms::parse_placements(text, place.text());
     }},
    "those of the machine"};

class Torus3d {
 public:
  Torus3d(FreeNodes& free, const core::Arguments& arguments)
      : free_(free), sums_(free), segment_(arguments[slurm::segment_parameter]) {
    const auto m = described(arguments);
    Placement::Extents extents{1, 1, 1};
    for (std::size_t d = 0; d < std::min(extents.size(), m.dimensions.size()); ++d) extents[d] = m.dimensions[d].extent;
    for (std::size_t d = 0; d < extents.size(); ++d) torus_.length[d] = extents[d];
    torus_.length[extents.size()] = 1;
    const auto weights = slurm::weights_of(machine(), arguments);
    for (std::int32_t torus = 0; torus < platforms::torus_count(m); ++torus) {
      tori_.push_back(
          anchors_of(m.placements[m.placements.size() == 1 ? 0U : static_cast<std::size_t>(torus)], extents));
      for (auto& anchors : tori_.back()) survey(anchors, torus, weights);
    }
  }

  slurm::Answer choose(std::int32_t nodes) {
    const auto each = slurm::segment_of(nodes, segment_);
    if (nodes % each != 0 || !has_placement(each)) return {std::nullopt, slurm::not_available};
    if (!any_in_tori_with_placements()) return consecutive(nodes);
    Supposed barred(free_);
    while (true) {
      Allocation chosen;
      const bool may_overlap = choose_boxes(chosen, nodes, each);
      if (static_cast<std::int32_t>(chosen.size()) == nodes) {
        std::ranges::sort(chosen);
        return {std::move(chosen), {}};
      }
      if (!may_overlap) return {std::nullopt, slurm::no_unit};
      if (free_.count() <= nodes) return {std::nullopt, slurm::no_unit_for_segment};
      // Slurm bars the node with the least resources, all of which are alike here.
      const NodeId first = *std::ranges::min_element(chosen);
      barred.taken({&first, 1});
    }
  }

 private:
  /// A free box.
  struct Found {
    std::int32_t torus = 0;
    std::size_t placement = 0;
    std::int32_t anchor = 0;
    std::int64_t weight = 0;
    std::int32_t cost = 0;        ///< free boxes of the next size that overlap it
    std::int32_t free_nodes = 0;  ///< the free nodes of its torus
  };

  const Machine& machine() const { return free_.machine(); }
  const Anchors& anchors(const Found& box) const { return tori_[static_cast<std::size_t>(box.torus)][box.placement]; }

  /// The machine with the placements that the arguments may give it.
  platforms::Description described(const core::Arguments& arguments) const {
    auto m = machine().description();
    if (const auto& placements = arguments[placements_parameter]) m.placements = *placements;
    const auto& spec = arguments.spec().text();
    const auto count = m.dimensions.size();
    if (m.nodes_per_router != 1 || (count > 3 && (count != 4 || m.dimensions.back().name != "torus")))
      core::fail_input(
          "'{}': expected a machine of one to three dimensions, or of several such tori along a fourth one "
          "called torus, with one node on each router",
          spec);
    platforms::check_machine(
        m, [&](const auto&, const std::string& message) { core::fail_input("'{}': {}", spec, message); });
    const bool has_any = std::ranges::any_of(m.placements, [](const auto& p) { return !p.empty(); });
    if (!has_any)
      core::fail_input("'{}': {} has no placements; expected some, as in {}:placements=(2x2x1 2x2x2)", spec,
                       machine().name(), arguments.spec().name());
    return m;
  }

  template <class Visit>
  void for_each_cell(const Box& box, Visit&& visit) const {
    const auto& grid = machine().grid();
    const auto dimensions = grid.dimension_count();
    const auto cells = std::accumulate(box.length.begin(), box.length.begin() + 4, 1, std::multiplies<>());
    for (std::int32_t cell = 0; cell < cells; ++cell) {
      platforms::Coordinates at{};
      bool exists = true;
      for (std::size_t d = 0, rest = static_cast<std::size_t>(cell); d < 4; ++d) {
        const auto length = static_cast<std::size_t>(box.length[d]);
        at[d] = box.first[d] + static_cast<std::int32_t>(rest % length);
        rest /= length;
        if (d >= dimensions) continue;
        const auto& dimension = grid.dimension(d);
        exists &= at[d] < dimension.extent || dimension.wrap != platforms::Wrap::mesh;
        at[d] %= dimension.extent;
      }
      for (std::size_t d = dimensions; d < 4; ++d) at[d] = 0;
      visit(exists ? machine().first_node(grid.router_at(at)) : NodeId::none());
    }
  }

  /// Finds what of the boxes never changes.
  void survey(Anchors& anchors, std::int32_t torus, const slurm::Weights& weights) {
    for (std::int32_t anchor = 0; anchor < anchors.count(); ++anchor) {
      std::int32_t empty = 0;
      std::int64_t weight = 0;
      for_each_cell(anchors.box(anchor, torus), [&](NodeId node) {
        if (node == NodeId::none() || machine().state(node) == platforms::NodeState::absent) {
          ++empty;
          return;
        }
        weight = std::max(weight, weights[node]);
      });
      anchors.empty.push_back(empty);
      anchors.weights.push_back(weight);
    }
  }

  bool has_placement(std::int32_t size) const {
    return std::ranges::any_of(tori_, [&](const auto& placements) {
      return std::ranges::any_of(placements, [&](const auto& a) { return a.size == size; });
    });
  }

  /// Whether a node is free in a torus that has placements, in the box of one or not.
  bool any_in_tori_with_placements() {
    for (std::size_t torus = 0; torus < tori_.size(); ++torus)
      if (!tori_[torus].empty() && sums_.count(whole(static_cast<std::int32_t>(torus))) > 0) return true;
    return false;
  }

  Box whole(std::int32_t torus) const {
    Box box = torus_;
    box.first[3] = torus;
    return box;
  }

  /// What Slurm does with the nodes of tori without placements, if no others are free: the tightest run of consecutive
  /// ones.
  slurm::Answer consecutive(std::int32_t nodes) {
    std::vector<std::string> names;
    for (std::size_t d = 0; d < machine().grid().dimension_count(); ++d) names.push_back(machine().grid().name(d));
    const auto allocator =
        AllocatorChoice(fmt::format("curve:order=row,run={}", fmt::join(names, "/"))).make(Site{free_});
    auto chosen = allocator->local()->choose({.nodes = nodes});
    return {std::move(chosen), slurm::no_unit};
  }

  /// Adds boxes of `each` nodes to `chosen` until it has all nodes or no box is free. Returns whether one that was
  /// taken may overlap another of its size, so that a different one might have left more.
  bool choose_boxes(Allocation& chosen, std::int32_t nodes, std::int32_t each) {
    Supposed taken(free_);
    bool may_overlap = false;
    while (static_cast<std::int32_t>(chosen.size()) < nodes) {
      const auto found = best(each);
      if (!found) break;
      const auto before = chosen.size();
      for_each_cell(anchors(*found).box(found->anchor, found->torus), [&](NodeId node) { chosen.push_back(node); });
      taken.taken(std::span(chosen).subspan(before));
      may_overlap |= anchors(*found).may_overlap;
    }
    return may_overlap;
  }

  std::optional<Found> best(std::int32_t size) {
    std::optional<Found> best;
    for (std::int32_t torus = 0; torus < static_cast<std::int32_t>(tori_.size()); ++torus) {
      const auto& placements = tori_[static_cast<std::size_t>(torus)];
      for (std::size_t p = 0; p < placements.size(); ++p) {
        if (placements[p].size != size) continue;
        std::vector<std::int32_t> costs;
        for (std::int32_t anchor = 0; anchor < placements[p].count(); ++anchor) {
          if (placements[p].empty[static_cast<std::size_t>(anchor)] > 0 || !is_free(placements[p], anchor, torus))
            continue;
          if (costs.empty()) costs = costs_of(placements, p, torus);
          const auto i = static_cast<std::size_t>(anchor);
          const Found found{torus, p, anchor, placements[p].weights[i], costs[i], sums_.count(whole(torus))};
          if (!best || is_better(found, *best)) best = found;
        }
      }
    }
    return best;
  }

  /// Slurm's rule, which is no order: costs of different placements are not compared.
  static bool is_better(const Found& found, const Found& best) {
    if (found.weight != best.weight) return found.weight < best.weight;
    if (found.torus == best.torus && found.placement == best.placement && found.cost != best.cost)
      return found.cost < best.cost;
    return found.free_nodes < best.free_nodes;
  }

  /// Whether all nodes of a box are free; empty cells do not count.
  bool is_free(const Anchors& anchors, std::int32_t anchor, std::int32_t torus) {
    return sums_.count(anchors.box(anchor, torus)) == anchors.size - anchors.empty[static_cast<std::size_t>(anchor)];
  }

  /// For each anchor of a placement, how many free boxes of the next larger one overlap its box. Boxes overlap if they
  /// do along each dimension, so it is summed along one after the other.
  std::vector<std::int32_t> costs_of(const std::vector<Anchors>& placements, std::size_t placement,
                                     std::int32_t torus) {
    const auto& anchors = placements[placement];
    const auto larger = next_larger(placements, placement);
    if (larger == placements.size()) return std::vector<std::int32_t>(static_cast<std::size_t>(anchors.count()), 0);
    const auto& next = placements[larger];
    std::vector<std::int32_t> sums;
    for (std::int32_t anchor = 0; anchor < next.count(); ++anchor) sums.push_back(is_free(next, anchor, torus) ? 1 : 0);
    std::size_t before = 1, after = sums.size();
    for (std::size_t d = 0; d < anchors.axes.size(); ++d) {
      const auto& axis = anchors.axes[d];
      const auto along = next.axes[d].at.size();
      after /= along;
      std::vector<std::int32_t> summed(before * axis.at.size() * after, 0);
      for (std::size_t b = 0; b < before; ++b)
        for (std::size_t i = 0; i < axis.at.size(); ++i)
          for (const auto j : axis.overlaps[i])
            for (std::size_t a = 0; a < after; ++a)
              summed[(b * axis.at.size() + i) * after + a] +=
                  sums[(b * along + static_cast<std::size_t>(j)) * after + a];
      sums = std::move(summed);
      before *= axis.at.size();
    }
    return sums;
  }

  FreeNodes& free_;
  FreeSums sums_;
  std::optional<std::int32_t> segment_;
  std::vector<std::vector<Anchors>> tori_;  ///< the placements of each
  Box torus_;                               ///< all of the first torus
};

}  // namespace

core::Entry<MakeAllocator> slurm_torus3d_allocator() {
  return {"slurm-torus3d",
          "a box of a placement at one of its anchors, as Slurm's topology/torus3d chooses it, or none",
          make<slurm::SlurmAllocator<Torus3d>>,
          {placements_parameter, slurm::segment_parameter, slurm::weights_parameter}};
}

}  // namespace toroid::alloc
