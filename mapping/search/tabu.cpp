// Tabu search. Up to a few hundred slots all is searched at once. Where there are more, a table of all swaps would be
// slow to keep: then one region after the other is searched, the rest staying where it is (POPMUSIC; Taillard, Voss
// 2002).

#include "core/progress.hpp"
#include "mapping/search/searches.hpp"
#include "mapping/search/tabu_search.hpp"

namespace toroid::mapping {
namespace {

constexpr std::size_t region_size = 256;

/// `region_size` slots around one of them.
std::vector<Slot> region_around(const SlotCosts& distances, Slot centre) {
  core::IdVector<Slot, char> found(distances.size(), false);
  std::vector<Slot> region{centre};
  found[centre] = true;
  for (std::size_t i = 0; i < region.size() && region.size() < region_size; ++i)
    for (const Slot slot : distances.near(region[i])) {
      if (region.size() == region_size) break;
      if (!std::exchange(found[slot], true)) region.push_back(slot);
    }
  return region;
}

/// The problem of where on the slots of a region the ranks that are there should be, when all others stay.
class Region {
 public:
  Region(const QuadraticCost& cost, const Placement& placement, std::vector<Slot> slots)
      : cost_(cost), slots_(std::move(slots)) {
    const std::size_t n = slots_.size(), outside = n;
    core::IdVector<Rank, std::size_t> index_of(placement.slot_of().size(), outside);
    for (const Slot slot : slots_) {
      index_of[placement.rank_on(slot)] = ranks_.size();
      ranks_.push_back(placement.rank_on(slot));
    }
    flow_.resize(n * n);
    linear_.resize(n * n);
    // Where distances are symmetric, each pair stands in the lists of both ranks, with the bytes of both ways.
    const double share = cost.distances().symmetric() ? 0.5 : 1;
    for (std::size_t i = 0; i < n; ++i) {
      for (const auto& [partner, bytes] : cost.receivers(ranks_[i])) {
        const std::size_t index = index_of[partner];
        if (index != outside)
          flow_[i * n + index] += share * bytes;
        else
          for (std::size_t k = 0; k < n; ++k)
            linear_[i * n + k] += bytes * distance(slots_[k], placement.slot(partner));
      }
      for (const auto& [partner, bytes] : cost.senders(ranks_[i]))
        if (index_of[partner] == outside)
          for (std::size_t k = 0; k < n; ++k)
            linear_[i * n + k] += bytes * distance(placement.slot(partner), slots_[k]);
    }
  }

  /// Searches from where the ranks are.
  void improve(Placement& placement, std::int64_t iterations, core::Random& random) {
    const std::size_t n = slots_.size();
    Qap::Matrix distances(n * n);
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t l = 0; l < n; ++l) distances[k * n + l] = distance(slots_[k], slots_[l]);
    const Qap problem(n, std::move(flow_), std::move(distances), std::move(linear_));
    auto assignment = in_order(n);
    SearchBudget budget{iterations};
    make_tabu_search(problem)->run(assignment, iterations, budget, random);
    for (const Rank i : assignment.ids()) placement.put(ranks_[i.index()], slots_[assignment[i].index()]);
  }

 private:
  double distance(Slot from, Slot to) const { return cost_.distances()(from, to); }

  const QuadraticCost& cost_;
  std::vector<Slot> slots_;
  std::vector<Rank> ranks_;  ///< the ranks on slots_
  Qap::Matrix flow_, linear_;
};

/// Region after region around slots in random order, each slot once before any comes again.
Assignment search_regions(const QuadraticCost& cost, Assignment start, std::int64_t iterations, core::Random& random) {
  Placement placement(std::move(start));
  std::vector<Slot> centres;
  core::Progress bar("tabu search", static_cast<std::uint64_t>(iterations));
  for (std::int64_t left = iterations; left > 0 && !core::is_interrupted();) {
    bar.update(static_cast<std::uint64_t>(iterations - left));
    if (centres.empty()) {
      centres = placement.slot_of().elements();
      random.shuffle(centres);
    }
    const std::int64_t share = std::min<std::int64_t>(4 * region_size, left);
    Region(cost, placement, region_around(cost.distances(), centres.back())).improve(placement, share, random);
    left -= share;
    centres.pop_back();
  }
  return placement.slot_of();
}

const core::OptionalParameter<std::shared_ptr<const Mapper>> tabu_base{
    "base", "the mapper to start from", mapper_in_parentheses(), "none; anneal for many ranks"};
const core::Parameter<std::int64_t> tabu_swaps{"iterations", "swaps made",
                                               core::whole<std::int64_t>(1, 1'000'000'000'000), "100000"};

class Tabu final : public SearchMapper {
 public:
  explicit Tabu(const core::Arguments& arguments) : SearchMapper(arguments, arguments[tabu_base].value_or(nullptr)) {}

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const override {
    const auto iterations = value(tabu_swaps);
    if (cost.slot_count() <= region_size) {
      core::Progress bar("tabu search", static_cast<std::uint64_t>(iterations));
      SearchBudget budget{iterations};
      budget.stop = [&](double) {
        bar.update(static_cast<std::uint64_t>(iterations - budget.iterations));
        return false;
      };
      if (start.empty()) start = grasp(cost, 50, random);
      return memetic_search(Qap(cost), budget, random, std::move(start));
    }
    if (start.empty()) {
      start = in_order(cost.slot_count());
      random.shuffle(start.elements());
      start = anneal(cost, std::move(start), 3000, random);
    }
    return search_regions(cost, std::move(start), iterations, random);
  }
};

}  // namespace

core::Entry<MakeMapper> tabu_mapper() {
  return {"tabu",
          "least cost by tabu searches that learn from each other, for up to a few hundred ranks",
          make<Tabu>,
          {cost_parameter, tabu_base, tabu_swaps, seed_parameter}};
}

}  // namespace toroid::mapping
