#pragma once
// The multipartition of BT and SP (R. Van der Wijngaart, Efficient implementation of a 3-dimensional ADI method on the
// iPSC/860, Supercomputing '93): p x p ranks and p x p x p cells of points; each rank has p cells, one in every plane
// of cells along any axis, so that sweeps along an axis keep all ranks busy, and the next cell of all of a rank's cells
// belongs to the same rank.

#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {

/// One of a rank's cells.
struct Cell {
  std::array<std::int32_t, 3> at;      ///< its position among the cells along each axis
  std::array<std::int32_t, 3> points;  ///< its points along each axis
};

class Multipartition : public Benchmark {
 public:
  /// A cube of `points` along each axis. The number of ranks is a square.
  Multipartition(const Request& request, const Amount& amount, std::int32_t points);

  /// Whether each cell has the three points along an axis that the benchmarks want.
  static bool fits(std::int32_t ranks, std::int32_t points);

 protected:
  std::int32_t side() const { return side_; }      ///< cells of a rank
  std::int32_t points() const { return points_; }  ///< points of the cube along an axis

  /// The cell of a rank that is the `stage`-th (from 0) along an axis.
  Cell cell(Rank rank, std::size_t axis, std::int32_t stage) const;
  /// The rank with the next cells along an axis, or, for predecessor(), with the cells before.
  CommRank successor(Rank rank, std::size_t axis) const { return neighbour(rank, axis, +1); }
  CommRank predecessor(Rank rank, std::size_t axis) const { return neighbour(rank, axis, -1); }

  /// Computes the right-hand side, then solves systems along each axis by a sweep forward and one backward.
  void iterate(Rank rank, std::int32_t iteration, Script& script) const final;
  /// Computes two norms at the end; the second one needs the neighbours' faces.
  void finish(Rank rank, Script& script) const final;

  static constexpr std::uint64_t variables = 5;
  /// Tags: the side of a cell that a message comes from.
  static constexpr std::array<std::int32_t, 3> low_side{3000, 5000, 6000}, high_side{2000, 4000, 7000};
  /// The parts of an iteration's computation that the two sweeps along one axis take. The right-hand side takes the
  /// rest.
  static constexpr double forward_part = 0.15, backward_part = 0.1;

 private:
  virtual void sweep(Rank rank, std::size_t axis, bool forward, Script& script) const = 0;
  /// Sends two layers of points of each cell's faces to the neighbours, all at once.
  void copy_faces(Rank rank, Script& script) const;
  CommRank neighbour(Rank rank, std::size_t axis, std::int32_t step) const;
  std::uint64_t face_bytes(Rank rank, std::size_t axis, bool high) const;

  std::int32_t side_, points_;
};

}  // namespace toroid::workloads::npb
