#pragma once
// The multipartition of BT and SP (R. Van der Wijngaart, Efficient implementation of a 3-dimensional ADI method on the
// iPSC/860, Supercomputing '93): p x p ranks and p x p x p cells of points. Each rank has p cells, one in every plane
// of cells along any axis, so that sweeps along an axis keep all ranks busy. The next cell of all of a rank's cells
// belongs to the same rank.

#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {

/// One of a rank's cells.
struct Cell {
  std::array<std::int32_t, 3> at;      ///< its position among the cells along each axis
  std::array<std::int32_t, 3> points;  ///< its points along each axis
};

/// The costs of such a benchmark.
struct MultipartitionCosts {
  Cost setup, rhs, eliminate, substitute, piece;

  /// Takes what each cost is unless a user gives it.
  MultipartitionCosts(const std::string& setup_unless_given, const std::string& rhs_unless_given,
                      const std::string& eliminate_unless_given, const std::string& substitute_unless_given,
                      const std::string& piece_unless_given);
  std::vector<core::AnyParameter> all() const { return {setup, rhs, eliminate, substitute, piece}; }
};

class Multipartition : public Benchmark {
 public:
  /// A cube of `points` along each axis. The number of ranks is a square.
  Multipartition(const Request& request, const MultipartitionCosts& costs, std::int32_t iterations,
                 std::int32_t points);

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

  /// What a step of a sweep computes in one of a rank's cells, in flops.
  double computation_of(const Cell& cell, bool forward) const {
    return (forward ? eliminate_ : substitute_) * cell.points[0] * cell.points[1] * cell.points[2] + piece_;
  }
  /// Initial values and the exact solution, in flops.
  double setup(Rank rank) const;

 private:
  virtual void sweep(Rank rank, std::size_t axis, bool forward, Script& script) const = 0;
  /// The right-hand side, after the cells' faces have come from the neighbours.
  void right_hand_side(Rank rank, Script& script) const;
  /// Sends two layers of points of each cell's faces to the neighbours, all at once.
  void copy_faces(Rank rank, Script& script) const;
  CommRank neighbour(Rank rank, std::size_t axis, std::int32_t step) const;
  std::uint64_t face_bytes(Rank rank, std::size_t axis, bool high) const;

  /// Points of all cells of a rank, with that many around each cell.
  double points_of(Rank rank, std::int32_t border) const;

  std::int32_t side_, points_;
  double setup_, rhs_, eliminate_, substitute_, piece_;  ///< costs
};

}  // namespace toroid::workloads::npb
