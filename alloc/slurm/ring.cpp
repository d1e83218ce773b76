// Slurm's topology/ring (26.05): a job gets consecutive nodes of one ring, of at most 16: those with the lightest
// nodes, then in the fullest ring, then in the first ring, from the lowest position on.

#include <tuple>

#include "alloc/slurm/request.hpp"

namespace toroid::alloc {
namespace {

constexpr std::size_t longest_ring = 16;

class Ring {
 public:
  Ring(FreeNodes& free, const core::Arguments& arguments)
      : free_(free),
        segment_(arguments[slurm::segment_parameter]),
        weights_(slurm::weights_of(free.machine(), arguments)) {
    const auto& machine = free.machine();
    const auto& first = machine.grid().dimension(0);
    if (machine.description().nodes_per_router != 1 || first.wrap == platforms::Wrap::mesh)
      core::fail_input("'{}': expected a machine whose first dimension wraps, with one node on each router",
                       arguments.spec().text());
    rings_.resize(static_cast<std::size_t>(machine.grid().size() / first.extent));
    for (const RouterId router : machine.grid().routers()) {  // along the first dimension, ring by ring
      const NodeId node = machine.first_node(router);
      if (machine.state(node) == platforms::NodeState::absent) continue;
      auto& ring = rings_[static_cast<std::size_t>(router.value() / first.extent)];
      ring.push_back(node);
      if (ring.size() > longest_ring)
        core::fail_input("'{}': the rings along the first dimension have more than {} nodes, expected at most {}",
                         arguments.spec().text(), longest_ring, longest_ring);
    }
  }

  slurm::Answer choose(std::int32_t nodes) const {
    const auto each = static_cast<std::size_t>(slurm::segment_of(nodes, segment_));
    const auto count = static_cast<std::size_t>(nodes) / each;
    const auto suitable = std::ranges::count_if(rings_, [&](const auto& r) { return r.size() >= each; });
    if (static_cast<std::size_t>(nodes) % each != 0 || suitable == 0) return {std::nullopt, slurm::not_available};
    std::vector<Found> found;
    for (std::size_t ring = 0; ring < rings_.size(); ++ring)
      if (const auto best = best_of(ring, each)) found.push_back(*best);
    if (found.size() < count) return {std::nullopt, found.empty() ? slurm::no_unit : slurm::no_unit_for_segment};
    std::ranges::sort(found);
    Allocation chosen;
    for (std::size_t i = 0; i < count; ++i) {
      const auto [weight, free, ring, start] = found[i];
      for (std::size_t k = 0; k < each; ++k) chosen.push_back(rings_[ring][(start + k) % rings_[ring].size()]);
    }
    return {std::move(chosen), {}};
  }

 private:
  /// Largest weight, free nodes of the ring, ring, first position: the least is the best.
  using Found = std::tuple<std::int64_t, std::size_t, std::size_t, std::size_t>;

  std::optional<Found> best_of(std::size_t number, std::size_t nodes) const {
    const auto& ring = rings_[number];
    if (ring.size() < nodes) return std::nullopt;
    const auto free =
        static_cast<std::size_t>(std::ranges::count_if(ring, [&](NodeId node) { return free_.is_free(node); }));
    std::optional<Found> best;
    for (std::size_t start = 0; start < ring.size(); ++start) {
      std::int64_t weight = 0;
      bool fits = true;
      for (std::size_t k = 0; fits && k < nodes; ++k) {
        const NodeId node = ring[(start + k) % ring.size()];
        fits = free_.is_free(node);
        weight = std::max(weight, weights_[node]);
      }
      const Found found{weight, free, number, start};
      if (fits && (!best || found < *best)) best = found;
    }
    return best;
  }

  FreeNodes& free_;
  std::optional<std::int32_t> segment_;
  slurm::Weights weights_;
  std::vector<std::vector<NodeId>> rings_;  ///< the nodes of each, by position
};

}  // namespace

core::Entry<MakeAllocator> slurm_ring_allocator() {
  return {"slurm-ring",
          "consecutive nodes of a ring along the first dimension, as Slurm's topology/ring chooses them, or none",
          make<slurm::SlurmAllocator<Ring>>,
          {slurm::segment_parameter, slurm::weights_parameter}};
}

}  // namespace toroid::alloc
