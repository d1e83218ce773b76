#include "mapping/bisection/first_cut.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace toroid::mapping {
namespace {

std::int32_t random_vertex(const PartGraph& graph, core::Random& random) {
  return static_cast<std::int32_t>(random.below(graph.size.size()));
}

/// The vertex that most steps lead to, among those that any do.
std::int32_t farthest(const PartGraph& graph, std::int32_t from) {
  std::vector<bool> seen(graph.size.size());
  std::vector<std::int32_t> queue{from};
  seen[static_cast<std::size_t>(from)] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    graph.for_each_neighbour(queue[i], [&](std::int32_t u, double) {
      if (seen[static_cast<std::size_t>(u)]) return;
      seen[static_cast<std::size_t>(u)] = true;
      queue.push_back(u);
    });
  return queue.back();
}

/// The first vertices of the order on side 0, so many that their size is as near to the middle of the bounds as it
/// gets.
Sides cut_at_middle(const PartGraph& graph, Bounds bounds, const std::vector<std::int32_t>& order) {
  const std::int32_t target = (bounds.low + bounds.high) / 2;
  Sides sides(graph.size.size(), 1);
  std::int32_t size = 0;
  for (const std::int32_t v : order) {
    const std::int32_t next = size + graph.size[static_cast<std::size_t>(v)];
    if (next - target > target - size) continue;
    sides[static_cast<std::size_t>(v)] = 0;
    size = next;
  }
  return sides;
}

}  // namespace

Sides grown_cut(const PartGraph& graph, Bounds bounds, core::Random& random) {
  const auto growing = static_cast<std::uint8_t>(random.below(2));
  const std::int32_t total = graph.total_size(), middle = (bounds.low + bounds.high) / 2;
  const std::int32_t target = growing == 0 ? middle : total - middle;
  Sides sides(graph.size.size(), static_cast<std::uint8_t>(1 - growing));
  std::vector<double> gain(graph.size.size());
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    const auto i = static_cast<std::size_t>(v);
    gain[i] = growing == 0 ? graph.bias[i] : -graph.bias[i];
    graph.for_each_neighbour(v, [&](std::int32_t, double weight) { gain[i] -= weight; });
  }
  std::int32_t size = 0;
  std::vector<bool> considered(graph.size.size());
  std::vector<std::pair<double, std::int32_t>> heap;
  std::int32_t next = random_vertex(graph, random), drawn = 0;
  while (size < target && drawn < graph.vertices()) {
    const auto i = static_cast<std::size_t>(next);
    considered[i] = true;
    ++drawn;
    const std::int32_t with = size + graph.size[i];
    if (with - target <= target - size) {
      sides[i] = growing;
      size = with;
      graph.for_each_neighbour(next, [&](std::int32_t u, double weight) {
        const auto j = static_cast<std::size_t>(u);
        gain[j] += 2 * weight;
        if (considered[j]) return;
        heap.emplace_back(gain[j], -u);
        std::push_heap(heap.begin(), heap.end());
      });
    }
    next = -1;
    while (!heap.empty() && next < 0) {
      const auto [known, minus] = heap.front();
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
      const auto j = static_cast<std::size_t>(-minus);
      if (!considered[j] && gain[j] == known) next = -minus;
    }
    if (next >= 0 || drawn == graph.vertices()) continue;
    next = random_vertex(graph, random);  // another piece
    while (considered[static_cast<std::size_t>(next)]) next = (next + 1) % graph.vertices();
  }
  return sides;
}

Sides potential_cut(const PartGraph& graph, Bounds bounds, core::Random& random) {
  constexpr int steps = 30;
  const std::size_t n = graph.size.size();
  std::vector<double> potential(n, 0.5), pull(graph.bias);
  if (std::all_of(pull.begin(), pull.end(), [](double bias) { return bias == 0; })) {
    const std::int32_t start = farthest(graph, random_vertex(graph, random)), end = farthest(graph, start);
    double most = 1;
    for (const double weight : graph.weight) most = std::max(most, weight);
    pull[static_cast<std::size_t>(start)] += 100 * most;
    pull[static_cast<std::size_t>(end)] -= 100 * most;
  }
  for (int step = 0; step < steps; ++step)
    for (std::int32_t v = 0; v < graph.vertices(); ++v) {
      const auto i = static_cast<std::size_t>(v);
      double weights = std::abs(pull[i]), sum = pull[i] < 0 ? weights : 0;  // side 1 is potential 1
      graph.for_each_neighbour(v, [&](std::int32_t u, double weight) {
        weights += weight;
        sum += weight * potential[static_cast<std::size_t>(u)];
      });
      if (weights > 0) potential[i] = sum / weights;
    }
  std::vector<std::int32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
    return potential[static_cast<std::size_t>(a)] < potential[static_cast<std::size_t>(b)];
  });
  return cut_at_middle(graph, bounds, order);
}

}  // namespace toroid::mapping
