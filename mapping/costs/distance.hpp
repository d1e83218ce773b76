#pragma once
// Distances between nodes, as costs of a byte that travels between them.

#include <cstdint>
#include <span>
#include <vector>

#include "core/registry.hpp"
#include "platforms/machine.hpp"

namespace toroid::mapping {

using platforms::Machine;
using platforms::NodeId;

/// A distance from the hops that the route takes along each dimension: |steps|, so on a torus the shorter way round, on
/// a one-way ring the only way. Dimensions of extent 1, which have no links, are left out.
using Distance = std::int32_t (*)(std::span<const std::int32_t> hops);

/// Hops in all: h_x + h_y + ...
std::int32_t classic_distance(std::span<const std::int32_t> hops);

/// Traffic Distribution, eq. 7 of Pascual, Miguel-Alonso, Lozano 2011: the hops in all, and the difference
/// |h_d - h_e| for each pair of dimensions d < e. Of two routes with as many hops, the one that spreads them evenly
/// over the dimensions is shorter.
std::int32_t td_distance(std::span<const std::int32_t> hops);

/// `classic` and `td`.
const core::Registry<Distance>& distances();

/// The distances between the slots of a job, by index of slot. 0 between slots of one node.
class SlotDistances {
 public:
  /// Up to this many slots all distances are kept (4 bytes for each pair, 64 MiB in all); above, each is computed when
  /// asked for.
  static constexpr std::size_t table_limit = 4096;

  /// `machine` must outlive this object. Every slot is a node of it; a node may stand several times.
  SlotDistances(const Machine& machine, std::span<const NodeId> slots, Distance distance);

  std::size_t size() const { return slots_.size(); }
  /// Whether all distances are the same both ways.
  bool symmetric() const { return machine_.symmetric(); }

  std::int32_t operator()(std::size_t from, std::size_t to) const {
    return table_.empty() ? compute(from, to) : table_[from * slots_.size() + to];
  }

 private:
  std::int32_t compute(std::size_t from, std::size_t to) const;

  const Machine& machine_;
  Distance distance_;
  std::vector<NodeId> slots_;
  std::vector<std::size_t> dimensions_;  ///< those of extent 2 or more
  std::vector<std::int32_t> table_;
};

}  // namespace toroid::mapping
