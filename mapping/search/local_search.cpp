#include "mapping/search/local_search.hpp"

#include <queue>
#include <utility>

namespace toroid::mapping {
namespace {

/// Ranks to look at, first in first out, none of them twice.
class Agenda {
 public:
  explicit Agenda(std::size_t ranks) : waiting_(ranks, false) {}

  bool empty() const { return queue_.empty(); }

  void add(std::int32_t rank) {
    if (std::exchange(waiting_[static_cast<std::size_t>(rank)], true)) return;
    queue_.push(rank);
  }

  std::int32_t take() {
    const std::int32_t rank = queue_.front();
    queue_.pop();
    waiting_[static_cast<std::size_t>(rank)] = false;
    return rank;
  }

 private:
  std::queue<std::int32_t> queue_;
  std::vector<char> waiting_;
};

/// What a swap must gain at least. Where sums are exact everything counts; beyond, a gain might be rounding only, and a
/// search that follows it might never end.
double least_gain(double start) {
  constexpr double exact = 0x1p51;
  return start < exact ? 0 : 1e-12 * start;
}

class Descent {
 public:
  Descent(const QuadraticCost& cost, Assignment& slot_of)
      : cost_(cost),
        slot_of_(slot_of),
        threshold_(least_gain(cost.total(slot_of))),
        agenda_(cost.slots()),
        own_cost_(cost.slots(), 0) {
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(cost.ranks()); ++rank) revisit(rank);
  }

  void run() {
    while (!agenda_.empty()) {
      const std::int32_t rank = agenda_.take();
      const std::int32_t partner = best_partner(rank);
      if (partner == rank) continue;
      std::swap(slot_of_[static_cast<std::size_t>(rank)], slot_of_[static_cast<std::size_t>(partner)]);
      // Another swap is worth a new look only if one of its ranks moved, or a partner of one did.
      for (const auto moved : {rank, partner}) {
        revisit(moved);
        for (const auto& other : cost_.receivers(moved)) revisit(other.rank);
        for (const auto& other : cost_.senders(moved)) revisit(other.rank);
      }
    }
  }

 private:
  void revisit(std::int32_t rank) {
    agenda_.add(rank);
    own_cost_[static_cast<std::size_t>(rank)] = cost_.of_rank(slot_of_, rank);
  }

  /// The rank with which a swap of `rank` lowers the cost most, by more than the threshold; `rank` if there is none.
  /// Two silent ranks need no look: swapping them changes nothing.
  std::int32_t best_partner(std::int32_t rank) {
    const bool silent = static_cast<std::size_t>(rank) >= cost_.ranks();
    const auto partners = static_cast<std::int32_t>(silent ? cost_.ranks() : cost_.slots());
    cost_.on_each_slot(slot_of_, rank, on_slot_);
    const double own = own_cost_[static_cast<std::size_t>(rank)];
    std::int32_t best = rank;
    double best_delta = -threshold_;
    for (std::int32_t partner = 0; partner < partners; ++partner) {
      const auto p = static_cast<std::size_t>(partner);
      // The most the swap can gain: the partner would cost nothing any more. Rules out most swaps of sparse traffic.
      if (on_slot_[static_cast<std::size_t>(slot_of_[p])] - own - own_cost_[p] >= best_delta) continue;
      const double delta = cost_.swap_delta(slot_of_, rank, partner);
      if (delta >= best_delta) continue;
      best = partner;
      best_delta = delta;
    }
    return best;
  }

  const QuadraticCost& cost_;
  Assignment& slot_of_;
  double threshold_;
  Agenda agenda_;
  std::vector<double> own_cost_;  ///< of_rank of each rank; up to date between swaps
  std::vector<double> on_slot_;
};

}  // namespace

void descend(const QuadraticCost& cost, Assignment& slot_of) {
  Descent(cost, slot_of).run();
}

}  // namespace toroid::mapping
