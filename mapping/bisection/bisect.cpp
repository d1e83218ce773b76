#include "mapping/bisection/bisect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace toroid::mapping {
namespace {

std::vector<std::int32_t> random_order(std::int32_t count, core::Random& random) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(order);
  return order;
}

/// The cluster of each vertex, by the number of one of its members.
std::vector<std::int32_t> join(const PartGraph& graph, std::int32_t largest, core::Random& random) {
  std::vector<std::int32_t> leader(graph.size.size(), -1), size(graph.size);
  for (const std::int32_t v : random_order(graph.vertices(), random)) {
    const auto i = static_cast<std::size_t>(v);
    if (leader[i] >= 0) continue;
    double best = 0;
    std::int32_t chosen = v;
    graph.for_each_neighbour(v, [&](std::int32_t u, double weight) {
      const std::int32_t other = leader[static_cast<std::size_t>(u)] < 0 ? u : leader[static_cast<std::size_t>(u)];
      const std::int32_t there = size[static_cast<std::size_t>(other)];
      const double rating = weight * weight / there;
      if (there + graph.size[i] > largest || rating <= best) return;
      best = rating;
      chosen = other;
    });
    leader[i] = chosen;
    if (chosen == v) continue;
    leader[static_cast<std::size_t>(chosen)] = chosen;
    size[static_cast<std::size_t>(chosen)] += graph.size[i];
  }
  return leader;
}

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

/// Clusters cannot be parted exactly: coarse cuts may be off by one of them.
Bounds loosened(const PartGraph& graph, Bounds bounds) {
  const std::int32_t leeway = std::max(0, graph.largest() - 1);
  return {std::max(0, bounds.low - leeway), std::min(graph.total_size(), bounds.high + leeway)};
}

Sides best_first_cut(const PartGraph& graph, Bounds bounds, std::int32_t tries, core::Random& random) {
  Sides best;
  double least = std::numeric_limits<double>::infinity();
  for (std::int32_t i = 0; i < tries; ++i) {
    auto sides = i < std::max(1, tries / 8) ? potential_cut(graph, bounds, random) : grown_cut(graph, bounds, random);
    refine(graph, loosened(graph, bounds), sides);
    const double cost = cost_of(graph, sides);
    if (cost >= least) continue;
    least = cost;
    best = std::move(sides);
  }
  return best;
}

}  // namespace

std::int32_t PartGraph::total_size() const {
  return std::accumulate(size.begin(), size.end(), 0);
}

std::int32_t PartGraph::largest() const {
  return size.empty() ? 0 : *std::max_element(size.begin(), size.end());
}

double cost_of(const PartGraph& graph, const Sides& sides) {
  double cut = 0, biases = 0;
  for (std::int32_t v = 0; v < graph.vertices(); ++v) {
    const auto side = sides[static_cast<std::size_t>(v)];
    if (side == 1) biases += graph.bias[static_cast<std::size_t>(v)];
    graph.for_each_neighbour(v, [&](std::int32_t u, double weight) {
      if (sides[static_cast<std::size_t>(u)] != side) cut += weight;
    });
  }
  return cut / 2 + biases;
}

Coarsened coarsen(const PartGraph& fine, std::int32_t largest, core::Random& random) {
  const auto leader = join(fine, largest, random);
  Coarsened result;
  auto& graph = result.graph;
  std::vector<std::int32_t> number(leader.size(), -1);
  std::vector<std::vector<std::int32_t>> members;
  for (std::size_t v = 0; v < leader.size(); ++v) {
    auto& cluster = number[static_cast<std::size_t>(leader[v])];
    if (cluster < 0) {
      cluster = static_cast<std::int32_t>(members.size());
      members.emplace_back();
    }
    members[static_cast<std::size_t>(cluster)].push_back(static_cast<std::int32_t>(v));
    result.cluster.push_back(cluster);
  }
  std::vector<std::int32_t> place(members.size(), -1);  // in graph.to, of the edge to each cluster
  for (std::size_t c = 0; c < members.size(); ++c) {
    std::int32_t size = 0;
    double bias = 0;
    const auto first = graph.to.size();
    for (const std::int32_t v : members[c]) {
      size += fine.size[static_cast<std::size_t>(v)];
      bias += fine.bias[static_cast<std::size_t>(v)];
      fine.for_each_neighbour(v, [&](std::int32_t u, double weight) {
        const auto other = static_cast<std::size_t>(result.cluster[static_cast<std::size_t>(u)]);
        if (other == c) return;
        if (place[other] < 0) {
          place[other] = static_cast<std::int32_t>(graph.to.size());
          graph.to.push_back(static_cast<std::int32_t>(other));
          graph.weight.push_back(0);
        }
        graph.weight[static_cast<std::size_t>(place[other])] += weight;
      });
    }
    for (auto e = first; e < graph.to.size(); ++e) place[static_cast<std::size_t>(graph.to[e])] = -1;
    graph.begin.push_back(static_cast<std::int32_t>(graph.to.size()));
    graph.size.push_back(size);
    graph.bias.push_back(bias);
  }
  return result;
}

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

Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random) {
  constexpr std::int32_t coarse_enough = 40, many = 512;
  constexpr double least_shrinking = 0.95;
  const std::int32_t tries = graph.vertices() < many ? 4 : 16;
  std::vector<Coarsened> levels;
  const auto finest = [&]() -> const PartGraph& { return levels.empty() ? graph : levels.back().graph; };
  while (finest().vertices() > coarse_enough) {
    auto next = coarsen(finest(), std::max(2, graph.vertices() / 16), random);
    if (next.graph.vertices() > least_shrinking * finest().vertices()) break;
    levels.push_back(std::move(next));
  }
  auto sides = best_first_cut(finest(), bounds, tries, random);
  for (std::size_t level = levels.size(); level-- > 0;) {
    const auto& cluster = levels[level].cluster;
    const auto& finer = level == 0 ? graph : levels[level - 1].graph;
    Sides projected;
    for (const std::int32_t c : cluster) projected.push_back(sides[static_cast<std::size_t>(c)]);
    sides = std::move(projected);
    refine(finer, loosened(finer, bounds), sides);
  }
  return sides;
}

}  // namespace toroid::mapping
