#include "mapping/grids/axes.hpp"
#include "netsim/placed_grid.hpp"

namespace toroid::mapping {
namespace {

/// The step in the numbers of the vertices that most steps along an axis are.
struct Stride {
  std::int64_t size = 0;
  bool regular = false;   ///< whether at least half of them are
  std::int64_t sum = 0;   ///< the sum of all their sizes
  std::int64_t rise = 0;  ///< steps up less steps down
};

/// Calls visit(from, to) for each pair of vertices of which the second is one step further along the axis: the vertices
/// of a line are those that have all other coordinates the same.
template <class Visit>
void for_each_step(const std::vector<Axis>& axes, std::size_t along, Visit visit) {
  const std::size_t vertices = axes[along].coordinate.size();
  std::vector<std::int64_t> vertex_at(vertices);
  const auto place = [&](std::size_t vertex, std::int32_t step) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      const std::int32_t c = axes[d].coordinate[vertex] + (d == along ? step : 0);
      at = at * axes[d].extent + c % axes[d].extent;
    }
    return static_cast<std::size_t>(at);
  };
  for (std::size_t vertex = 0; vertex < vertices; ++vertex)
    vertex_at[place(vertex, 0)] = static_cast<std::int64_t>(vertex);
  for (std::size_t vertex = 0; vertex < vertices; ++vertex)
    if (axes[along].periodic || axes[along].coordinate[vertex] + 1 < axes[along].extent)
      visit(static_cast<std::int64_t>(vertex), vertex_at[place(vertex, 1)]);
}

Stride stride_along(const std::vector<Axis>& axes, std::size_t along) {
  std::map<std::int64_t, std::int64_t> count_of;
  std::int64_t steps = 0;
  Stride stride;
  for_each_step(axes, along, [&](std::int64_t from, std::int64_t to) {
    ++steps;
    ++count_of[std::abs(to - from)];
    stride.sum += std::abs(to - from);
    stride.rise += to > from ? 1 : -1;
  });
  const auto most =
      std::ranges::max_element(count_of, [](const auto& a, const auto& b) { return a.second < b.second; });
  stride.size = most->first;
  stride.regular = 2 * most->second >= steps;
  return stride;
}

void begin_at_lowest(Axis& axis, const Stride& stride) {
  const std::int32_t last = axis.extent - 1;
  if (stride.rise < 0)
    for (auto& c : axis.coordinate) c = last - c;
  if (!axis.periodic) return;
  const std::int32_t first = axis.coordinate.front();
  for (auto& c : axis.coordinate) c = (c - first + axis.extent) % axis.extent;
}

/// The four sides of a square one after the other.
Axis ring_of_four(const Axis& a, const Axis& b) {
  Axis ring{4, true, {}};
  for (std::size_t vertex = 0; vertex < a.coordinate.size(); ++vertex)
    ring.coordinate.push_back(b.coordinate[vertex] == 0 ? a.coordinate[vertex] : 3 - a.coordinate[vertex]);
  return ring;
}

/// Tells which pairs of axes are rings of 4. Where the numbers of the ranks follow the grid: those whose two sides have
/// the same stride; else those without traffic between opposite places, where other pairs have some; else what is more
/// usual.
class RingsOfFour {
 public:
  RingsOfFour(const std::vector<Axis>& axes, const std::vector<Stride>& strides, const DiagonalBytes& diagonals)
      : axes_(axes), strides_(strides), diagonals_(diagonals) {
    for (const auto& row : diagonals)
      for (const double bytes : row) most_bytes_ = std::max(most_bytes_, bytes);
    numbered_ = std::ranges::all_of(strides, [](const Stride& s) { return s.regular; });
    usual_ = axes.size() > 3 || std::ranges::any_of(axes, [](const Axis& axis) { return axis.periodic; });
  }

  bool operator()(std::size_t i, std::size_t j) const {
    if (axes_[i].extent != 2 || axes_[j].extent != 2) return false;
    if (numbered_) return strides_[i].size == strides_[j].size;
    return most_bytes_ > 0 ? diagonals_[i][j] < most_bytes_ / 16 : usual_;
  }

 private:
  const std::vector<Axis>& axes_;
  const std::vector<Stride>& strides_;
  const DiagonalBytes& diagonals_;
  double most_bytes_ = 0;
  bool numbered_, usual_;
};

std::vector<Axis> with_rings_of_four(const std::vector<Axis>& axes, const RingsOfFour& is_ring) {
  std::vector<Axis> paired;
  std::vector<bool> done(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (done[i]) continue;
    std::size_t j = i + 1;
    while (j < axes.size() && (done[j] || !is_ring(i, j))) ++j;
    if (j < axes.size()) done[j] = true;
    paired.push_back(j < axes.size() ? ring_of_four(axes[i], axes[j]) : axes[i]);
  }
  return paired;
}

}  // namespace

std::vector<Axis> in_order_of_numbers(std::vector<Axis> axes, const DiagonalBytes& diagonals) {
  std::vector<std::pair<Stride, std::size_t>> order;
  for (std::size_t d = 0; d < axes.size(); ++d) order.emplace_back(stride_along(axes, d), d);
  const bool numbered = std::ranges::all_of(order, [](const auto& o) { return o.first.regular; });
  std::ranges::sort(order, [&](const auto& a, const auto& b) {
    // Without an order of the numbers axes of extent 2 stay side by side, for the rings they may make.
    const auto key = [&](const auto& o) {
      const std::int64_t extent = numbered ? 0 : -axes[o.second].extent;
      return std::tuple(extent, o.first.size, o.first.sum, o.second);
    };
    return key(a) < key(b);
  });
  std::vector<Axis> sorted;
  std::vector<Stride> strides;
  for (const auto& [stride, d] : order) {
    sorted.push_back(std::move(axes[d]));
    strides.push_back(stride);
    begin_at_lowest(sorted.back(), stride);
  }
  DiagonalBytes by_order(order.size(), std::vector<double>(order.size()));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t j = 0; j < order.size(); ++j) by_order[i][j] = diagonals[order[i].second][order[j].second];
  return with_rings_of_four(sorted, RingsOfFour(sorted, strides, by_order));
}

}  // namespace toroid::mapping
