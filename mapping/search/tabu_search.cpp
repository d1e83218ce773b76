#include "mapping/search/tabu_search.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

// The sweep over all swaps is compiled for each width of vector registers, and the widest that the machine has is
// taken when the program starts. The results are the same: no instruction set changes what is added to what.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define TOROID_FOR_EACH_VECTOR_WIDTH [[gnu::target_clones("avx512f", "avx2", "default")]]
#else
#define TOROID_FOR_EACH_VECTOR_WIDTH
#endif

namespace toroid::mapping {
namespace {

/// So many numbers as are worked on at once.
template <class Value>
struct Lanes {
  static constexpr std::size_t bytes = 64;
  static constexpr std::size_t count = bytes / sizeof(Value);
  using Vector [[gnu::vector_size(64), gnu::may_alias]] = Value;
};

/// A matrix whose rows begin on whole lanes; a vector if it has one row.
template <class Value>
class Table {
 public:
  Table(std::size_t rows, std::size_t columns, Value value = 0)
      : stride_((columns + lanes - 1) / lanes), blocks_(rows * stride_) {
    fill(value);
  }

  void fill(Value value) {
    for (auto& block : blocks_) block.fill(value);
  }
  Value* row(std::size_t r) { return blocks_.data()[r * stride_].data(); }
  const Value* row(std::size_t r) const { return blocks_.data()[r * stride_].data(); }

 private:
  static constexpr std::size_t lanes = Lanes<Value>::count;
  struct alignas(Lanes<Value>::bytes) Block : std::array<Value, lanes> {};
  std::size_t stride_;
  std::vector<Block> blocks_;
};

template <class Value>
constexpr Value infinity = std::numeric_limits<Value>::infinity();

/// A swap of two items, the greater first, and by how much it changes the cost.
template <class Value>
struct Swap {
  Value gain = infinity<Value>;
  std::size_t a = 0, b = 0;
};

/// What changes in the tables of gains when two items swap, and what is then the best swap.
///
/// gain(u, v) += (flow(u) - flow(v)) * (distance(v) - distance(u)) for all v < u: `flow` of an item is the difference
/// of its flows to the two that swapped, `distance` that of its distances to them. `back_...` are the same the other
/// way round, absent where the problem is symmetric.
template <class Value>
struct Sweep {
  std::size_t items, columns;  ///< swaps (u, v) with v < u < items and v < columns
  Table<Value>& gain;
  const Table<Value>& forbidden_until;
  const Table<Value>&flow, &distance, &back_flow, &back_distance;
  Value now, aspired;  ///< allowed: not forbidden now, or a gain below `aspired`
};

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
      const Vector allowed = (until[i] <= now) | (gain < aspired) ? gain : never;
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

/// Numbers the rows of a matrix by class: rows i and j are of one class if the matrix stays the same when both they and
/// their columns are swapped, and `alike(i, j)`.
template <class Row, class Alike>
std::vector<std::size_t> twins(std::size_t n, Row row, Alike alike) {
  const auto are_twins = [&](std::size_t i, std::size_t j) {
    if (row(i)[j] != row(j)[i] || !alike(i, j)) return false;
    for (std::size_t k = 0; k < n; ++k)
      if (k != i && k != j && (row(i)[k] != row(j)[k] || row(k)[i] != row(k)[j])) return false;
    return true;
  };
  std::vector<std::size_t> class_of, first;
  for (std::size_t i = 0; i < n; ++i) {
    const auto found = std::find_if(first.begin(), first.end(), [&](std::size_t j) { return are_twins(i, j); });
    class_of.push_back(static_cast<std::size_t>(found - first.begin()));
    if (found == first.end()) first.push_back(i);
  }
  return class_of;
}

/// In which units a problem is searched, and whether all sums are then whole and below 2^24.
struct Scale {
  double flow = 1, distance = 1;
  bool single_precision = false;
};

/// The greatest number that divides all; 0 if all are 0, or if one is not whole.
double common_divisor(const Qap& problem, std::span<const double> (Qap::*row)(std::size_t) const, double factor) {
  std::int64_t divisor = 0;
  for (std::size_t i = 0; i < problem.size(); ++i)
    for (const double value : (problem.*row)(i)) {
      const double scaled = factor * value;
      if (scaled != std::floor(scaled) || std::abs(scaled) > 0x1p53) return 0;
      divisor = std::gcd(divisor, static_cast<std::int64_t>(scaled));
    }
  return static_cast<double>(divisor);
}

/// In a symmetric problem flows and distances count both ways, which makes them whole if the given ones were.
Scale scale_of(const Qap& problem) {
  const double both_ways = problem.symmetric() ? 2 : 1;
  const Scale plain{1 / both_ways, 1 / both_ways, false};
  const double flow = common_divisor(problem, &Qap::flow, both_ways);
  const double distance = common_divisor(problem, &Qap::distance, both_ways);
  if (flow == 0 || distance == 0) return plain;
  double most_flow = 0, most_distance = 0, most_linear = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < problem.size(); ++j)
      sum += std::abs(problem.flow(i)[j]) + (problem.symmetric() ? 0 : std::abs(problem.flow(j)[i]));
    most_flow = std::max(most_flow, sum);
    for (const double d : problem.distance(i)) most_distance = std::max(most_distance, std::abs(d));
    for (const double l : problem.linear(i)) {
      most_linear = std::max(most_linear, std::abs(l));
      if (std::fmod(both_ways * l, flow * distance) != 0) return plain;
    }
  }
  const double unit = flow * distance / both_ways;
  // No gain, and no term of one, is greater than eight times the greatest cost of an item.
  const bool small = 8 * (both_ways * most_flow * most_distance + most_linear) < 0x1p24 * unit;
  return {flow / both_ways, distance / both_ways, small};
}

