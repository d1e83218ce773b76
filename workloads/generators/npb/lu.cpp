#include "workloads/generators/npb/benchmark.hpp"

namespace toroid::workloads::npb {
namespace {

struct Size {
  std::int32_t points, iterations;  ///< along an axis
};
constexpr ByClass<Size> sizes(Size{12, 50}, Size{33, 300}, Size{64, 250}, Size{102, 250}, Size{162, 250},
                              Size{408, 300});
constexpr std::int32_t least_points = 3;  ///< least points of a rank along an axis
constexpr std::uint64_t variables = 5;

const Cost setup{"setup", "initial values and the exact solution: for each point of a rank", core::flops(), "970f"};
const Cost rhs{"rhs", "the right hand side: for each point of a rank and its border", core::flops(), "90.2f"};
const Cost sweep{"sweep", "a sweep through a plane: for each inner point of a rank", core::flops(), "212f"};
const Cost piece{"piece", "what each piece of computation between messages takes besides", core::flops(), "3.03kf"};
const Cost message{"message", "what each message takes its sender, and in a sweep its receiver, besides", core::flops(),
                   "1.33kf"};

/// Ranks along x and y: as square as possible; LU wants x to be at most twice y.
std::vector<std::int32_t> grid_of(std::int32_t ranks) {
  std::int32_t y = 1;
  for (std::int32_t n = 2; n * n <= ranks; ++n)
    if (ranks % n == 0) y = n;
  return {ranks / y, y};
}

/// The points of a rank along an axis.
struct Range {
  std::int32_t first, count;  ///< its first place in the whole grid, from 0, and how many there are

  /// The part of place `at` of `places`; the first ones have one more if it does not come out even.
  Range(std::int32_t points, std::int32_t places, std::int32_t at)
      : first(at * (points / places) + std::min(at, points % places)),
        count(points / places + (at < points % places ? 1 : 0)) {}

  bool has(std::int32_t point) const { return point >= first && point < first + count; }
};

/// Where a rank is.
struct Place {
  Range x, y;
  CommRank north, south, west, east;  ///< before and after along x, before and after along y

  Place(Rank rank, const RankGrid& grid, std::int32_t points)
      : x(points, grid.extent(0), grid.coordinate(rank, 0)),
        y(points, grid.extent(1), grid.coordinate(rank, 1)),
        north(grid.neighbour(rank, 0, -1)),
        south(grid.neighbour(rank, 0, +1)),
        west(grid.neighbour(rank, 1, -1)),
        east(grid.neighbour(rank, 1, +1)) {}

  /// Points of the rank along x (y) without those at the boundary of the whole.
  std::int32_t inner_x() const { return x.count - (north == no_process ? 1 : 0) - (south == no_process ? 1 : 0); }
  std::int32_t inner_y() const { return y.count - (west == no_process ? 1 : 0) - (east == no_process ? 1 : 0); }
};

/// Messages are tagged with the side that they come from.
constexpr std::int32_t from_south = 1, from_north = 2, from_east = 3, from_west = 4;

std::uint64_t bytes_of(std::int32_t numbers) {
  return word * static_cast<std::uint64_t>(numbers);
}

/// Lower-upper symmetric Gauss-Seidel: wave fronts run over a grid of ranks, plane after plane of points.
class LowerUpper final : public Benchmark {
 public:
  explicit LowerUpper(const Request& request) : Benchmark(request, sizes[request.problem].iterations) {}

 private:
  void begin(Rank rank, Script& script) const override {
    const auto place = place_of(rank);
    for (const auto bytes :
         {integer, integer, integer, word, word, variables * word, integer, integer, integer, integer})
      script.collective(OpKind::bcast, bytes);
    script.compute(setup_ * place.x.count * place.y.count * points_);
    right_hand_side(place, script);  // that of the exact solution
    start(place, script);
    sweeps(place, script);
    right_hand_side(place, script);
    script.collective(OpKind::allreduce, word);  // the time of the iteration to warm up
    start(place, script);
  }

  void iterate(Rank rank, std::int32_t iteration, Script& script) const override {
    const auto place = place_of(rank);
    const bool last = iteration == iterations();
    sweeps(place, script);
    if (last) norms(script);
    right_hand_side(place, script);
    if (last) norms(script);
  }

  void finish(Rank rank, Script& script) const override {
    const auto place = place_of(rank);
    script.collective(OpKind::allreduce, word);  // the time
    norms(script);                               // of the error
    surface_integral(place, script);
  }

  /// The last one says how large the residual is.
  Same same_iterations() const override { return {1, iterations() - 1}; }

  Place place_of(Rank rank) const { return {rank, grid_, points_}; }

  void start(const Place& place, Script& script) const {
    right_hand_side(place, script);
    norms(script);
    script.collective(OpKind::barrier);
  }

