#pragma once
// Distances between nodes, as costs of a byte that travels between them.

#include <cstdint>
#include <span>
#include <vector>

#include "core/registry.hpp"
#include "mapping/costs/near_slots.hpp"
#include "platforms/machine.hpp"

namespace toroid::mapping {

using platforms::Grid;
using platforms::Machine;
using platforms::NodeId;

/// A distance from the hops that the route takes along each dimension of the machine's grid: on a torus the shorter way
/// round, on a one-way ring the only way. 0 without hops.
using Distance = double (*)(const Machine& machine, const platforms::Coordinates& hops);

/// Hops in all: h_x + h_y + ...
double classic_distance(const Machine& machine, const platforms::Coordinates& hops);

/// Traffic Distribution, eq. 7 of Pascual, Miguel-Alonso, Lozano 2011: the hops in all, and the difference
/// |h_d - h_e| for each pair of dimensions d < e. Of two routes with as many hops, the one that spreads them evenly
/// over the dimensions is shorter. Dimensions of extent 1, which have no links, do not count.
double td_distance(const Machine& machine, const platforms::Coordinates& hops);

/// The same with all three dimensions of the printed equation: those that a grid does not have count as 0 hops, so that
/// on a plane it is 2 (h_x + h_y) + |h_x - h_y|. On grids of three dimensions or more it is td_distance.
double td_eq7_distance(const Machine& machine, const platforms::Coordinates& hops);

/// Hops of the fastest dimension that take as long: h_x * b/b_x + h_y * b/b_y + ..., where b_d is the bandwidth of
/// dimension d and b the largest of them. Where all are alike it is the classic distance.
double weighted_distance(const Machine& machine, const platforms::Coordinates& hops);

/// `classic`, `td`, `td-eq7` and `weighted`.
const core::Registry<Distance>& distances();

/// The distances between the slots of a job, by index of slot; 0 between slots of one node. In single precision, so
/// whole distances are exact up to 2^24.
class SlotDistances {
 public:
  /// On up to this many nodes all distances are kept (4 bytes for each pair, 64 MiB in all); on more, each is computed
  /// when asked for.
  static constexpr std::size_t table_limit = 4096;

  /// `machine` must outlive this object. Every slot is a node of it; a node may stand several times.
  SlotDistances(const Machine& machine, std::span<const NodeId> slots, Distance distance);

  std::size_t size() const { return place_of_.size(); }
  /// Whether all distances are the same both ways.
  bool symmetric() const { return machine_.symmetric(); }

  /// Slots close to this one, see NearSlots.
  std::span<const std::int32_t> near(std::size_t slot) const { return near_(slot); }

  /// costs[to] += factor * the distance from `from` to `to`, for each slot `to`.
  void add_row(std::size_t from, double factor, std::vector<double>& costs) const;

  double operator()(std::size_t from, std::size_t to) const {
    const std::size_t a = place_of_[from], b = place_of_[to];
    return table_.empty() ? compute(a, b) : table_[a * nodes_.size() + b];
  }

 private:
  float compute(std::size_t from, std::size_t to) const;

  const Machine& machine_;
  Distance distance_;
  NearSlots near_;
  std::vector<NodeId> nodes_;            ///< the different nodes of the slots
  std::vector<std::uint32_t> place_of_;  ///< of each slot, the index of its node in nodes_
  std::vector<float> table_;             ///< between nodes_
};

}  // namespace toroid::mapping