template <class Value, bool symmetric>
class RobustTabuSearch final : public TabuSearch {
 public:
  RobustTabuSearch(const Qap& problem, Scale scale)
      : problem_(problem),
        n_(problem.size()),
        // cost = unit * the sum of scaled products; see scale_of on what counts both ways.
        unit_(scale.flow * scale.distance * (symmetric ? 2 : 1)),
        flow_(n_, n_),
        distance_(n_, n_),
        from_flow_(n_, n_),
        from_distance_(n_, n_),
        cost_on_(n_, n_),
        left_until_(n_, n_),
        gain_(n_, n_),
        forbidden_until_(n_, n_),
        flow_change_(1, n_),
        distance_change_(1, n_),
        back_flow_change_(1, n_),
        back_distance_change_(1, n_),
        location_change_(1, n_),
        back_location_change_(1, n_) {
    for (std::size_t i = 0; i < n_; ++i)
      for (std::size_t j = 0; j < n_; ++j) {
        from_flow_.row(j)[i] = flow_.row(i)[j] = static_cast<Value>(problem.flow(i)[j] / scale.flow);
        from_distance_.row(j)[i] = distance_.row(i)[j] = static_cast<Value>(problem.distance(i)[j] / scale.distance);
      }
    item_class_ = twins(
        n_, [&](std::size_t i) { return problem.flow(i); },
        [&](std::size_t i, std::size_t j) { return std::ranges::equal(problem.linear(i), problem.linear(j)); });
    location_class_ = twins(
        n_, [&](std::size_t k) { return problem.distance(k); },
        [&](std::size_t k, std::size_t l) {
          for (std::size_t i = 0; i < n_; ++i)
            if (!problem.linear(i).empty() && problem.linear(i)[k] != problem.linear(i)[l]) return false;
          return true;
        });
    while (columns_ < n_ && std::any_of(item_class_.begin() + static_cast<std::ptrdiff_t>(columns_), item_class_.end(),
                                        [&](std::size_t c) { return c != item_class_.back(); }))
      ++columns_;
  }

