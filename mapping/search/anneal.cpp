// Simulated annealing, for many ranks.

#include <cmath>

#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "mapping/search/searches.hpp"

namespace toroid::mapping {
namespace {

class Annealing {
 public:
  Annealing(const QuadraticCost& cost, Placement& placement, core::Random& random)
      : cost_(cost), placement_(placement), random_(random) {}

  void run(std::int64_t sweeps) {
    constexpr double coldest = 0.3;
    // A rank leaves a node only by leaving all that are on it.
    const double hottest = cost_.distances().nodes_are_shared() ? 3 : 2;
    double temperature = hottest * usual_cost();
    if (!(temperature > 0)) return;
    const double cooling = std::pow(coldest / hottest, 1 / static_cast<double>(sweeps));
    double expected = cost_.total(placement_.slot_of()), most = expected;
    core::Progress bar("annealing", static_cast<std::uint64_t>(sweeps));
    for (std::int64_t sweep = 0; sweep < sweeps && !core::is_interrupted(); ++sweep, temperature *= cooling) {
      bar.update(static_cast<std::uint64_t>(sweep));
      for (std::int32_t i = 0; i < cost_.rank_count(); ++i) {
        const auto [a, b] = propose();
        if (a == b) continue;
        const double delta = cost_.swap_delta(placement_.slot_of(), a, b);
        if (!(delta <= 0 || random_.unit() < std::exp(-delta / temperature))) continue;
        placement_.swap(a, b);
        if constexpr (core::heavy_assertions) most = std::max(most, expected += delta);
      }
    }
    // The differences of all swaps together are what a recount finds.
    TOROID_ASSERT_HEAVY(are_equal_sums(cost_.total(placement_.slot_of()), expected, most));
  }

 private:
  struct Pair {
    Rank a, b;
  };

  /// What the bytes of a pair of ranks cost over the shortest distance, the mean over all bytes.
  double usual_cost() const {
    double squares = 0, bytes = 0;
    for (const Rank rank : cost_.ranks())
      cost_.for_each_partner(rank, [&](Rank, double exchanged) {
        squares += exchanged * exchanged;
        bytes += exchanged;
      });
    return bytes > 0 ? squares / bytes * shortest_distance() : 0;
  }

  double shortest_distance() const {
    double least = std::numeric_limits<double>::infinity();
    for (const Slot slot : cost_.distances().slots())
      for (const Slot near : cost_.distances().near(slot))
        if (const double distance = cost_.distances()(slot, near); distance > 0) least = std::min(least, distance);
    return std::isinf(least) ? 0 : least;
  }

  Pair propose() {
    const Rank rank(random_.below(static_cast<std::uint64_t>(cost_.rank_count())));
    const auto receivers = cost_.receivers(rank), senders = cost_.senders(rank);
    const std::size_t partners = receivers.size() + senders.size();
    const std::uint64_t way = random_.below(8);
    if (partners == 0 || way == 0) return {rank, placement_.rank_on(Slot(random_.below(cost_.slot_count())))};
    const auto partner = [&] {
      const std::size_t drawn = random_.below(partners);
      return drawn < receivers.size() ? receivers[drawn] : senders[drawn - receivers.size()];
    };
    const auto first = partner(), second = partner();
    const auto near = cost_.distances().near(placement_.slot(first.bytes >= second.bytes ? first.rank : second.rank));
    return {rank, placement_.rank_on(near[random_.below(near.size())])};
  }

  const QuadraticCost& cost_;
  Placement& placement_;
  core::Random& random_;
};

const auto anneal_base = base_parameter("multilevel:sweeps=0");
const core::Parameter<std::int64_t> anneal_sweeps{"sweeps", "proposed swaps of each rank",
                                                  core::whole<std::int64_t>(1, 100'000'000), "3000"};

class Anneal final : public SearchMapper {
 public:
  explicit Anneal(const core::Arguments& arguments) : SearchMapper(arguments, arguments[anneal_base]) {}

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const override {
    auto slot_of = anneal(cost, std::move(start), value(anneal_sweeps), random);
    descend(cost, slot_of);
    return slot_of;
  }
};

}  // namespace

std::int64_t usual_sweeps(std::int32_t ranks) {
  return std::clamp<std::int64_t>(8'000'000 / std::max(ranks, 1), 1, 1000);
}

Assignment anneal(const QuadraticCost& cost, Assignment start, std::int64_t sweeps, core::Random& random) {
  Placement placement(start);
  if (cost.rank_count() > 0) Annealing(cost, placement, random).run(sweeps);
  return cost.total(placement.slot_of()) <= cost.total(start) ? placement.slot_of() : start;
}

core::Entry<MakeMapper> anneal_mapper() {
  return {"anneal",
          "least cost by simulated annealing, for many ranks",
          make<Anneal>,
          {cost_parameter, anneal_base, anneal_sweeps, seed_parameter}};
}

}  // namespace toroid::mapping
