#include "mapping/search/tabu_search.hpp"

#include <cmath>

namespace toroid::mapping {
namespace {

template <class Value, bool symmetric>
class RobustTabuSearch final : public TabuSearch {
 public:
  RobustTabuSearch(const Qap& problem, Scale scale)
      : problem_(problem),
        n_(problem.size()),
        item_class_(item_classes(problem).elements()),
        location_class_(location_classes(problem).elements()),
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
    for (const Rank item : problem.items())
      for (std::size_t j = 0, i = item.index(); j < n_; ++j)
        from_flow_.row(j)[i] = flow_.row(i)[j] = static_cast<Value>(problem.flow(item)[j] / scale.flow);
    for (const Slot location : problem.locations())
      for (std::size_t j = 0, i = location.index(); j < n_; ++j)
        from_distance_.row(j)[i] = distance_.row(i)[j] =
            static_cast<Value>(problem.distance(location)[j] / scale.distance);
    const auto like_last =
        std::find_if(item_class_.rbegin(), item_class_.rend(), [&](std::size_t c) { return c != item_class_.back(); });
    columns_ = static_cast<std::size_t>(item_class_.rend() - like_last);
  }

  double run(Assignment& assignment, std::int64_t iterations, SearchBudget& budget, core::Random& random) override {
    TOROID_ASSERT(assignment.size() == n_);
    location_of_ = assignment;
    double current = problem_.cost(assignment) / unit_, least = current;
    start();
    auto next = sweep(0);
    for (std::int64_t i = 0; i < std::min(iterations, longest_run) && budget.iterations > 0; ++i) {
      if (i % 64 == 0 && budget.ends(unit_ * least)) break;
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
    const double found = problem_.cost(assignment);
    TOROID_ASSERT_HEAVY(std::abs(found - unit_ * least) <= 1e-6 * (1 + std::abs(found)));
    return found;
  }

 private:
  /// The most iterations that can be counted in single precision.
  static constexpr std::int64_t longest_run = 1 << 22;

  std::size_t at(std::size_t item) const { return location_of_[Rank(item)].index(); }

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
      const auto linear = problem_.linear(Rank(u));
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
    std::swap(location_of_[Rank(a)], location_of_[Rank(b)]);
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

  /// Brings the costs of each item on each location up to date, after `a` and `b` have swapped.
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
  std::vector<std::size_t> item_class_, location_class_;  ///< swaps within a class change nothing
  double unit_;
  Table<Value> flow_, distance_, from_flow_, from_distance_;  ///< `from_...`: transposed
  std::size_t columns_ = 0;                                   ///< the items from here on are all of one class

  std::int64_t now_ = 0;
  Assignment location_of_;
  Table<Value> cost_on_;          ///< the cost of each item on each location, the others where they are
  Table<Value> left_until_;       ///< until when an item may not go back to a location
  Table<Value> gain_;             ///< the gain of swapping item u with an item v < u
  Table<Value> forbidden_until_;  ///< the same swaps

  Table<Value> flow_change_, distance_change_, back_flow_change_, back_distance_change_;  ///< see Sweep
  Table<Value> location_change_, back_location_change_;  ///< what distance_change_ has, by location
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
