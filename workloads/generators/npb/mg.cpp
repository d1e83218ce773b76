#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t log_points, iterations;  ///< logarithm of the points along an axis, and iterations
};
constexpr ByClass<Size> sizes(Size{5, 4}, Size{7, 4}, Size{8, 4}, Size{8, 20}, Size{9, 20}, Size{10, 50});

/// The neighbours along an axis: towards 0, and away from it.
struct BothWays {
  CommRank down, up;
};

/// What a rank has of one of the grids, and with whom it exchanges its borders.
struct Level {
  std::array<std::int32_t, 3> extents;  ///< points along the axes, with a border at each end
  std::array<BothWays, 3> neighbours;
  std::array<bool, 3> gives{}, takes{};  ///< borders, when going to this grid from a coarser one of fewer ranks
  bool idle = false;                     ///< no points
};

/// The grids of a rank, the coarsest of two points an axis first. Grids that are too coarse for all ranks have points
/// at every second rank, or fourth, ..., and these are neighbours then.
class Levels {
 public:
  Levels(Rank rank, const std::array<std::int32_t, 3>& ranks, std::int32_t count)
      : ranks_(ranks), levels_(static_cast<std::size_t>(count)) {
    auto rest = rank.value();
    for (std::size_t axis = 0; axis < 3; rest /= ranks[axis++]) me_[axis] = rest % ranks[axis];
    for (std::int32_t level = count; level >= 1; --level) fill(level, level < count);
  }

  /// Level 1 has two points an axis, level 2 four.
  const Level& operator[](std::int32_t level) const { return levels_[static_cast<std::size_t>(level - 1)]; }

 private:
  void fill(std::int32_t number, bool has_finer) {
    auto& level = levels_[static_cast<std::size_t>(number - 1)];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto before = [&](std::int32_t rank) { return rank * (std::int32_t{1} << number) / ranks_[axis]; };
      const auto points = [&](std::int32_t rank) { return before(rank + 1) - before(rank); };
      const auto mine = points(me_[axis]), next = points(me_[axis] + distance_[axis]);
      if (mine == 0 || next == 0) distance_[axis] *= 2;
      if (has_finer) {
        auto& finer = levels_[static_cast<std::size_t>(number)];
        finer.gives[axis] = mine == 1 && next == 0;
        finer.takes[axis] = mine == 0 && next == 1;
      }
      level.extents[axis] = mine + 2;
      level.idle = level.idle || mine == 0;
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
      level.neighbours[axis] = {rank_at(axis, -distance_[axis]), rank_at(axis, +distance_[axis])};
  }

  CommRank rank_at(std::size_t axis, std::int32_t offset) const {
    auto at = me_;
    at[axis] = (at[axis] + offset + ranks_[axis]) % ranks_[axis];
    return at[0] + ranks_[0] * (at[1] + ranks_[1] * at[2]);
  }

  std::array<std::int32_t, 3> ranks_, me_{}, distance_{1, 1, 1};
  std::vector<Level> levels_;
};

std::array<std::int32_t, 3> grid_of(std::int32_t ranks) {
  const auto log = std::countr_zero(static_cast<std::uint32_t>(ranks));
  const auto x = log / 3, y = (log - x) / 2;
  return {1 << x, 1 << y, 1 << (log - x - y)};
}

const Cost setup{"setup", "making the right hand side: for each point of a rank and its border", core::flops(), "7f"};
const Cost point{"point", "smoothing, a residual, or going to another grid: for each point of a rank and its border",
                 core::flops(), "2.87f"};
const Cost clear{"clear", "clearing buffers, whole, before each exchange: for each number", core::flops(), "1.37f"};
const Cost copy{
    "copy", "copying borders: for each number; four times as much across x, where numbers are not beside each other",
    core::flops(), "1.09f"};
const Cost piece{
    "piece", "what each piece of computation between calls takes besides; six of them for an exchange along an axis",
    core::flops(), "1.13kf"};

/// Multigrid: V-cycles on a periodic grid of points, which a periodic grid of ranks shares.
class Multigrid final : public Benchmark {
 public:
  explicit Multigrid(const Request& request) : Benchmark(request, sizes[request.problem].iterations) {}

 private:
  void begin(Rank rank, Script& script) const override {
    const Levels levels(rank, grid_, finest_);
    script.collective(OpKind::barrier);
    for (const std::uint64_t count : {1U, 1U, 1U, 1U, 1U, 8U, 1U}) script.collective(OpKind::bcast, integer * count);
    charge(levels, script);
    norm(levels, script);
    visit(levels, finest_, 1, script);
    norm(levels, script);
    cycle(levels, script);
    charge(levels, script);
    script.collective(OpKind::barrier);
    visit(levels, finest_, 1, script);
    norm(levels, script);
  }
  void iterate(Rank rank, std::int32_t, Script& script) const override { cycle(Levels(rank, grid_, finest_), script); }
  void finish(Rank rank, Script& script) const override {
    norm(Levels(rank, grid_, finest_), script);
    script.collective(OpKind::reduce, word);
  }