  double run(Assignment& assignment, std::int64_t iterations, SearchBudget& budget, core::Random& random) override {
    location_of_ = assignment;
    double current = problem_.cost(assignment) / unit_, least = current;
    start();
    auto next = sweep(0);
    for (std::int64_t i = 0; i < std::min(iterations, longest_run) && budget.iterations > 0; ++i) {
      if (i % 64 == 0 && budget.stop && budget.stop(unit_ * least)) break;
      --budget.iterations;
      ++now_;
      if (next.gain == infinity<Value>) {
        if (i == 0) {  // no swap changes anything: all is done
          budget.iterations = 0;
          break;
        }
        next = sweep(static_cast<Value>(least - current));
        continue;
      }
      current += static_cast<double>(next.gain);
      const bool improved = current < least;
      if (improved) least = current;
      next = swap(next.a, next.b, static_cast<Value>(least - current), random);
      if (improved) assignment = location_of_;
    }
    return problem_.cost(assignment);
  }

 private:
  /// So many iterations can be counted in single precision.
  static constexpr std::int64_t longest_run = 1 << 22;

  std::size_t at(std::size_t item) const { return static_cast<std::size_t>(location_of_[item]); }

  void start() {
    now_ = 0;
    left_until_.fill(0);
    gain_.fill(infinity<Value>);
    forbidden_until_.fill(infinity<Value>);
    for (auto* change : {&flow_change_, &distance_change_, &back_flow_change_, &back_distance_change_}) change->fill(0);
    for (std::size_t u = 0; u < n_; ++u) {
      auto* costs = cost_on_.row(u);
      std::fill(costs, costs + n_, Value{0});
      for (std::size_t k = 0; k < n_; ++k) {
        add_row(costs, flow_.row(u)[k], from_distance_.row(at(k)));
        if (!symmetric) add_row(costs, from_flow_.row(u)[k], distance_.row(at(k)));
      }
      const auto linear = problem_.linear(u);
      for (std::size_t x = 0; x < linear.size(); ++x) costs[x] += static_cast<Value>(linear[x] / unit_);
    }
    for (std::size_t u = 0; u < n_; ++u)
      for (std::size_t v = 0; v < u; ++v) renew(u, v);
  }

  void add_row(Value* costs, Value factor, const Value* row) const {
    if (factor == 0) return;
    for (std::size_t x = 0; x < n_; ++x) costs[x] += factor * row[x];
  }

  /// Works out gain and ban of a swap afresh.
  void renew(std::size_t u, std::size_t v) {
    const std::size_t x = at(u), y = at(v);
    const auto *cost_u = cost_on_.row(u), *cost_v = cost_on_.row(v);
    // Both costs take the other item to stay where it is, so what flows between the two is counted wrong.
    const Value between = symmetric ? 2 * flow_.row(u)[v] * distance_.row(x)[y]
                                    : (flow_.row(u)[v] + flow_.row(v)[u]) * (distance_.row(x)[y] + distance_.row(y)[x]);
    gain_.row(u)[v] = (cost_u[y] - cost_u[x]) + (cost_v[x] - cost_v[y]) + between;
    const bool nothing = item_class_[u] == item_class_[v] || location_class_[x] == location_class_[y];
    forbidden_until_.row(u)[v] = nothing ? infinity<Value> : std::min(left_until_.row(u)[y], left_until_.row(v)[x]);
  }

  Swap<Value> sweep(Value aspired) {
    const Sweep<Value> work{n_,
                            columns_,
                            gain_,
                            forbidden_until_,
                            flow_change_,
                            distance_change_,
                            back_flow_change_,
                            back_distance_change_,
                            static_cast<Value>(now_ + 1),
                            aspired};
    return symmetric ? sweep_symmetric(work) : sweep_general(work);
  }

  Value tenure(core::Random& random) const {
    const auto n = static_cast<double>(n_);
    return static_cast<Value>(std::floor((0.9 + 0.2 * random.unit()) * n));
  }