  static void norms(Script& script) { script.collective(OpKind::allreduce, variables * word); }

  /// The lower triangular system from north west to south east, the upper one back.
  void sweeps(const Place& p, Script& script) const {
    const auto along_x = bytes_of(p.inner_x()) * variables, along_y = bytes_of(p.inner_y()) * variables;
    const auto planes = points_ - 2;
    for (const bool forward : {true, false}) {
      const auto before_x = forward ? p.north : p.south, before_y = forward ? p.west : p.east;
      const int received = (before_x != no_process ? 1 : 0) + (before_y != no_process ? 1 : 0);
      for (std::int32_t plane = 0; plane < planes; ++plane) {
        receive(before_x, forward ? from_north : from_south, along_y, script);
        receive(before_y, forward ? from_west : from_east, along_x, script);
        script.compute(sweep_ * p.inner_x() * p.inner_y() + piece_ + message_ * received);
        send(forward ? p.south : p.north, forward ? from_north : from_south, along_y, script);
        send(forward ? p.east : p.west, forward ? from_west : from_east, along_x, script);
      }
    }
  }

  /// Two layers of points from each neighbour, before fluxes along x and y; those along z need none. The parts of the
  /// computation are those of a recorded run.
  void right_hand_side(const Place& p, Script& script) const {
    const double all = rhs_ * (p.x.count + 2) * (p.y.count + 2) * points_;
    const auto across_x = 2 * variables * bytes_of(p.y.count * points_);
    const auto across_y = 2 * variables * bytes_of(p.x.count * points_);
    script.compute(0.15 * all + piece_);
    shift(p.north, p.south, from_north, across_x, script);
    shift(p.south, p.north, from_south, across_x, script);
    script.compute(0.3 * all + piece_);
    shift(p.west, p.east, from_west, across_y, script);
    shift(p.east, p.west, from_east, across_y, script);
    script.compute(0.55 * all + piece_);
  }

  /// Sends one way what comes the same way.
  void shift(CommRank from, CommRank to, std::int32_t tag, std::uint64_t bytes, Script& script) const {
    if (from != no_process) script.irecv(from, tag, bytes, 0);
    send(to, tag, bytes, script);
    if (from != no_process) script.wait(0);
  }
  static void receive(CommRank from, std::int32_t tag, std::uint64_t bytes, Script& script) {
    if (from != no_process) script.recv(from, tag, bytes);
  }
  void send(CommRank to, std::int32_t tag, std::uint64_t bytes, Script& script) const {
    if (to == no_process) return;
    script.send(to, tag, bytes);
    script.compute(message_);
  }
  /// Receives from one side, then sends to the other.
  void relay(CommRank from, CommRank to, std::int32_t tag, std::uint64_t bytes, Script& script) const {
    if (from != no_process) {
      script.irecv(from, tag, bytes, 0);
      script.wait(0);
    }
    send(to, tag, bytes, script);
  }

  /// The integral over the six sides of a box: values of a side go to the ranks before that share it.
  void surface_integral(const Place& p, Script& script) const {
    const auto low = 1, high_x = points_ - 2, high_y = points_ - 3;  // the sides of the box
    relay(p.east, p.west, from_east, 2 * bytes_of(p.x.count), script);
    relay(p.south, p.north, from_south, 2 * bytes_of(p.y.count + 2), script);
    script.collective(OpKind::allreduce, word);
    for (const auto side : {low, high_y})
      if (p.y.has(side)) relay(p.south, p.north, from_south, bytes_of(points_), script);
    script.collective(OpKind::allreduce, word);
    for (const auto side : {low, high_x})
      if (p.x.has(side)) relay(p.east, p.west, from_east, bytes_of(points_), script);
    script.collective(OpKind::allreduce, word);
  }

  RankGrid grid_{grid_of(ranks())};
  std::int32_t points_ = sizes[problem()].points;
  double setup_ = given(setup), rhs_ = given(rhs), sweep_ = given(sweep), piece_ = given(piece),
         message_ = given(message);
};

bool runs_on(std::int32_t ranks, ProblemClass problem) {
  // x is the square root of the ranks at least, which tells most numbers that are too large without a search.
  const std::int64_t most_x = sizes[problem].points / least_points;
  if (ranks > most_x * most_x) return false;
  const auto grid = grid_of(ranks);
  return grid[0] <= 2 * grid[1] && sizes[problem].points / grid[0] >= least_points;
}

}  // namespace

Kind lu_benchmark() {
  return {"lu",
          "NPB: lower-upper symmetric Gauss-Seidel",
          "x times y ranks, y <= x <= 2 y, each with at least 3 points along an axis",
          runs_on,
          make<LowerUpper>,
          all_costs<setup, rhs, sweep, piece, message>};
}

}  // namespace toroid::workloads::npb
