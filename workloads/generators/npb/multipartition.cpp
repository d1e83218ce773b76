// The multipartition of BT and SP (R. Van der Wijngaart, Efficient implementation of a 3-dimensional ADI method on the
// iPSC/860, Supercomputing '93): p x p ranks and p x p x p cells of points. Each rank has p cells, one in every plane
// of cells along any axis, so that sweeps along an axis keep all ranks busy. The next cell of all of a rank's cells
// belongs to the same rank.

#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

std::int32_t root(std::int32_t ranks) {
  return static_cast<std::int32_t>(std::lround(std::sqrt(ranks)));
}

/// One of a rank's cells.
struct Cell {
  std::array<std::int32_t, 3> at;      ///< its position among the cells along each axis
  std::array<std::int32_t, 3> points;  ///< its points along each axis
};

/// The costs of such a benchmark.
struct MultipartitionCosts {
  std::array<std::string, 5> unless_given;
  Cost setup{"setup", "initial values and the exact solution: for each point of a rank", core::flops(),
             unless_given[0]};
  Cost rhs{"rhs", "the right hand side: for each point of a rank's cells and their borders", core::flops(),
           unless_given[1]};
  Cost eliminate{"eliminate", "a sweep forward: for each point of a rank", core::flops(), unless_given[2]};
  Cost substitute{"substitute", "a sweep backward: for each point of a rank", core::flops(), unless_given[3]};
  Cost piece{"piece", "what going through a cell takes besides", core::flops(), unless_given[4]};
};

class Multipartition : public Benchmark {
 public:
  /// A cube of `points` along each axis. The number of ranks is a square. `parameters` are the bytes of what is
  /// broadcast at the beginning.
  Multipartition(const Request& request, const MultipartitionCosts& costs, std::int32_t iterations, std::int32_t points,
                 std::vector<std::uint64_t> parameters)
      : Benchmark(request, iterations),
        parameters_(std::move(parameters)),
        points_(points),
        setup_(given(costs.setup)),
        rhs_(given(costs.rhs)),
        eliminate_(given(costs.eliminate)),
        substitute_(given(costs.substitute)),
        piece_(given(costs.piece)) {}

  /// Whether each cell has the three points along an axis that the benchmarks want.
  static bool fits(std::int32_t ranks, std::int32_t points) {
    constexpr std::int32_t least = 3;
    return root(ranks) * root(ranks) == ranks && points / root(ranks) >= least;
  }

 protected:
  std::int32_t side() const { return side_; }      ///< cells of a rank
  std::int32_t points() const { return points_; }  ///< points of the cube along an axis

  /// The cell of a rank that is the `stage`-th (from 0) along an axis.
  Cell cell(Rank rank, std::size_t axis, std::int32_t stage) const {
    const auto x = rank.value() % side_, y = rank.value() / side_;  // of the cell with z = 0
    const auto z = axis == 0 ? (stage - x + side_) % side_ : axis == 1 ? (y - stage + side_) % side_ : stage;
    Cell cell{{(x + z) % side_, (y - z + side_) % side_, z}, {}};
    for (std::size_t a = 0; a < 3; ++a) cell.points[a] = points_ / side_ + (cell.at[a] < points_ % side_ ? 1 : 0);
    return cell;
  }

  /// The rank with the next cells along an axis, or, for predecessor(), with the cells before.
  CommRank successor(Rank rank, std::size_t axis) const { return neighbour(rank, axis, +1); }
  CommRank predecessor(Rank rank, std::size_t axis) const { return neighbour(rank, axis, -1); }

  /// Broadcasts the parameters, makes initial values, and warms up with an iteration.
  void begin(Rank rank, Script& script) const final {
    for (const auto bytes : parameters_) script.collective(OpKind::bcast, bytes);
    script.compute(setup_ * points_of(rank, 0));
    iterate(rank, 0, script);
    script.collective(OpKind::barrier);
  }

  /// Computes the right-hand side, then solves systems along each axis by a sweep forward and one backward.
  void iterate(Rank rank, std::int32_t, Script& script) const final {
    right_hand_side(rank, script);
    for (std::size_t axis = 0; axis < 3; ++axis)
      for (const bool forward : {true, false}) sweep(rank, axis, forward, script);
  }

