#include "mapping/search/annealing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace toroid::mapping {
namespace {

class Annealing {
 public:
  Annealing(const QuadraticCost& cost, Placement& placement, core::Random& random)
      : cost_(cost), placement_(placement), random_(random) {}

  void run(std::int64_t sweeps) {
    measure();
    if (!(mean_increase_ > 0)) return;
    const auto steps = static_cast<double>(sweeps);
    const double cooling = std::pow(0.01 * least_increase_ / mean_increase_, 1 / steps);
    double temperature = mean_increase_;
    for (std::int64_t sweep = 0; sweep < sweeps; ++sweep, temperature *= cooling)
      for (std::int32_t i = 0; i < cost_.rank_count(); ++i) {
        const auto [a, b] = propose();
        if (a == b) continue;
        const double delta = cost_.swap_delta(placement_.slot_of(), a, b);
        if (delta <= 0 || random_.unit() < std::exp(-delta / temperature)) placement_.swap(a, b);
      }
  }

 private:
  struct Pair {
    Rank a, b;
  };

  /// The increases of a few proposals for each rank.
  void measure() {
    double sum = 0;
    std::int64_t count = 0;
    least_increase_ = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < std::int64_t{10} * cost_.rank_count(); ++i) {
      const auto [a, b] = propose();
      const double delta = std::abs(cost_.swap_delta(placement_.slot_of(), a, b));
      if (delta == 0) continue;
      sum += delta;
      ++count;
      least_increase_ = std::min(least_increase_, delta);
    }
    mean_increase_ = count == 0 ? 0 : sum / static_cast<double>(count);
  }

  Pair propose() {
    const Rank rank(random_.below(cost_.rank_count()));
    const auto receivers = cost_.receivers(rank), senders = cost_.senders(rank);
    const std::size_t partners = receivers.size() + senders.size();
    if (partners == 0 || random_.below(10) == 0) return {rank, Rank(random_.below(cost_.slot_count()))};
    const std::size_t drawn = random_.below(partners);
    const auto partner = drawn < receivers.size() ? receivers[drawn].rank : senders[drawn - receivers.size()].rank;
    const auto near = cost_.distances().near(placement_.slot(partner));
    return {rank, placement_.rank_on(near[random_.below(near.size())])};
  }

  const QuadraticCost& cost_;
  Placement& placement_;
  core::Random& random_;
  double mean_increase_ = 0, least_increase_ = 0;
};

}  // namespace

Assignment anneal(const QuadraticCost& cost, Assignment start, std::int64_t sweeps, core::Random& random) {
  Placement placement(start);
  if (cost.rank_count() > 0) Annealing(cost, placement, random).run(sweeps);
  return cost.total(placement.slot_of()) <= cost.total(start) ? placement.slot_of() : start;
}

}  // namespace toroid::mapping
