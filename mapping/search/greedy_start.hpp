#pragma once
// Assignments to start a search from: greedy, with a little chance in it.

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"

namespace toroid::mapping {

/// How much worse than the best a choice may be and still be drawn, as a share of the range from best to worst: 0 is
/// greedy, 1 is random. Small margins give the best starts, larger ones starts that differ, so it changes from start to
/// start: a third are below 0.02, some up to 0.5.
inline double draw_margin(core::Random& random) {
  const double u = random.unit();
  return 0.5 * u * u * u;
}

/// Builds an assignment rank by rank: next comes a rank that exchanges much with those placed before, and goes where
/// that costs little.
template <class Problem>
class GreedyStart {
 public:
  GreedyStart(const Problem& cost, core::Random& random)
      : cost_(cost),
        random_(random),
        margin_(draw_margin(random)),
        slot_of_(cost.slot_count(), nowhere),
        exchanged_(cost.rank_count(), 0) {
    for (const Rank rank : slot_of_.ids()) (exchanged_.has(rank) ? ranks_ : silent_).push_back(rank);
    for (const Slot slot : core::ids<Slot>(cost.slot_count())) slots_.push_back(slot);
  }

  Assignment run() {
    while (!ranks_.empty()) place(take_rank());
    for (std::size_t i = 0; i < silent_.size(); ++i) slot_of_[silent_[i]] = slots_[i];
    return std::move(slot_of_);
  }

 private:
  Rank take_rank() {
    scores_.clear();
    for (const Rank rank : ranks_) scores_.push_back(-exchanged_[rank]);
    return take(ranks_);
  }

  void place(Rank rank) {
    cost_.on_each_slot(slot_of_, rank, on_slot_);
    scores_.clear();
    for (const Slot slot : slots_) scores_.push_back(on_slot_[slot]);
    slot_of_[rank] = take(slots_);
    cost_.for_each_partner(rank, [&](Rank partner, double bytes) { exchanged_[partner] += bytes; });
  }

  /// Takes one of `items` out, drawn among those with scores close to the lowest.
  template <class I>
  I take(std::vector<I>& items) {
    const auto [low, high] = std::ranges::minmax_element(scores_);
    const double limit = *low + margin_ * (*high - *low);
    candidates_.clear();
    for (std::size_t i = 0; i < items.size(); ++i)
      if (scores_[i] <= limit) candidates_.push_back(i);
    const std::size_t drawn = candidates_[random_.below(candidates_.size())];
    const I item = items[drawn];
    items[drawn] = items.back();
    items.pop_back();
    return item;
  }

  const Problem& cost_;
  core::Random& random_;
  double margin_;
  Assignment slot_of_;
  core::IdVector<Rank, double> exchanged_;  ///< what each rank exchanges with those that are placed
  std::vector<Rank> ranks_, silent_;        ///< ranks that are not placed
  std::vector<Slot> slots_;                 ///< slots that are not taken
  std::vector<double> scores_;
  core::IdVector<Slot, double> on_slot_;
  std::vector<std::size_t> candidates_;
};

/// Makes a start for a QuadraticCost or a Qap. Takes O(ranks * slots), and the time of on_each_slot for each rank.
template <class Problem>
Assignment greedy_start(const Problem& problem, core::Random& random) {
  return GreedyStart<Problem>(problem, random).run();
}

}  // namespace toroid::mapping
