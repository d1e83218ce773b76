#pragma once
// What a byte costs between the slots of a job, by one of the distances that mappers minimize.

#include <cstdint>
#include <span>
#include <vector>

#include "mapping/costs/distance.hpp"
#include "mapping/costs/near_slots.hpp"

namespace toroid::mapping {

/// The distance of each pair of slots, 0 between slots of one node, for searches that ask for the same pairs again and
/// again: worked out once where memory allows. In single precision, so whole distances are exact up to 2^24. Mappers
/// that go by the grid itself count hops instead, which takes no table: SlotHops.
class SlotCosts {
 public:
  /// On up to this many nodes all distances are kept (4 bytes for each pair, 64 MiB in all); on more, each is computed
  /// when asked for.
  static constexpr std::size_t table_limit = 4096;

  /// `machine` must outlive this object. Every slot is a node of it; a node may stand several times.
  SlotCosts(const Machine& machine, std::span<const NodeId> slots, Distance distance);

  std::size_t size() const { return place_of_.size(); }
  core::IdRange<Slot> slots() const { return place_of_.ids(); }
  /// Whether all distances are the same both ways.
  bool symmetric() const { return machine_.symmetric(); }

  /// Slots close to this one, see NearSlots.
  std::span<const Slot> near(Slot slot) const { return near_(slot); }

  /// costs[to] += factor * the distance from `from` to `to`, for each slot `to`.
  void add_row(Slot from, double factor, core::IdVector<Slot, double>& costs) const;

  double operator()(Slot from, Slot to) const {
    const std::size_t a = place_of_[from], b = place_of_[to];
    return table_.empty() ? compute(a, b) : table_[a * nodes_.size() + b];
  }

 private:
  float compute(std::size_t from, std::size_t to) const;

  const Machine& machine_;
  Distance distance_;
  NearSlots near_;
  std::vector<NodeId> nodes_;                     ///< the different nodes of the slots
  core::IdVector<Slot, std::uint32_t> place_of_;  ///< of each slot, the index of its node in nodes_
  std::vector<float> table_;                      ///< between nodes_
};

}  // namespace toroid::mapping