  /// Swaps two items, brings the tables up to date, and returns the best swap of the next iteration.
  Swap<Value> swap(std::size_t a, std::size_t b, Value aspired, core::Random& random) {
    left_until_.row(a)[at(a)] = static_cast<Value>(now_) + tenure(random);
    left_until_.row(b)[at(b)] = static_cast<Value>(now_) + tenure(random);
    std::swap(location_of_[a], location_of_[b]);
    change_costs(a, b);
    for (const std::size_t moved : {a, b}) set_gains(moved, infinity<Value>);  // the sweep must not see these
    auto best = sweep(aspired);
    flow_change_.fill(0);
    back_flow_change_.fill(0);
    for (const std::size_t moved : {a, b})
      for (std::size_t other = 0; other < n_; ++other) {
        if (other == moved) continue;
        const std::size_t u = std::max(moved, other), v = std::min(moved, other);
        renew(u, v);
        const Value gain = gain_.row(u)[v];
        if (gain < best.gain && (forbidden_until_.row(u)[v] <= static_cast<Value>(now_ + 1) || gain < aspired))
          best = {gain, u, v};
      }
    return best;
  }

  void set_gains(std::size_t item, Value value) {
    std::fill(gain_.row(item), gain_.row(item) + item, value);
    for (std::size_t u = item + 1; u < n_; ++u) gain_.row(u)[item] = value;
  }

  /// Of each item on each location, after `a` and `b` have swapped.
  void change_costs(std::size_t a, std::size_t b) {
    difference(from_flow_, a, b, flow_change_);
    difference(from_distance_, at(a), at(b), location_change_);
    add_outer_product(cost_on_, n_, n_, flow_change_, location_change_);
    for (std::size_t u = 0; u < n_; ++u) distance_change_.row(0)[u] = location_change_.row(0)[at(u)];
    if (symmetric) return;
    difference(flow_, a, b, back_flow_change_);
    difference(distance_, at(a), at(b), back_location_change_);
    add_outer_product(cost_on_, n_, n_, back_flow_change_, back_location_change_);
    for (std::size_t u = 0; u < n_; ++u) back_distance_change_.row(0)[u] = back_location_change_.row(0)[at(u)];
  }

  void difference(const Table<Value>& table, std::size_t row, std::size_t other, Table<Value>& result) const {
    for (std::size_t i = 0; i < n_; ++i) result.row(0)[i] = table.row(row)[i] - table.row(other)[i];
  }

  const Qap& problem_;
  std::size_t n_;
  double unit_;
  Table<Value> flow_, distance_, from_flow_, from_distance_;  ///< `from_...`: transposed
  std::vector<std::size_t> item_class_, location_class_;      ///< swaps within a class change nothing
  std::size_t columns_ = 0;                                   ///< the items from here on are all of one class

  std::int64_t now_ = 0;
  Assignment location_of_;
  Table<Value> cost_on_;          ///< of each item on each location, the others where they are
  Table<Value> left_until_;       ///< until when an item may not go back to a location
  Table<Value> gain_;             ///< of swapping item u with an item v < u
  Table<Value> forbidden_until_;  ///< the same swaps

  Table<Value> flow_change_, distance_change_, back_flow_change_, back_distance_change_;  ///< see Sweep
  Table<Value> location_change_, back_location_change_;  ///< as distance_change_, by location
};

template <bool symmetric>
std::unique_ptr<TabuSearch> make(const Qap& problem) {
  const auto scale = scale_of(problem);
  if (scale.single_precision) return std::make_unique<RobustTabuSearch<float, symmetric>>(problem, scale);
  return std::make_unique<RobustTabuSearch<double, symmetric>>(problem, scale);
}

}  // namespace

std::unique_ptr<TabuSearch> make_tabu_search(const Qap& problem) {
  return problem.symmetric() ? make<true>(problem) : make<false>(problem);
}

}  // namespace toroid::mapping