  /// Computes two norms at the end; the second one needs the neighbours' faces.
  void finish(Rank rank, Script& script) const final {
    script.collective(OpKind::allreduce, variables * word);
    right_hand_side(rank, script);
    script.collective(OpKind::allreduce, variables * word);
    script.collective(OpKind::reduce, word);
    script.collective(OpKind::barrier);
  }

  static constexpr std::uint64_t variables = 5;
  /// Tags: the side of a cell that a message comes from.
  static constexpr std::array<std::int32_t, 3> low_side{3000, 5000, 6000}, high_side{2000, 4000, 7000};

  /// What a step of a sweep computes in one of a rank's cells, in flops.
  double computation_of(const Cell& cell, bool forward) const {
    return (forward ? eliminate_ : substitute_) * cell.points[0] * cell.points[1] * cell.points[2] + piece_;
  }
  /// What goes from a cell to the next one in a sweep.
  struct Front {
    std::int32_t tag;
    std::uint64_t bytes;
  };

 private:
  virtual Front front(const Cell& cell, std::size_t axis, bool forward) const = 0;
  /// Waits for the front that was sent (request 0) and for the one that comes (request 1).
  virtual void wait_for_fronts(Script& script) const = 0;
  /// Goes through the cells of an axis, forward to eliminate or backward to substitute.
  void sweep(Rank rank, std::size_t axis, bool forward, Script& script) const {
    const auto from = forward ? predecessor(rank, axis) : successor(rank, axis);
    const auto to = forward ? successor(rank, axis) : predecessor(rank, axis);
    for (std::int32_t step = 0; step < side_; ++step) {
      const auto at = cell(rank, axis, forward ? step : side_ - 1 - step);
      const auto [tag, bytes] = front(at, axis, forward);
      if (step > 0) {
        script.irecv(from, tag, bytes, 1);
        wait_for_fronts(script);
      }
      script.compute(computation_of(at, forward));
      if (step + 1 < side_) script.isend(to, tag, bytes, 0);
    }
  }

  /// The right-hand side, after the cells' faces have come from the neighbours.
  void right_hand_side(Rank rank, Script& script) const {
    copy_faces(rank, script);
    script.compute(rhs_ * points_of(rank, 1) + piece_ * side_);
  }

  /// Sends two layers of points of each cell's faces to the neighbours, all at once.
  void copy_faces(Rank rank, Script& script) const {
    if (side_ == 1) return;
    RequestHandle request = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      script.irecv(successor(rank, axis), low_side[axis], face_bytes(rank, axis, true), request++);
      script.irecv(predecessor(rank, axis), high_side[axis], face_bytes(rank, axis, false), request++);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      script.isend(successor(rank, axis), high_side[axis], face_bytes(rank, axis, true), request++);
      script.isend(predecessor(rank, axis), low_side[axis], face_bytes(rank, axis, false), request++);
    }
    script.waitall(request);
  }

  CommRank neighbour(Rank rank, std::size_t axis, std::int32_t step) const {
    const std::int32_t dx = axis == 0 ? step : axis == 1 ? 0 : -step, dy = axis == 0 ? 0 : step;
    const auto x = rank.value() % side_, y = rank.value() / side_;
    return (x + dx + side_) % side_ + side_ * ((y + dy + side_) % side_);
  }

  std::uint64_t face_bytes(Rank rank, std::size_t axis, bool high) const {
    constexpr std::uint64_t layers = 2;
    std::uint64_t sum = 0;
    for (std::int32_t stage = 0; stage < side_; ++stage) {
      if (stage == (high ? side_ - 1 : 0)) continue;  // at the boundary
      const auto points = cell(rank, axis, stage).points;
      sum += static_cast<std::uint64_t>(points[(axis + 1) % 3] * points[(axis + 2) % 3]);
    }
    return sum * layers * variables * word;
  }

  /// Points of all cells of a rank, with that many around each cell.
  double points_of(Rank rank, std::int32_t border) const {
    double sum = 0;
    for (std::int32_t stage = 0; stage < side_; ++stage) {
      double points = 1;
      for (const auto along : cell(rank, 2, stage).points) points *= along + 2 * border;
      sum += points;
    }
    return sum;
  }

  std::vector<std::uint64_t> parameters_;
  std::int32_t side_ = root(ranks()), points_;
  double setup_, rhs_, eliminate_, substitute_, piece_;  ///< costs
};

