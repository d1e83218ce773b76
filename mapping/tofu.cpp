// How Fujitsu's job manager lays the logical torus of a job into the six dimensions of Tofu: axis X over x and a, Y
// over y and b, Z over z and c, each a ring of neighbours that goes out over the cubes and comes back beside that. Read
// from coordinates of ranks in real jobs (github.com/zhuangbility111/Fugaku_mpi_process_mapping_tool,
// data/coords_out*); how axes lie that fit no pair of dimensions is a guess that agrees with times of collectives on
// 64x64 nodes.

#include <fmt/ranges.h>

#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {
namespace {

constexpr std::size_t tofu_dimensions = 6, tofu_pairs = 3;
using TofuPlace = std::array<std::int32_t, tofu_dimensions>;  ///< x, y, z of the cube, and a, b, c within it
using TofuRing = std::vector<TofuPlace>;
using TofuPairs = std::vector<std::size_t>;  ///< 0: x and a, 1: y and b, 2: z and c

constexpr std::array<std::int32_t, tofu_pairs> cube{2, 3, 2};

const core::OptionalParameter<std::vector<std::int32_t>> tofu_shape{
    "shape", "extents of the job's logical torus: X, XxY or XxYxZ", core::extents(tofu_pairs, 1 << 20),
    "one axis of all ranks"};
const core::OptionalParameter<std::string> tofu_order{
    "order",
    "the axes as ranks count them, the fastest first (rank-map-bynode of Fujitsu MPI)",
    {"xyz, or these axes in another order",
     [](std::string_view text, const core::Place&) -> std::optional<std::string> {
       auto axes = std::string(text);
       std::ranges::sort(axes);
       return text.empty() || !std::string_view("xyz").starts_with(axes) ? std::nullopt
                                                                         : std::optional(std::string(text));
     }},
    "x, xy or xyz"};

/// A ring of n along a pair. Of three places in a cube, the way out takes one or two, to and fro, and the way back the
/// one between.
TofuRing fold(std::size_t pair, std::int32_t n) {
  if (n == 1) return {{}};
  TofuRing ring;
  const auto add = [&](std::int32_t along, std::int32_t within) {
    ring.push_back({});
    ring.back()[pair] = along;
    ring.back()[pair + tofu_pairs] = within;
  };
  if (pair == 1 && n == 16) {  // jobs had it so
    constexpr std::string_view y_and_b = "00102022324241515250403031211101";
    for (std::size_t i = 0; i < y_and_b.size(); i += 2) add(y_and_b[i] - '0', y_and_b[i + 1] - '0');
    return ring;
  }
  const auto cubes = (n + cube[pair] - 1) / cube[pair];
  const auto single = cube[pair] == 2 ? cubes : 3 * cubes - n;
  std::int32_t within = 0;
  for (std::int32_t i = 0; i < cubes; ++i) {
    add(i, within);
    if (i >= single) add(i, within = 2 - within);
  }
  for (auto i = cubes; i-- > 0;) add(i, 1);
  return ring;
}

class Folding {
 public:
  /// `cubes` are those of the job along x, y and z.
  explicit Folding(const std::array<std::int32_t, tofu_pairs>& cubes) : cubes_(cubes) {}

  bool fits(std::size_t pair, std::int32_t n) const {
    return n <= cubes_[pair] * cube[pair] && (n == 1 || cube[pair] == 3 || n % 2 == 0);
  }

  /// The places of an axis of n: along the first pair if it fits there; else in serpentines, as near to a square as
  /// there are, with rows along the first pair and a ring along the others. Empty if there is none.
  TofuRing ring(const TofuPairs& pairs, std::int32_t n) const {
    if (pairs.empty()) return n == 1 ? TofuRing{{}} : TofuRing{};
    if (fits(pairs[0], n)) return fold(pairs[0], n);
    const TofuPairs others(pairs.begin() + 1, pairs.end());
    TofuRing best;
    auto longer = n;
    for (std::int32_t rows = 2; rows < n; rows += 2) {
      if (n % rows != 0 || !fits(pairs[0], rows) || std::max(rows, n / rows) >= longer) continue;
      auto columns = ring(others, n / rows);
      if (columns.empty()) continue;
      longer = std::max(rows, n / rows);
      best = serpentine(fold(pairs[0], rows), columns);
    }
    return best;
  }

 private:
  /// Row by row to and fro beside the first column, and back along that.
  static TofuRing serpentine(const TofuRing& rows, const TofuRing& columns) {
    TofuRing ring;
    const auto add = [&](std::size_t row, std::size_t column) {
      ring.push_back(rows[row]);
      for (std::size_t d = 0; d < tofu_dimensions; ++d) ring.back()[d] += columns[column][d];
    };
    for (std::size_t row = 0; row < rows.size(); ++row)
      for (std::size_t i = 1; i < columns.size(); ++i) add(row, row % 2 == 0 ? i : columns.size() - i);
    for (auto row = rows.size(); row-- > 0;) add(row, 0);
    return ring;
  }

