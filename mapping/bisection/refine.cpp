#include "mapping/bisection/bisect.hpp"

#include <cmath>

namespace toroid::mapping {
namespace {

class Refinement {
 public:
  Refinement(const PartGraph& graph, Bounds bounds, Sides& sides)
      : graph_(graph),
        bounds_(bounds),
        sides_(sides),
        gain_(sides.size()),
        moved_(sides.size()),
        leeway_(std::max(1, graph.largest())) {
    for (std::size_t v = 0; v < sides.size(); ++v)
      if (sides[v] == 0) size_ += graph.size[v];
    const double least = cost_of(graph, sides);
    threshold_ = 1e-12 * std::abs(least);
    TOROID_ASSERT(sides.size() == graph.vertices());
  }

  void run(int passes) {
    const auto before = excess();
    const double cost = core::heavy_assertions ? cost_of(graph_, sides_) : 0;
    while (passes-- > 0 && pass()) {
    }
    TOROID_ASSERT(excess() <= before);
    TOROID_ASSERT_HEAVY(excess() < before || is_at_most(cost_of(graph_, sides_), cost));
  }

 private:
  static constexpr PartVertex small = 512;  ///< up to so many vertices all wait from the start

  std::int32_t excess() const { return std::max({0, bounds_.low - size_, size_ - bounds_.high}); }

  static bool is_at_most(double cost, double other) { return cost <= other + 1e-9 * (1 + std::abs(other)); }

  double gain_of(PartVertex v) const {
    const auto side = sides_[v];
    const double bias = graph_.bias[v];
    double gain = side == 0 ? -bias : bias;
    graph_.for_each_neighbour(v, [&](PartVertex u, double weight) { gain += sides_[u] == side ? -weight : weight; });
    return gain;
  }

  bool at_boundary(PartVertex v) const {
    if (gain_[v] > 0) return true;
    bool cut = false;
    graph_.for_each_neighbour(v, [&](PartVertex u, double) { cut = cut || sides_[u] != sides_[v]; });
    return cut;
  }

  void begin_pass() {
    for (auto& waiting : waiting_) waiting.clear();
    moved_.assign(moved_.size(), false);
    const bool all = graph_.vertices() <= small || excess() > 0;
    for (PartVertex v = 0; v < graph_.vertices(); ++v) {
      gain_[v] = gain_of(v);
      if (all || at_boundary(v)) waiting_[sides_[v]].add(gain_[v], v);
    }
  }

  /// Whether it came nearer to the bounds or lowered the cost.
  bool pass() {
    begin_pass();
    const PartVertex n = graph_.vertices(), fruitless = 50 + std::min(n / 5, 100 + n / 40);
    std::vector<PartVertex> moves;
    std::size_t best_moves = 0;
    const std::int32_t first_excess = excess();
    std::int32_t least_excess = first_excess;
    double sum = 0, best = 0;
    while (moves.size() < best_moves + fruitless || excess() > 0) {
      const PartVertex v = next();
      if (v == no_vertex) break;
      sum += gain_[v];
      move(v);
      moves.push_back(v);
      const std::int32_t now = excess();
      if (now > least_excess || (now == least_excess && sum <= best + threshold_)) continue;
      least_excess = now;
      best = sum;
      best_moves = moves.size();
    }
    for (; moves.size() > best_moves; moves.pop_back()) flip(moves.back());
    TOROID_ASSERT(excess() == least_excess && least_excess <= first_excess);
    return best_moves > 0;
  }

  PartVertex next() {
    const auto is_current = [this](double gain, PartVertex v) { return !moved_[v] && gain_[v] == gain; };
    PartVertex candidate[2] = {no_vertex, no_vertex};
    if (size_ >= bounds_.low) candidate[0] = waiting_[0].best(is_current);
    if (size_ <= bounds_.high) candidate[1] = waiting_[1].best(is_current);
    for (const std::size_t side : {0U, 1U}) {
      const PartVertex v = candidate[side];
      if (v == no_vertex) continue;
      const std::int32_t size = graph_.size[v];
      const bool too_far = side == 0 ? size_ - size < bounds_.low - leeway_ : size_ + size > bounds_.high + leeway_;
      if (too_far) candidate[side] = no_vertex;
    }
    if (candidate[0] == no_vertex || candidate[1] == no_vertex) return std::min(candidate[0], candidate[1]);
    const double a = gain_[candidate[0]], b = gain_[candidate[1]];
    if (a != b) return a > b ? candidate[0] : candidate[1];
    return 2 * size_ >= bounds_.low + bounds_.high ? candidate[0] : candidate[1];
  }

  void flip(PartVertex v) {
    auto& side = sides_[v];
    size_ += (side == 0 ? -1 : 1) * graph_.size[v];
    side = static_cast<std::uint8_t>(1 - side);
  }

  void move(PartVertex v) {
    flip(v);
    moved_[v] = true;
    const auto side = sides_[v];
    graph_.for_each_neighbour(v, [&](PartVertex u, double weight) {
      gain_[u] += sides_[u] == side ? -2 * weight : 2 * weight;
      if (!moved_[u]) waiting_[sides_[u]].add(gain_[u], u);
    });
  }

  const PartGraph& graph_;
  Bounds bounds_;
  Sides& sides_;
  std::vector<double> gain_;
  std::vector<bool> moved_;
  std::int32_t leeway_, size_ = 0;  ///< the slack of a move; the size of side 0
  double threshold_ = 0;
  VerticesByGain waiting_[2];
};

}  // namespace

void refine(const PartGraph& graph, Bounds bounds, Sides& sides, int passes) {
  Refinement(graph, bounds, sides).run(passes);
}

}  // namespace toroid::mapping
