#include "mapping/graph/dual_bisection.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/problem/points.hpp"

namespace toroid::mapping {
namespace {

class DualBisection {
 public:
  DualBisection(const TrafficGraph& graph, const SlotHops& hops, const Points& points, const Bisect& bisect)
      : graph_(graph),
        hops_(hops),
        points_(points),
        bisect_(bisect),
        slots_(points),
        ranks_(graph.ranks().begin(), graph.ranks().end()),
        part_of_(ranks_.size(), 0),
        bias_(ranks_.size(), 0) {}

  Assignment run() {
    std::vector<Part> level{{0, ranks_.size()}}, next;
    middles_.push_back(middle_of(level.front()));
    for (; !level.empty(); level.swap(next)) {
      next.clear();
      for (const auto& part : level)
        if (part.end - part.begin > 1) cut(part, next);
    }
    Assignment slot_of(ranks_.size());
    for (std::size_t i = 0; i < ranks_.size(); ++i) slot_of[ranks_[i]] = points_.slots[slots_[i]];
    return slot_of;
  }

 private:
  /// ranks_[begin .. end) go to slots_[begin .. end).
  struct Part {
    std::size_t begin, end;
  };
  using Middle = std::vector<double>;  ///< coordinates

  Middle middle_of(const Part& part) const {
    Middle middle(points_.dimensions, 0);
    for (std::size_t i = part.begin; i < part.end; ++i)
      for (std::size_t d = 0; d < middle.size(); ++d) middle[d] += points_.coordinate(slots_[i], d);
    for (auto& c : middle) c /= static_cast<double>(part.end - part.begin);
    return middle;
  }

  /// Hops as on the machine, one-way rings as if they went both ways.
  double distance(const Middle& a, const Middle& b) const {
    double sum = 0;
    for (std::size_t d = 0; d < a.size(); ++d) {
      const double straight = std::abs(a[d] - b[d]);
      const bool wraps = hops_.dimension(d).wrap != platforms::Wrap::mesh;
      sum += wraps ? std::min(straight, points_.extents[d] - straight) : straight;
    }
    return sum;
  }

  void cut(const Part& part, std::vector<Part>& next) {
    const std::size_t d = slots_.widest(part.begin, part.end);
    const std::size_t half = slots_.even_cut(d, part.begin, part.end);
    slots_.split(d, false, part.begin, half, part.end);
    const Part lower{part.begin, half}, upper{half, part.end};
    const auto below = middle_of(lower), above = middle_of(upper);
    RanksToCut ranks{std::span(ranks_).subspan(part.begin, part.end - part.begin), half - part.begin,
                     distance(below, above), bias_};
    for (const Rank rank : ranks.ranks) bias_[rank] = bias(rank, below, above);
    bisect_(ranks);
    for (const auto& [half_part, middle] : {std::pair(lower, below), std::pair(upper, above)}) {
      for (std::size_t i = half_part.begin; i < half_part.end; ++i) part_of_[ranks_[i]] = middles_.size();
      middles_.push_back(middle);
      next.push_back(half_part);
    }
  }

  double bias(Rank rank, const Middle& below, const Middle& above) const {
    const std::size_t own = part_of_[rank];
    double sum = 0;
    for (const auto& edge : graph_.neighbours(rank)) {
      const std::size_t other = part_of_[edge.rank];
      if (other != own) sum += edge.bytes() * (distance(below, middles_[other]) - distance(above, middles_[other]));
    }
    return sum;
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  const Points& points_;
  const Bisect& bisect_;
  SplitOrder slots_;
  std::vector<Rank> ranks_;
  core::IdVector<Rank, std::size_t> part_of_;  ///< index in middles_
  core::IdVector<Rank, double> bias_;
  std::vector<Middle> middles_;  ///< of all parts so far
};

}  // namespace

void orient(RanksToCut& part) {
  const auto sum = [&](std::size_t begin, std::size_t end) {
    double biases = 0;
    for (std::size_t i = begin; i < end; ++i) biases += part.bias[part.ranks[i]];
    return biases;
  };
  const std::size_t size = part.ranks.size();
  if (sum(0, size - part.lower) > sum(part.lower, size)) std::reverse(part.ranks.begin(), part.ranks.end());
}

Assignment dual_bisection(const TrafficGraph& graph, const SlotHops& hops, const std::vector<Slot>& slots,
                          const Bisect& bisect) {
  Points points(hops, slots);
  cut_at_gaps(points, hops);
  return DualBisection(graph, hops, points, bisect).run();
}

}  // namespace toroid::mapping
