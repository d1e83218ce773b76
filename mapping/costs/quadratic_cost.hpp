#pragma once
// The cost of a mapping as a quadratic assignment problem: what every pair of ranks exchanges, times how far apart the
// two are.

#include "mapping/costs/slot_costs.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// The least gain for which a search makes a swap, as a share of the cost at the start. A smaller gain may come from
/// rounding alone, and a search that follows it may never end. Costs that are whole numbers below 10^14 are exact, and
/// their gains are all larger.
constexpr double least_gain = 1e-14;

/// Whether two sums of the same products are equal, but for the rounding of their terms, of which the sum of the
/// absolute values is at most `size`.
inline bool are_equal_sums(double a, double b, double size) {
  return std::abs(a - b) <= 1e-9 * (1 + size);
}

/// cost = sum over ranks i, j of bytes(i, j) * distance(slot of i, slot of j), in bytes times the unit of the distance
/// (hops). The lists of partners are sparse: to evaluate a swap takes as many steps as its two ranks have partners.
/// Messages without bytes cost nothing. Sums are exact up to 2^53.
class QuadraticCost {
 public:
  struct Partner {
    Rank rank;
    double bytes;
  };

  /// There must be at least as many slots as ranks.
  QuadraticCost(const TrafficGraph& traffic, SlotCosts distances);

  /// The ranks of the job; those from their end on, up to as many as slots, are silent.
  core::IdRange<Rank> ranks() const { return core::ids<Rank>(rank_count_); }
  std::int32_t rank_count() const { return rank_count_; }
  std::size_t slot_count() const { return distances_.size(); }
  const SlotCosts& distances() const { return distances_; }

  /// The cost of a whole assignment, a permutation of the slots. Takes O(pairs that communicate).
  double total(const Assignment& slot_of) const;

  /// No assignment costs less: all bytes over the shortest distance (SlotCosts::least).
  double least_total() const;

  /// The change of total() when ranks `a` and `b` swap their slots; 0 if a == b. Takes O(partners of a and b).
  double swap_delta(const Assignment& slot_of, Rank a, Rank b) const;

  /// What `rank` alone would cost on each slot: the sum of bytes * distance over those of its partners that have a
  /// slot, which stay there. Takes O(slots * partners).
  void on_each_slot(const Assignment& slot_of, Rank rank, core::IdVector<Slot, double>& costs) const;

  /// What `rank` alone would cost on one slot, or costs where it is. All its partners must have a slot. Takes
  /// O(partners).
  double on_slot(const Assignment& slot_of, Rank rank, Slot slot) const;
  double of_rank(const Assignment& slot_of, Rank rank) const { return on_slot(slot_of, rank, slot_of[rank]); }

  /// The ranks that `rank` sends to. Where distances are symmetric, all that it exchanges with, with the bytes of both
  /// ways.
  std::span<const Partner> receivers(Rank rank) const { return receivers_.of(rank); }
  /// The ranks that `rank` receives from; none where distances are symmetric.
  std::span<const Partner> senders(Rank rank) const { return senders_.of(rank); }
  /// The number of its receivers and senders: the steps that a look at the rank takes. A silent rank has 0.
  std::size_t partner_count(Rank rank) const { return receivers(rank).size() + senders(rank).size(); }

  /// Calls visit(partner, bytes) for all that the rank exchanges with; twice for some where both ways are kept apart.
  template <class Visit>
  void for_each_partner(Rank rank, Visit&& visit) const {
    for (const auto& [partner, bytes] : receivers(rank)) visit(partner, bytes);
    for (const auto& [partner, bytes] : senders(rank)) visit(partner, bytes);
  }

 private:
  /// The partners of all ranks, one rank's list after the other's.
  struct Lists {
    std::vector<Partner> partners;
    core::IdVector<Rank, std::size_t> begin{0};
    std::span<const Partner> of(Rank rank) const {
      return {partners.data() + begin[rank], begin[rank + 1] - begin[rank]};
    }
  };

  static constexpr std::size_t quickly_counted = 12;  ///< slots, up to which each difference is held to a recount
  bool is_recounted(Assignment slot_of, Rank a, Rank b, double delta) const;
  double move_delta(const Assignment& slot_of, Rank rank, Rank other) const;

  SlotCosts distances_;
  std::int32_t rank_count_;
  Lists receivers_, senders_;
};

}  // namespace toroid::mapping