  std::array<std::int32_t, tofu_pairs> cubes_;
};

class Tofu final : public KeyedMapper {
 public:
  using KeyedMapper::KeyedMapper;

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override { map(problem); }

  Mapping map(const MappingProblem& problem) const override {
    const auto& grid = problem.machine.grid();
    const auto extent = [&](std::size_t d) { return grid.dimension(d).extent; };
    if (grid.dimension_count() != tofu_dimensions || std::array{extent(3), extent(4), extent(5)} != cube ||
        grid.dimension(4).wrap != platforms::Wrap::torus)
      core::fail_input(
          "mapper 'tofu': {} is no block of TofuD: expected six dimensions, the last three of 2, 3 and 2 nodes, where "
          "the 3 are a torus",
          problem.machine.name());
    const auto shape = shape_of(problem);
    const auto order = value(tofu_order).value_or(std::string("xyz").substr(0, shape.size()));
    if (order.size() != shape.size())
      core::fail_input("mapper 'tofu': order={} names {} axes, expected the {} of shape={}", order, order.size(),
                       shape.size(), fmt::join(shape, "x"));
    std::map<TofuPlace, NodeId> node_at;
    TofuPlace low{}, high{};
    low.fill(std::numeric_limits<std::int32_t>::max());
    for (const NodeId node : problem.slots) {
      TofuPlace place{};
      for (std::size_t d = 0; d < tofu_dimensions; ++d) {
        place[d] = grid.coordinate(problem.machine.router(node), d);
        low[d] = std::min(low[d], place[d]);
        high[d] = std::max(high[d], place[d]);
      }
      node_at.emplace(place, node);
    }
    std::fill(low.begin() + tofu_pairs, low.end(), 0);
    const auto rings = rings_of(shape, {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1});
    Mapping mapping;
    for (std::int32_t rank = 0; rank < problem.ranks(); ++rank) {
      auto place = low;
      auto rest = rank;
      for (const char name : order) {
        const auto axis = static_cast<std::size_t>(name - 'x');
        const auto& at = rings[axis][static_cast<std::size_t>(rest % shape[axis])];
        rest /= shape[axis];
        for (std::size_t d = 0; d < tofu_dimensions; ++d) place[d] += at[d];
      }
      const auto node = node_at.find(place);
      if (node == node_at.end())
        core::fail_input(
            "mapper 'tofu': rank {} would be at ({}), where the job has no node; expected a block of cubes", rank,
            fmt::join(place, ","));
      mapping.add(node->second);
    }
    return mapping;
  }

 private:
  std::vector<std::int32_t> shape_of(const MappingProblem& problem) const {
    const auto shape = value(tofu_shape).value_or(std::vector{problem.ranks()});
    std::int64_t places = 1;
    for (const auto extent : shape) places *= extent;
    if (places != problem.ranks())
      core::fail_input("mapper 'tofu': shape={} has {} places, expected one for each of {} ranks",
                       fmt::join(shape, "x"), places, problem.ranks());
    return shape;
  }

  /// Axes of three have a pair each; with fewer axes, X may also have z and c, and so may Y if X has not.
  static std::vector<TofuRing> rings_of(const std::vector<std::int32_t>& shape,
                                        const std::array<std::int32_t, tofu_pairs>& cubes) {
    const Folding folding(cubes);
    std::vector<TofuRing> rings;
    bool is_z_free = shape.size() < tofu_pairs;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      TofuPairs pairs{axis};
      if (is_z_free) pairs.push_back(2);
      if (shape.size() == 1) pairs.push_back(1);
      rings.push_back(folding.ring(pairs, shape[axis]));
      if (rings.back().empty())
        core::fail_input(
            "mapper 'tofu': axis {} of {} is no ring of neighbours in the job's {} cubes: x with a and z with c take "
            "even numbers up to {} and {}, y with b up to {}",
            "XYZ"[axis], shape[axis], fmt::join(cubes, "x"), 2 * cubes[0], 2 * cubes[2], 3 * cubes[1]);
      is_z_free = is_z_free && folding.fits(axis, shape[axis]);
    }
    return rings;
  }
};

}  // namespace

core::Entry<MakeMapper> tofu_mapper() {
  return {"tofu",
          "a job's logical torus as Fujitsu's job manager folds it into the six dimensions of TofuD",
          make<Tofu>,
          {tofu_shape, tofu_order}};
}

}  // namespace toroid::mapping
