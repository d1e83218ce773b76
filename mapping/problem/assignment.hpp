#pragma once
// Which rank is on which slot: as a list, and as the state of a search.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "netsim/replay_report.hpp"

namespace toroid::mapping {

/// Index of a slot in the list that a mapper is given.
using Slot = std::int32_t;
constexpr Slot nowhere = -1;  ///< of a rank that is not placed yet

/// The slot of each rank. Searches take as many ranks as slots, as a quadratic assignment problem does: ranks beyond
/// those of the job are *silent*, they send nothing and stand for the empty slots. So a move of a rank into an empty
/// slot is a swap with a silent rank.
using Assignment = std::vector<Slot>;

/// Each rank on a slot of its node, the first that is free; then the silent ranks. The mapping must fit the slots.
Assignment assignment_of(const netsim::Mapping& mapping, std::span<const platforms::NodeId> slots);

/// The nodes of the first `ranks` ranks.
netsim::Mapping mapping_of(const Assignment& slot_of, std::span<const platforms::NodeId> slots, std::int32_t ranks);

/// What a search changes: the slot of each rank and the rank on each slot, one for one.
class Placement {
 public:
  /// `slot_of` is a permutation of the slots.
  explicit Placement(Assignment slot_of) : slot_of_(std::move(slot_of)), rank_on_(slot_of_.size()) {
    for (std::int32_t rank = 0; rank < size(); ++rank) rank_on_[slot(rank)] = rank;
  }

  /// Ranks, silent ones too, which are as many as slots.
  std::int32_t size() const { return static_cast<std::int32_t>(slot_of_.size()); }
  const Assignment& slot_of() const { return slot_of_; }
  std::size_t slot(std::int32_t rank) const {
    return static_cast<std::size_t>(slot_of_[static_cast<std::size_t>(rank)]);
  }
  std::int32_t rank_on(Slot slot) const { return rank_on_[static_cast<std::size_t>(slot)]; }

  /// Moves one of some ranks that move onto each other's slots; complete when all have moved.
  void put(std::int32_t rank, Slot slot) {
    slot_of_[static_cast<std::size_t>(rank)] = slot;
    rank_on_[static_cast<std::size_t>(slot)] = rank;
  }

  void swap(std::int32_t a, std::int32_t b) {
    const auto slot_a = slot_of_[static_cast<std::size_t>(a)], slot_b = slot_of_[static_cast<std::size_t>(b)];
    put(a, slot_b);
    put(b, slot_a);
  }

 private:
  Assignment slot_of_;
  std::vector<std::int32_t> rank_on_;
};

}  // namespace toroid::mapping
