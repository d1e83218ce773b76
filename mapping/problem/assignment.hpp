#pragma once
// Which rank is on which slot: as a list, and as the state of a search.

#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::mapping {

using workloads::Rank;

/// The index of a slot in the list that a mapper is given.
using Slot = core::Id<struct SlotTag>;
constexpr Slot nowhere = Slot::none();  ///< the slot of a rank that is not placed yet

/// The slot of each rank. Searches take as many ranks as slots, as a quadratic assignment problem does: ranks beyond
/// those of the job are *silent*, they send nothing and stand for the empty slots. So a move of a rank into an empty
/// slot is a swap with a silent rank.
using Assignment = core::IdVector<Rank, Slot>;

/// Places each rank on the slot of its own number.
Assignment in_order(std::size_t ranks);

/// Places each rank on the first free slot of its node, then the silent ranks on those that are left. The mapping must
/// fit the slots.
Assignment assignment_of(const netsim::Mapping& mapping, std::span<const platforms::NodeId> slots);

/// The nodes of the first `ranks` ranks.
netsim::Mapping mapping_of(const Assignment& slot_of, std::span<const platforms::NodeId> slots, std::int32_t ranks);

/// What a search changes: the slot of each rank and the rank on each slot, one for one.
class Placement {
 public:
  /// `slot_of` is a permutation of the slots.
  explicit Placement(Assignment slot_of) : slot_of_(std::move(slot_of)), rank_on_(slot_of_.size()) {
    for (const Rank rank : ranks()) rank_on_[slot(rank)] = rank;
    TOROID_ASSERT_HEAVY(is_complete());
  }

  /// All ranks, silent ones too: there are as many as slots.
  core::IdRange<Rank> ranks() const { return slot_of_.ids(); }
  const Assignment& slot_of() const { return slot_of_; }
  Slot slot(Rank rank) const { return slot_of_[rank]; }
  Rank rank_on(Slot slot) const { return rank_on_[slot]; }

  /// Moves a rank to a slot that another one leaves. The state is complete again when all of these have moved.
  void put(Rank rank, Slot slot) {
    slot_of_[rank] = slot;
    rank_on_[slot] = rank;
  }

  /// Whether each rank is on the slot that has it.
  bool is_complete() const {
    const auto all = ranks();
    return std::ranges::all_of(all, [&](Rank rank) { return rank_on(slot(rank)) == rank; });
  }

  void swap(Rank a, Rank b) {
    const Slot slot_a = slot(a), slot_b = slot(b);
    put(a, slot_b);
    put(b, slot_a);
    TOROID_ASSERT_HEAVY(rank_on(slot(a)) == a && rank_on(slot(b)) == b);
  }

 private:
  Assignment slot_of_;
  core::IdVector<Slot, Rank> rank_on_;
};

}  // namespace toroid::mapping
