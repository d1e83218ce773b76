#include "workloads/generators/iterated_trace.hpp"

namespace toroid::workloads {
namespace {

enum class Method { bspma, svaf };

/// Grids of ranks, those of E. Balzuweit, D. Bunde, V. Leung, A. Finley, A. Lee, Local search to improve task mapping,
/// ICPP workshops 2014, figure 3: the shape is of a shaped charge.
const std::vector<std::pair<std::string_view, std::vector<std::int32_t>>> shaped_charge{
    {"4", {1, 4, 1}},     {"8", {2, 4, 1}},     {"16", {2, 4, 2}},    {"32", {2, 8, 2}},
    {"64", {4, 8, 2}},    {"128", {4, 8, 4}},   {"256", {4, 16, 4}},  {"512", {8, 16, 4}},
    {"1024", {8, 16, 8}}, {"2048", {8, 32, 8}}, {"4096", {16, 32, 8}}};

const core::Parameter<std::vector<std::int32_t>> rank_count{
    "ranks", "number of ranks, in the grids of Balzuweit et al.: 4x8x2 for 64", core::one_of(shaped_charge), "64"};
const core::OptionalParameter<std::vector<std::int32_t>> rank_grid{"grid", "another grid of ranks",
                                                                   core::extents(3, 1 << 24U), "as ranks says"};
const core::Parameter<std::vector<std::int32_t>> points{"points", "grid points of a rank", core::extents(3, 1LL << 36U),
                                                        "32x32x32"};
const core::Parameter<std::int32_t> variables{"variables", "variables at a point", core::whole<std::int32_t>(1, 40),
                                              "5"};
const core::Parameter<std::int32_t> steps{"steps", "time steps", core::whole<std::int32_t>(0, 1'000'000'000), "20"};
const core::Parameter<Method> method{
    "method", "bspma: one message of all variables to a neighbour and step; svaf: one of each variable",
    core::one_of<Method>({{"bspma", Method::bspma}, {"svaf", Method::svaf}}), "bspma"};
const core::Parameter<std::int32_t> stencil{
    "stencil", "points of the stencil",
    core::one_of<std::int32_t>({{"2d5pt", 5}, {"2d9pt", 9}, {"3d7pt", 7}, {"3d27pt", 27}}), "3d7pt"};
const core::OptionalParameter<std::int32_t> sums{
    "sums", "variables, the first so many, that are summed up in each step", core::whole<std::int32_t>(0, 40), "all"};

/// Neighbours in the order in which miniGhost waits for them.
enum Side : RequestHandle { north, south, east, west, back, front, side_count };
constexpr std::array<std::int32_t, side_count> tags{1000, 2000, 3000, 4000, 5000, 6000};
constexpr std::array<std::size_t, side_count> axis_of{1, 1, 0, 0, 2, 2};
constexpr std::array<std::int32_t, side_count> direction_of{+1, -1, +1, -1, -1, +1};

/// The sides in the order in which a rank posts messages.
constexpr std::array<Side, side_count> posting_order{back, front, east, west, north, south};

Side opposite(Side side) {
  return static_cast<Side>(side ^ 1U);
}

std::vector<std::int32_t> with_three_axes(std::vector<std::int32_t> extents) {
  extents.resize(3, 1);
  return extents;
}

std::vector<std::int32_t> grid_of(const core::Arguments& arguments) {
  const auto& given = arguments[rank_grid];
  if (given && arguments.spec().find(rank_count.name))
    core::fail_input("'{}': expected either ranks or grid", core::excerpt(arguments.spec().text()));
  return with_three_axes(given.value_or(arguments[rank_count]));
}

double points_of(const core::Arguments& arguments) {
  double product = arguments[variables];
  for (const auto extent : arguments[points]) product *= extent;
  return product;
}

// What they are unless given: nanoseconds of recorded runs on 16 and 64 ranks (docs/validation/computation.md).
const core::Parameter<double> setup{"setup", "the beginning: for each point and variable of a rank", core::flops(),
                                    "504f"};
const core::Parameter<double> apply{"apply", "a step: for each point, variable and point of the stencil", core::flops(),
                                    "0.655f"};
const core::Parameter<double> face{"face", "copying a face for a neighbour, or from it: for each number", core::flops(),
                                   "7.9f"};

/// miniGhost 1.0: explicit difference stencils with exchange of boundaries. R. Barrett, C. Vaughan, M. Heroux,
/// MiniGhost: a miniapp for exploring boundary exchange strategies using stencil computations in scientific parallel
/// computing, SAND2011-5294832.
class MiniGhost final : public IteratedTrace {
 public:
  explicit MiniGhost(const core::Arguments& arguments)
      : IteratedTrace(arguments, RankGrid(grid_of(arguments)).size(), arguments[steps], 1, scatter(arguments)),
        grid_(grid_of(arguments)),
        beginning_(arguments[setup] * points_of(arguments)),
        application_(arguments[apply] * points_of(arguments) / variables_ * arguments[stencil]) {}

 private:
  /// Options, two names of files, the sources of heat, and the sum of each variable.
  void begin(Rank, Script& script) const override {
    const auto count = static_cast<std::uint64_t>(variables_);
    for (const auto bytes : {21 * integer, std::uint64_t{1024}, std::uint64_t{1024}, count * word, 4 * integer})
      script.collective(OpKind::bcast, bytes);
    script.compute(beginning_);
    script.collective(OpKind::allreduce, count * word);
  }

  void iterate(Rank rank, std::int32_t, Script& script) const override {
    if (method_ == Method::bspma) exchange(rank, variables_, script);
    for (std::int32_t variable = 0; variable < variables_; ++variable) {
      if (method_ == Method::svaf) exchange(rank, 1, script);
      script.compute(application_);
      if (variable < sums_) script.collective(OpKind::allreduce, word);
    }
  }

  /// The sums again, and the report: times, numbers of operations and messages.
  void finish(Rank, Script& script) const override {
    constexpr int times = 27;
    for (std::int32_t variable = 0; variable < variables_; ++variable) script.collective(OpKind::allreduce, word);
    for (int time = 0; time < times; ++time) script.collective(OpKind::gather, word);
    for (const std::uint64_t counts : {7U, 8U, 9U}) script.collective(OpKind::reduce, counts * word);
  }

  /// Stencils with corners do one axis after the other, so that corners come along.
  void exchange(Rank rank, std::int32_t count, Script& script) const {
    if (!diagonals_) return exchange_sides(rank, north, side_count, count, script);
    for (const Side first : {north, east, back}) exchange_sides(rank, first, first + 2, count, script);
  }

  /// Exchanges messages with the neighbours at the sides from `first` to before `end`.
  void exchange_sides(Rank rank, RequestHandle first, RequestHandle end, std::int32_t count, Script& script) const {
    const auto at_each_neighbour = [&](const auto& order, auto act) {
      for (const Side side : order)
        if (const auto neighbour = neighbour_of(rank, side); side >= first && side < end && neighbour != no_process)
          act(side, neighbour);
    };
    at_each_neighbour(posting_order, [&](Side side, CommRank neighbour) {
      script.irecv(neighbour, tags[opposite(side)], face_bytes(side, count), side);
    });
    at_each_neighbour(posting_order, [&](Side side, CommRank neighbour) {
      script.compute(face_ * numbers_in(side, count));
      script.isend(neighbour, tags[side], face_bytes(side, count), side_count + side);
    });
    constexpr std::array<Side, side_count> waiting_order{north, south, east, west, back, front};
    for (const RequestHandle requests : {0U, side_count + 0U})
      at_each_neighbour(waiting_order, [&](Side side, CommRank) {
        script.wait(requests + side);
        if (requests == 0) script.compute(face_ * numbers_in(side, count));
      });
  }

  CommRank neighbour_of(Rank rank, Side side) const { return grid_.neighbour(rank, axis_of[side], direction_of[side]); }

  /// A plane of points with a frame of one point around it.
  std::uint64_t face_bytes(Side side, std::int32_t count) const {
    std::uint64_t bytes = static_cast<std::uint64_t>(count) * word;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (axis != axis_of[side]) bytes *= static_cast<std::uint64_t>(points_[axis]) + 2;
    return bytes;
  }

  double numbers_in(Side side, std::int32_t count) const { return static_cast<double>(face_bytes(side, count)) / word; }

  RankGrid grid_;
  std::vector<std::int32_t> points_ = with_three_axes(given(points));
  std::int32_t variables_ = given(variables), sums_ = given(sums).value_or(variables_);
  Method method_ = given(method);
  bool diagonals_ = given(stencil) == 9 || given(stencil) == 27;  ///< whether the stencil has corners
  double beginning_, application_;                                ///< flops: of all variables, and of one in a step
  double face_ = given(face);
};

}  // namespace

core::Entry<MakeTrace> minighost_generator() {
  return {"minighost",
          "miniGhost: difference stencils with exchange of boundaries",
          make_trace<MiniGhost>,
          {rank_count, rank_grid, points, variables, steps, method, stencil, sums, setup, apply, face, imbalance, noise,
           jitter}};
}

}  // namespace toroid::workloads