struct Size {
  std::int32_t points, iterations;  ///< along an axis
};
constexpr ByClass<Size> bt_sizes(Size{12, 60}, Size{24, 200}, Size{64, 200}, Size{102, 200}, Size{162, 200},
                                 Size{408, 250});

const MultipartitionCosts bt_costs{{"2.95kf", "49.2f", "287f", "49.3f", "7.4kf"}};

/// Block tridiagonal systems along x, y and z. The buffers of a front are those of the largest cell: a block and a
/// vector for each point of a face, or a vector.
class BlockTridiagonal final : public Multipartition {
 public:
  explicit BlockTridiagonal(const Request& request)
      : Multipartition(request, bt_costs, bt_sizes[request.problem].iterations, bt_sizes[request.problem].points,
                       {integer, word, 3 * integer, integer, integer, integer}) {}

 private:
  Front front(const Cell& cell, std::size_t axis, bool forward) const override {
    const auto width = static_cast<std::uint64_t>(points() / side() + 1);
    const auto u = cell.at[axis == 0 ? 1 : 0], v = cell.at[axis == 2 ? 1 : 2];
    return {(forward ? low_side : high_side)[axis] + u + v * side(),
            width * width * (forward ? variables * variables + variables : variables) * word};
  }
  void wait_for_fronts(Script& script) const override {
    script.wait(0);
    script.wait(1);
  }
};

constexpr ByClass<Size> sp_sizes(Size{12, 100}, Size{36, 400}, Size{64, 400}, Size{102, 400}, Size{162, 400},
                                 Size{408, 500});

const MultipartitionCosts sp_costs{{"2.46kf", "72.1f", "80.1f", "31.9f", "7.59kf"}};

/// Scalar pentadiagonal systems along x, y and z. A front has for each point of a cell's face that is not at the
/// boundary of the whole two rows of coefficients and right hand sides, or of results.
class ScalarPentadiagonal final : public Multipartition {
 public:
  explicit ScalarPentadiagonal(const Request& request)
      : Multipartition(request, sp_costs, sp_sizes[request.problem].iterations, sp_sizes[request.problem].points,
                       {integer, word, 3 * integer, integer}) {}

 private:
  Front front(const Cell& cell, std::size_t axis, bool forward) const override {
    std::int32_t inner = 1;
    for (std::size_t other = 0; other < 3; ++other)
      if (other != axis)
        inner *= cell.points[other] - (cell.at[other] == 0 ? 1 : 0) - (cell.at[other] == side() - 1 ? 1 : 0);
    return {0, (forward ? 22U : 10U) * word * static_cast<std::uint64_t>(inner)};
  }
  void wait_for_fronts(Script& script) const override { script.waitall(2); }
};

template <const MultipartitionCosts& c>
std::vector<core::AnyParameter> costs_of() {
  return {c.setup, c.rhs, c.eliminate, c.substitute, c.piece};
}

template <const ByClass<Size>& sizes>
bool runs_on(std::int32_t ranks, ProblemClass problem) {
  return Multipartition::fits(ranks, sizes[problem].points);
}

}  // namespace

Kind bt_benchmark() {
  return {"bt",
          "NPB: block tridiagonal systems",
          "a square number that leaves three points an axis to a cell",
          runs_on<bt_sizes>,
          make<BlockTridiagonal>,
          costs_of<bt_costs>};
}

Kind sp_benchmark() {
  return {"sp",
          "NPB: scalar pentadiagonal systems",
          "a square number that leaves three points an axis to a cell",
          runs_on<sp_sizes>,
          make<ScalarPentadiagonal>,
          costs_of<sp_costs>};
}

}  // namespace toroid::workloads::npb