  /// The right hand side: the ten greatest and the ten least of random numbers become charges.
  void charge(const Levels& levels, Script& script) const {
    constexpr int charges = 20;
    script.compute(setup_ * points(levels[finest_]));
    script.collective(OpKind::barrier);
    for (int i = 0; i < charges; ++i) {
      script.collective(OpKind::allreduce, word);
      script.collective(OpKind::allreduce, 4 * integer);
    }
    script.collective(OpKind::barrier);
    visit(levels, finest_, 0, script);
  }

  /// Goes once through all points, where smoothing goes through them with their neighbours.
  void norm(const Levels& levels, Script& script) const {
    constexpr double part = 0.5;
    script.compute(part * point_ * points(levels[finest_]));
    script.collective(OpKind::allreduce, word);
    script.collective(OpKind::allreduce, word);
  }

  /// Down to the coarsest grid and up again, with the residual of the result.
  void cycle(const Levels& levels, Script& script) const {
    for (std::int32_t level = finest_ - 1; level >= 1; --level)
      visit(levels, level, 1, script);  // restricts the residual
    visit(levels, 1, 1, script);        // smooths
    for (std::int32_t level = 2; level <= finest_; ++level) {
      spread(levels[level], script);
      visit(levels, level, 2, script);  // interpolates, and computes the residual
      visit(levels, level, 1, script);  // smooths
    }
    visit(levels, finest_, 1, script);
  }

  /// Points of a rank with its borders.
  static double points(const Level& level) {
    double product = 1;
    for (const auto extent : level.extents) product *= extent;
    return product;
  }

  static std::int32_t tag(std::size_t axis, bool up) {
    return 1000 * static_cast<std::int32_t>(axis + 1) + (up ? 300 : 100);
  }

  /// Bytes of the border across an axis, with those points of the borders of earlier axes that are up to date.
  static std::uint64_t border(const Level& level, std::size_t axis) {
    std::uint64_t bytes = word;
    for (std::size_t other = 0; other < 3; ++other)
      if (other != axis) bytes *= static_cast<std::uint64_t>(level.extents[other] - (other > axis ? 2 : 0));
    return bytes;
  }

  /// Goes through the points that many times, and then exchanges the borders of the result, axis by axis. Buffers are
  /// cleared whole before each axis, and have room for two planes of the finest grid.
  void visit(const Levels& levels, std::int32_t number, double times, Script& script) const {
    const auto& level = levels[number];
    if (level.idle) return;
    script.compute(times * point_ * points(level) + piece_);
    if (ranks() == 1) return;
    const auto& extents = levels[finest_].extents;
    const double side = *std::max_element(extents.begin(), extents.end()), cleared = 2 * (2 * side * side);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto& to = level.neighbours[axis];
      const auto bytes = border(level, axis);
      script.irecv(to.up, tag(axis, false), bytes, 0);
      script.irecv(to.down, tag(axis, true), bytes, 1);
      // Both sides, out and in.
      const double copied = (axis == 0 ? 4 : 1) * 4 * static_cast<double>(bytes / word);
      script.compute(clear_ * cleared + copy_ * copied + 6 * piece_);
      script.send(to.up, tag(axis, true), bytes);
      script.send(to.down, tag(axis, false), bytes);
      script.wait(0);
      script.wait(1);
    }
  }

  /// Values of a coarser grid come to the ranks that have no points of that.
  void spread(const Level& level, Script& script) const {
    if (ranks() == 1) return;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::uint64_t plane = word;
      for (std::size_t other = 0; other < 3; ++other)
        if (other != axis) plane *= static_cast<std::uint64_t>(level.extents[other]);
      const auto& to = level.neighbours[axis];
      if (level.takes[axis]) {
        script.irecv(to.up, tag(axis, false), plane, 0);
        script.irecv(to.down, tag(axis, true), 2 * plane, 1);
        script.wait(0);
        script.wait(1);
      }
      if (level.gives[axis]) {
        script.send(to.up, tag(axis, true), 2 * plane);
        script.send(to.down, tag(axis, false), plane);
      }
    }
  }

  std::array<std::int32_t, 3> grid_ = grid_of(ranks());
  std::int32_t finest_ = sizes[problem()].log_points;
  double setup_ = given(setup), point_ = given(point), clear_ = given(clear), copy_ = given(copy),
         piece_ = given(piece);
};

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  constexpr std::int32_t most = 131072;
  return std::has_single_bit(static_cast<std::uint32_t>(ranks)) && ranks <= most &&
         grid_of(ranks)[2] <= 1 << (sizes[problem].log_points - 1);
}

}  // namespace

Kind mg_benchmark() {
  return {"mg",    "NPB: multigrid", "a power of two that leaves two points an axis to each, up to 131072",
          runs_on, make<Multigrid>,  all_costs<setup, point, clear, copy, piece>};
}

}  // namespace toroid::workloads::npb
