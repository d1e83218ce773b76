#pragma once
// What a byte costs between the slots of a job, by one of the distances that mappers minimize, and which slots are
// near.

#include "mapping/problem/assignment.hpp"

namespace toroid::mapping {

using platforms::Machine;
using platforms::NodeId;

/// A distance from the hops that the route takes along each dimension of the machine's grid: on a torus the shorter way
/// round, on a one-way ring the only way. It is 0 without hops.
using Distance = double (*)(const Machine& machine, const platforms::Coordinates& hops);

/// The sum of the hops: h_x + h_y + ...
double classic_distance(const Machine& machine, const platforms::Coordinates& hops);

/// Traffic Distribution, eq. 7 of Pascual, Miguel-Alonso, Lozano 2011: the sum of the hops, plus the difference
/// |h_d - h_e| for each pair of dimensions d < e. Of two routes with as many hops, the one that spreads them evenly
/// over the dimensions is shorter. Dimensions of extent 1, which have no links, do not count.
double td_distance(const Machine& machine, const platforms::Coordinates& hops);

/// Traffic Distribution with all three dimensions of the printed equation: those that a grid does not have count as 0
/// hops, so that on a plane it is 2 (h_x + h_y) + |h_x - h_y|. On grids of three dimensions or more it is td_distance.
double td_eq7_distance(const Machine& machine, const platforms::Coordinates& hops);

/// The hops of the fastest dimension that take as long: h_x * b/b_x + h_y * b/b_y + ..., where b_d is the bandwidth of
/// dimension d and b the largest of them. Where all dimensions are alike it is the classic distance.
double weighted_distance(const Machine& machine, const platforms::Coordinates& hops);

/// The distances by name: `classic`, `td`, `td-eq7` and `weighted`.
const core::Registry<Distance>& distances();

/// For each slot, the slots close to it: those of its own node, itself among them, then those of the nodes around it,
/// the fewest links away first. There are at least two such nodes for each dimension of the grid, if the job has as
/// many. Links of the grid count in either direction.
class NearSlots {
 public:
  /// Every slot is a node of the machine. The time is proportional to the number of slots if these are close together.
  NearSlots(const platforms::Machine& machine, std::span<const platforms::NodeId> slots);

  std::span<const Slot> operator()(Slot slot) const { return near_[list_of_[slot]]; }

 private:
  core::IdVector<Slot, std::size_t> list_of_;  ///< the number of each slot's list; slots on one router share a list
  std::vector<std::vector<Slot>> near_;
};

/// The distance of each pair of slots, 0 between slots of one node, for searches that ask for the same pairs again and
/// again. Distances are kept in single precision, in which whole numbers are exact up to 2^24. Mappers that go by the
/// grid itself count hops instead (SlotHops).
class SlotCosts {
 public:
  /// The distances of all pairs are kept up to `table_limit` nodes (4 bytes each, 1 MiB in all). With more nodes they
  /// are put together from the hops along each dimension, whose tables are far smaller. Where hops do not follow from
  /// coordinates (twists, failures), they are kept up to `table_limit_without_hops` nodes (64 MiB), and computed when
  /// asked for with more.
  static constexpr std::size_t table_limit = 512, table_limit_without_hops = 4096;

  /// `machine` must outlive this object. Every slot is a node of it; a node may stand several times.
  SlotCosts(const Machine& machine, std::span<const NodeId> slots, Distance distance);

  std::size_t size() const { return place_of_.size(); }
  core::IdRange<Slot> slots() const { return place_of_.ids(); }
  /// Whether all distances are the same both ways.
  bool symmetric() const { return symmetric_; }
  /// Whether a node has several of the slots.
  bool nodes_are_shared() const { return nodes_.size() < size(); }

  /// No two slots are closer than that: 0 if two are on one router, else a hop along the cheapest dimension.
  double least() const;

  /// The slots close to this one, see NearSlots.
  std::span<const Slot> near(Slot slot) const { return near_(slot); }

  /// costs[to] += factor * the distance from `from` to `to`, for each slot `to`.
  void add_row(Slot from, double factor, core::IdVector<Slot, double>& costs) const;

  double operator()(Slot from, Slot to) const {
    const std::size_t a = place_of_[from], b = place_of_[to];
    if (!table_.empty()) return table_[a * nodes_.size() + b];
    return by_hops_.empty() ? compute(a, b) : from_hops(a, b);
  }

 private:
  void make_table();
  void make_hops();
  float compute(std::size_t from, std::size_t to) const;
  float from_hops(std::size_t from, std::size_t to) const {
    const std::uint32_t *a = rows_.data() + from * dimensions_, *b = columns_.data() + to * dimensions_;
    std::uint32_t index = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) index += hops_[a[d] + b[d]];
    return by_hops_[index];
  }

  const Machine& machine_;
  Distance distance_;
  bool symmetric_;
  NearSlots near_;
  std::vector<NodeId> nodes_;                     ///< the different nodes of the slots
  core::IdVector<Slot, std::uint32_t> place_of_;  ///< the index of each slot's node in nodes_
  std::vector<float> table_;                      ///< distances between nodes_; empty if it would be too large
  std::size_t dimensions_ = 0;
  std::vector<std::uint32_t> rows_, columns_;  ///< the place of the coordinate of each node and dimension in hops_
  std::vector<std::uint32_t> hops_;  ///< hops along each dimension from and to each coordinate, times a stride
  std::vector<float> by_hops_;       ///< the distance, by the sum of these over the dimensions
};

}  // namespace toroid::mapping
