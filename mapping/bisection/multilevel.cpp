// Dual recursive bisection of ranks and slots, each cut by a multilevel search (Pellegrini 1994; Karypis, Kumar 1998),
// or the grid of the traffic laid on the machine, then annealing and local search from there.

#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "mapping/bisection/bisect.hpp"
#include "mapping/geometric/geometric_mapper.hpp"
#include "mapping/search/searches.hpp"

namespace toroid::mapping {
namespace {

const core::OptionalParameter<std::size_t> tries{"tries", "bisections of which the best counts",
                                                 core::whole<std::size_t>(1, 1'000'000),
                                                 "8; above 256 ranks 2,048 over the ranks, 1 at least"};
const core::OptionalParameter<std::int64_t> sweeps{"sweeps", "swaps that are proposed for each rank afterwards",
                                                   core::whole<std::int64_t>(0, 100'000'000),
                                                   "1000; above 8,000 ranks 8 million in all"};

/// What a hop along each dimension costs, that along the cheapest being 1.
HopWeights hop_weights(const Machine& machine, Distance distance) {
  HopWeights weights;
  for (std::size_t d = 0; d < machine.grid().dimension_count(); ++d) {
    if (machine.grid().dimension(d).extent < 2) continue;
    platforms::Coordinates hop{};
    hop[d] = 1;
    weights.push_back(distance(machine, hop));
  }
  const double least = weights.empty() ? 1 : *std::ranges::min_element(weights);
  TOROID_ASSERT(least > 0);
  for (double& weight : weights) weight /= least;
  return weights;
}

/// The assignment with the silent ranks on the slots that are left.
Assignment completed(Assignment slot_of, std::size_t slots) {
  std::vector<bool> taken(slots);
  for (const Slot slot : slot_of) taken[slot.index()] = true;
  for (const Slot slot : core::ids<Slot>(slots))
    if (!taken[slot.index()]) slot_of.add(slot);
  TOROID_ASSERT(slot_of.size() == slots);  // no slot was taken twice
  return slot_of;
}

/// A search is not worth its time if it could lower the cost by so little.
constexpr double too_small_gain = 0.02;

/// The share of the cost that another mapping could have less, at most.
double gain_at_most(const QuadraticCost& cost, const Assignment& slot_of) {
  const double total = cost.total(slot_of);
  TOROID_ASSERT(cost.least_total() <= total * (1 + 1e-9));
  return total > 0 ? 1 - cost.least_total() / total : 0;
}

class Multilevel final : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  Mapping map(const MappingProblem& problem) const override {
    if (problem.ranks() == 0) return {};
    core::Random random(seed(problem), "mapping/multilevel");
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph traffic(problem.traffic.matrix());
    const QuadraticCost cost(traffic, SlotCosts(problem.machine, problem.slots, value(cost_parameter)));
    std::optional<Assignment> by_grid;
    if (suits_geometric_mappers(find_grid(problem.traffic.matrix())))
      by_grid = assignment_of(make_mapping("mj", problem), problem.slots);
    if (by_grid)
      if (const double gain = gain_at_most(cost, *by_grid); gain <= too_small_gain) {
        problem.note(
            gain > 0 ? fmt::format("multilevel: as mj; another mapping could cost {:.2g} % less, at most", 100 * gain)
                     : "multilevel: as mj; no mapping costs less");
        return mapping_of(*by_grid, problem.slots, problem.ranks());
      }
    auto best = best_bisection(problem, traffic, hops, cost, random);
    if (by_grid && cost.total(*by_grid) <= cost.total(best)) {
      best = refined(cost, *by_grid, random);
    } else {
      best = refined(cost, std::move(best), random);
      // In pieces of a machine a grid may start behind, and end ahead.
      if (by_grid)
        if (auto other = refined(cost, *by_grid, random); cost.total(other) < cost.total(best)) best = std::move(other);
    }
    return mapping_of(best, problem.slots, problem.ranks());
  }

 private:
  Assignment refined(const QuadraticCost& cost, Assignment start, core::Random& random) const {
    if (const auto count = value(sweeps).value_or(usual_sweeps(cost.rank_count())); count > 0)
      start = anneal(cost, std::move(start), count, random);
    descend(cost, start, usual_reach(cost.slot_count()));
    return start;
  }

  Assignment best_bisection(const MappingProblem& problem, const TrafficGraph& traffic, const SlotHops& hops,
                            const QuadraticCost& cost, core::Random& random) const {
    const auto weights = hop_weights(problem.machine, value(cost_parameter));
    const std::int32_t some_spare = problem.ranks() + problem.ranks() / 4;
    const auto slots = compact_slots(hops, some_spare);

    Assignment best;
    double least = 0;
    const std::size_t count =
        value(tries).value_or(static_cast<std::size_t>(std::clamp(2'048 / problem.ranks(), 1, 8)));
    core::Progress bar("bisecting", count);
    for (std::size_t i = 0; i < count && !(core::is_interrupted() && i > 0); ++i) {
      bar.update(i);
      const SlotTree tree(hops, slots, weights, i % 2 == 0, random);
      auto slot_of = completed(dual_bisection(traffic, tree, random), hops.size());
      const double total = cost.total(slot_of);
      if (!best.empty() && total >= least) continue;
      least = total;
      best = std::move(slot_of);
    }
    return best;
  }
};

}  // namespace

core::Entry<MakeMapper> multilevel_mapper() {
  return {"multilevel",
          "for any traffic: ranks and nodes halved together level by level, or as mj does, then annealed",
          make<Multilevel>,
          {cost_parameter, tries, sweeps, seed_parameter}};
}

}  // namespace toroid::mapping
