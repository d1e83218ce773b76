#include "mapping/search/tabu_search.hpp"

#include <algorithm>

#include "core/vector_width.hpp"

namespace toroid::mapping {
namespace {

template <class Value, bool symmetric>
[[gnu::always_inline]] inline Swap<Value> sweep_rows(const Sweep<Value>& sweep) {
  using Vector = typename Lanes<Value>::Vector;
  constexpr std::size_t lanes = Lanes<Value>::count;
  const Vector zero{};  // a number plus it is that number on all lanes
  const auto* flow = sweep.flow.row(0);
  const auto* distance = sweep.distance.row(0);
  const auto* back_flow = sweep.back_flow.row(0);
  const auto* back_distance = sweep.back_distance.row(0);
  const Vector never = zero + infinity<Value>, now = zero + sweep.now, aspired = zero + sweep.aspired;
  Vector least = never, row_of_least{};
  for (std::size_t u = 1; u < sweep.items; ++u) {
    auto* gains = reinterpret_cast<Vector*>(sweep.gain.row(u));
    const auto* until = reinterpret_cast<const Vector*>(sweep.forbidden_until.row(u));
    const auto* flows = reinterpret_cast<const Vector*>(flow);
    const auto* distances = reinterpret_cast<const Vector*>(distance);
    const auto* back_flows = reinterpret_cast<const Vector*>(back_flow);
    const auto* back_distances = reinterpret_cast<const Vector*>(back_distance);
    const Vector flow_u = zero + flow[u], distance_u = zero + distance[u];
    const Vector back_flow_u = zero + back_flow[u], back_distance_u = zero + back_distance[u];
    const std::size_t blocks = (std::min(u, sweep.columns) + lanes - 1) / lanes;
    Vector least_in_row = never;
    for (std::size_t i = 0; i < blocks; ++i) {
      Vector gain = gains[i] + (flow_u - flows[i]) * (distances[i] - distance_u);
      if constexpr (!symmetric) gain += (back_flow_u - back_flows[i]) * (back_distances[i] - back_distance_u);
      gains[i] = gain;
      const Vector allowed = ((until[i] <= now) | (gain < aspired)) ? gain : never;
      least_in_row = allowed < least_in_row ? allowed : least_in_row;
    }
    const Vector row = zero + static_cast<Value>(u);
    row_of_least = least_in_row < least ? row : row_of_least;
    least = least_in_row < least ? least_in_row : least;
  }
  Swap<Value> best;
  std::size_t lane = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    const auto row = static_cast<std::size_t>(row_of_least[i]);
    if (!(least[i] < best.gain || (least[i] == best.gain && row < best.a))) continue;
    best = {least[i], row, 0};
    lane = i;
  }
  if (best.gain == infinity<Value>) return best;
  const auto* gains = sweep.gain.row(best.a);
  const auto* until = sweep.forbidden_until.row(best.a);
  for (best.b = lane; gains[best.b] != best.gain || (until[best.b] > sweep.now && !(best.gain < sweep.aspired));)
    best.b += lanes;
  return best;
}

/// row += factor * other, whole rows at once.
template <class Value>
[[gnu::always_inline]] inline void add_product(Table<Value>& table, std::size_t rows, std::size_t columns,
                                               const Table<Value>& factors, const Table<Value>& others) {
  for (std::size_t u = 0; u < rows; ++u) {
    const Value factor = factors.row(0)[u];
    if (factor == 0) continue;
    auto* row = table.row(u);
    const auto* other = others.row(0);
    for (std::size_t x = 0; x < columns; ++x) row[x] += factor * other[x];
  }
}

}  // namespace

#define TOROID_KERNELS(Value)                                                                                 \
  TOROID_FOR_EACH_VECTOR_WIDTH Swap<Value> sweep_symmetric(const Sweep<Value>& s) {                           \
    return sweep_rows<Value, true>(s);                                                                        \
  }                                                                                                           \
  TOROID_FOR_EACH_VECTOR_WIDTH Swap<Value> sweep_general(const Sweep<Value>& s) {                             \
    return sweep_rows<Value, false>(s);                                                                       \
  }                                                                                                           \
  TOROID_FOR_EACH_VECTOR_WIDTH void add_outer_product(Table<Value>& t, std::size_t rows, std::size_t columns, \
                                                      const Table<Value>& f, const Table<Value>& o) {         \
    add_product(t, rows, columns, f, o);                                                                      \
  }
TOROID_KERNELS(float)
TOROID_KERNELS(double)
#undef TOROID_KERNELS

}  // namespace toroid::mapping
