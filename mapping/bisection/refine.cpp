#include "mapping/bisection/bisect.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace toroid::mapping {
namespace {

/// Vertices of one side that may move, those first that gain most. Entries that are out of date stay until they come
/// up.
class Waiting {
 public:
  void clear() { heap_.clear(); }
  void add(double gain, std::int32_t vertex) {
    heap_.emplace_back(gain, -vertex);
    std::push_heap(heap_.begin(), heap_.end());
  }
  /// The vertex that gains most, or -1. `is_current(gain, vertex)` tells entries that are out of date.
  template <class IsCurrent>
  std::int32_t best(IsCurrent is_current) {
    for (; !heap_.empty(); pop())
      if (is_current(heap_.front().first, -heap_.front().second)) return -heap_.front().second;
    return -1;
  }
  void pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    heap_.pop_back();
  }

 private:
  std::vector<std::pair<double, std::int32_t>> heap_;
};

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
  }

  void run(int passes) {
    while (passes-- > 0 && pass()) {
    }
  }

 private:
  static constexpr std::int32_t small = 512;  ///< up to so many vertices all wait from the start

  std::int32_t excess() const { return std::max({0, bounds_.low - size_, size_ - bounds_.high}); }

  double gain_of(std::int32_t v) const {
    const auto side = sides_[static_cast<std::size_t>(v)];
    const double bias = graph_.bias[static_cast<std::size_t>(v)];
    double gain = side == 0 ? -bias : bias;
    graph_.for_each_neighbour(v, [&](std::int32_t u, double weight) {
      gain += sides_[static_cast<std::size_t>(u)] == side ? -weight : weight;
    });
    return gain;
  }

  bool at_boundary(std::int32_t v) const {
    if (gain_[static_cast<std::size_t>(v)] > 0) return true;
    bool cut = false;
    graph_.for_each_neighbour(v, [&](std::int32_t u, double) {
      cut = cut || sides_[static_cast<std::size_t>(u)] != sides_[static_cast<std::size_t>(v)];
    });
    return cut;
  }

  void begin_pass() {
    for (auto& waiting : waiting_) waiting.clear();
    std::fill(moved_.begin(), moved_.end(), false);
    const bool all = graph_.vertices() <= small || excess() > 0;
    for (std::int32_t v = 0; v < graph_.vertices(); ++v) {
      const auto i = static_cast<std::size_t>(v);
      gain_[i] = gain_of(v);
      if (all || at_boundary(v)) waiting_[sides_[i]].add(gain_[i], v);
    }
  }

  /// Whether it came nearer to the bounds or lowered the cost.
  bool pass() {
    begin_pass();
    const std::int32_t n = graph_.vertices(), fruitless = 50 + std::min(n / 5, 100 + n / 40);
    std::vector<std::int32_t> moves;
    std::size_t best_moves = 0;
    const std::int32_t first_excess = excess();
    std::int32_t least_excess = first_excess;
    double sum = 0, best = 0;
    while (moves.size() < best_moves + static_cast<std::size_t>(fruitless) || excess() > 0) {
      const std::int32_t v = next();
      if (v < 0) break;
      sum += gain_[static_cast<std::size_t>(v)];
      move(v);
      moves.push_back(v);
      const std::int32_t now = excess();
      if (now > least_excess || (now == least_excess && sum <= best + threshold_)) continue;
      least_excess = now;
      best = sum;
      best_moves = moves.size();
    }
    for (; moves.size() > best_moves; moves.pop_back()) flip(moves.back());
    return best_moves > 0;
  }

  std::int32_t next() {
    const auto is_current = [this](double gain, std::int32_t v) {
      return !moved_[static_cast<std::size_t>(v)] && gain_[static_cast<std::size_t>(v)] == gain;
    };
    std::int32_t candidate[2] = {-1, -1};
    if (size_ >= bounds_.low) candidate[0] = waiting_[0].best(is_current);
    if (size_ <= bounds_.high) candidate[1] = waiting_[1].best(is_current);
    for (const std::size_t side : {0U, 1U}) {
      const std::int32_t v = candidate[side];
      if (v < 0) continue;
      const std::int32_t size = graph_.size[static_cast<std::size_t>(v)];
      const bool too_far = side == 0 ? size_ - size < bounds_.low - leeway_ : size_ + size > bounds_.high + leeway_;
      if (too_far) candidate[side] = -1;
    }
    if (candidate[0] < 0 || candidate[1] < 0) return std::max(candidate[0], candidate[1]);
    const double a = gain_[static_cast<std::size_t>(candidate[0])], b = gain_[static_cast<std::size_t>(candidate[1])];
    if (a != b) return a > b ? candidate[0] : candidate[1];
    return 2 * size_ >= bounds_.low + bounds_.high ? candidate[0] : candidate[1];
  }

  void flip(std::int32_t v) {
    auto& side = sides_[static_cast<std::size_t>(v)];
    size_ += (side == 0 ? -1 : 1) * graph_.size[static_cast<std::size_t>(v)];
    side = static_cast<std::uint8_t>(1 - side);
  }

  void move(std::int32_t v) {
    flip(v);
    moved_[static_cast<std::size_t>(v)] = true;
    const auto side = sides_[static_cast<std::size_t>(v)];
    graph_.for_each_neighbour(v, [&](std::int32_t u, double weight) {
      const auto i = static_cast<std::size_t>(u);
      gain_[i] += sides_[i] == side ? -2 * weight : 2 * weight;
      if (!moved_[i]) waiting_[sides_[i]].add(gain_[i], u);
    });
  }

  const PartGraph& graph_;
  Bounds bounds_;
  Sides& sides_;
  std::vector<double> gain_;
  std::vector<bool> moved_;
  std::int32_t leeway_, size_ = 0;  ///< of side 0
  double threshold_ = 0;
  Waiting waiting_[2];
};

}  // namespace

void refine(const PartGraph& graph, Bounds bounds, Sides& sides, int passes) {
  Refinement(graph, bounds, sides).run(passes);
}

}  // namespace toroid::mapping
