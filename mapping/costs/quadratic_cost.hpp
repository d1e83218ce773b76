#pragma once
// The cost of a mapping as a quadratic assignment problem: what every pair of ranks exchanges, times how far apart the
// two are.

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/costs/distance.hpp"
#include "mapping/problem/assignment.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// cost = sum over ranks i, j of bytes(i, j) * distance(slot of i, slot of j), in bytes times the unit of the distance
/// (hops). Sparse: a swap is evaluated in the number of partners of its two ranks. Messages without bytes cost nothing.
/// Sums are exact up to 2^53.
class QuadraticCost {
 public:
  struct Partner {
    std::int32_t rank;
    double bytes;
  };

  /// There must be at least as many slots as ranks.
  QuadraticCost(const TrafficGraph& traffic, SlotDistances distances);

  /// Ranks of the job; ranks from here to slots()-1 are silent.
  std::size_t ranks() const { return ranks_; }
  std::size_t slots() const { return distances_.size(); }
  const SlotDistances& distances() const { return distances_; }

  /// The cost of a whole assignment, a permutation of the slots, in O(pairs that communicate).
  double total(const Assignment& slot_of) const;

  /// The change of total() when ranks `a` and `b` swap their slots, in O(partners of a and b). 0 if a == b.
  double swap_delta(const Assignment& slot_of, std::int32_t a, std::int32_t b) const;

  /// What `rank` alone would cost on each slot: sum over its partners j of bytes * distance, they where they are,
  /// without those that are nowhere. In O(slots * partners).
  void on_each_slot(const Assignment& slot_of, std::int32_t rank, std::vector<double>& costs) const;

  /// The same on one slot, or on that where it is, in O(partners). All partners must be placed.
  double on_slot(const Assignment& slot_of, std::int32_t rank, std::size_t slot) const;
  double of_rank(const Assignment& slot_of, std::int32_t rank) const {
    return on_slot(slot_of, rank, static_cast<std::size_t>(slot_of[static_cast<std::size_t>(rank)]));
  }

  /// To whom the rank sends. Where distances are symmetric, with whom it exchanges: bytes of both ways.
  std::span<const Partner> receivers(std::int32_t rank) const { return receivers_.of(rank); }
  /// From whom it receives; empty where distances are symmetric.
  std::span<const Partner> senders(std::int32_t rank) const { return senders_.of(rank); }

  /// Calls visit(index of rank, bytes) for all with whom it exchanges; twice for some where both ways are kept apart.
  template <class Visit>
  void for_each_partner(std::int32_t rank, Visit&& visit) const {
    for (const auto& [partner, bytes] : receivers(rank)) visit(static_cast<std::size_t>(partner), bytes);
    for (const auto& [partner, bytes] : senders(rank)) visit(static_cast<std::size_t>(partner), bytes);
  }

 private:
  /// Lists of partners, one rank's after the other's.
  struct Lists {
    std::vector<Partner> partners;
    std::vector<std::size_t> begin{0};
    std::span<const Partner> of(std::int32_t rank) const {
      const auto r = static_cast<std::size_t>(rank);
      return {partners.data() + begin[r], begin[r + 1] - begin[r]};
    }
  };

  double move_delta(const Assignment& slot_of, std::int32_t rank, std::int32_t other) const;

  SlotDistances distances_;
  std::size_t ranks_;
  Lists receivers_, senders_;
};

}  // namespace toroid::mapping
