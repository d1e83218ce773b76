#include "mapping/search/local_search.hpp"

#include <queue>
#include <utility>

#include "mapping/costs/least_gain.hpp"

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

class Descent {
 public:
  Descent(const QuadraticCost& cost, Placement& placement)
      : cost_(cost),
        placement_(placement),
        threshold_(least_gain * cost.total(placement.slot_of())),
        near_agenda_(cost.slots()),
        agenda_(cost.slots()),
        own_cost_(cost.slots(), 0) {
    for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(cost.ranks()); ++rank) revisit(rank);
  }

  /// Swaps that bring a rank near to a partner first: where traffic is sparse these are few, and most of what helps.
  void run() {
    for (;;) {
      if (!near_agenda_.empty()) {
        const std::int32_t rank = near_agenda_.take();
        swap(rank, best_near_partner(rank));
      } else if (!agenda_.empty()) {
        const std::int32_t rank = agenda_.take();
        swap(rank, best_partner(rank));
      } else {
        return;
      }
    }
  }

 private:
  void swap(std::int32_t rank, std::int32_t other) {
    if (rank == other) return;
    placement_.swap(rank, other);
    // Another swap is worth a new look only if one of its ranks moved, or a partner of one did.
    for (const auto moved : {rank, other}) {
      revisit(moved);
      for (const auto& partner : cost_.receivers(moved)) revisit(partner.rank);
      for (const auto& partner : cost_.senders(moved)) revisit(partner.rank);
    }
  }

  void revisit(std::int32_t rank) {
    near_agenda_.add(rank);
    agenda_.add(rank);
    own_cost_[static_cast<std::size_t>(rank)] = cost_.of_rank(placement_.slot_of(), rank);
  }

  /// As best_partner, among the ranks near to those that `rank` exchanges with; `rank` if looking at all is no slower.
  std::int32_t best_near_partner(std::int32_t rank) {
    std::int32_t best = rank;
    const auto receivers = cost_.receivers(rank), senders = cost_.senders(rank);
    const std::size_t near_slots = cost_.distances().near(placement_.slot(rank)).size();
    if (4 * (receivers.size() + senders.size()) * near_slots > cost_.slots()) return best;
    double best_delta = -threshold_;
    for (const auto partners : {receivers, senders})
      for (const auto& partner : partners)
        for (const Slot there : cost_.distances().near(placement_.slot(partner.rank))) {
          const std::int32_t other = placement_.rank_on(there);
          const double cost_there = cost_.on_slot(placement_.slot_of(), rank, static_cast<std::size_t>(there));
          if (most_hopeful(rank, cost_there, other) >= best_delta) continue;
          const double delta = cost_.swap_delta(placement_.slot_of(), rank, other);
          if (delta >= best_delta) continue;
          best = other;
          best_delta = delta;
        }
    return best;
  }

  /// A swap changes the cost by at least this: the other rank would cost nothing any more. Rules out most swaps of
  /// sparse traffic.
  double most_hopeful(std::int32_t rank, double cost_there, std::int32_t other) const {
    return cost_there - own_cost_[static_cast<std::size_t>(rank)] - own_cost_[static_cast<std::size_t>(other)];
  }

  /// The rank with which a swap of `rank` lowers the cost most, by more than the threshold; `rank` if there is none.
  /// Two silent ranks need no look: swapping them changes nothing.
  std::int32_t best_partner(std::int32_t rank) {
    const bool silent = static_cast<std::size_t>(rank) >= cost_.ranks();
    const auto partners = static_cast<std::int32_t>(silent ? cost_.ranks() : cost_.slots());
    cost_.on_each_slot(placement_.slot_of(), rank, on_slot_);
    std::int32_t best = rank;
    double best_delta = -threshold_;
    for (std::int32_t partner = 0; partner < partners; ++partner) {
      if (most_hopeful(rank, on_slot_[placement_.slot(partner)], partner) >= best_delta) continue;
      const double delta = cost_.swap_delta(placement_.slot_of(), rank, partner);
      if (delta >= best_delta) continue;
      best = partner;
      best_delta = delta;
    }
    return best;
  }

  const QuadraticCost& cost_;
  Placement& placement_;
  double threshold_;
  Agenda near_agenda_, agenda_;   ///< for best_near_partner; for best_partner
  std::vector<double> own_cost_;  ///< of_rank of each rank; up to date between swaps
  std::vector<double> on_slot_;
};

}  // namespace

void descend(const QuadraticCost& cost, Assignment& slot_of) {
  Placement placement(std::move(slot_of));
  Descent(cost, placement).run();
  slot_of = placement.slot_of();
}

}  // namespace toroid::mapping
