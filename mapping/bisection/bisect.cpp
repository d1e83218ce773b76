#include "mapping/bisection/bisect.hpp"

#include <cmath>
#include <numeric>

namespace toroid::mapping {
namespace {

std::vector<PartVertex> random_order(PartVertex count, core::Random& random) {
  std::vector<PartVertex> order(count);
  std::iota(order.begin(), order.end(), PartVertex{0});
  random.shuffle(order);
  return order;
}

/// The cluster of each vertex, by the number of one of its members.
std::vector<PartVertex> join(const PartGraph& graph, std::int32_t largest, core::Random& random) {
  std::vector<PartVertex> leader(graph.size.size(), no_vertex);
  auto size = graph.size;
  for (const PartVertex v : random_order(graph.vertices(), random)) {
    if (leader[v] != no_vertex) continue;
    double best = 0;
    PartVertex chosen = v;
    graph.for_each_neighbour(v, [&](PartVertex u, double weight) {
      const PartVertex other = leader[u] == no_vertex ? u : leader[u];
      const double rating = weight * weight / size[other];
      if (size[other] + graph.size[v] > largest || rating <= best) return;
      best = rating;
      chosen = other;
    });
    leader[v] = chosen;
    if (chosen == v) continue;
    leader[chosen] = chosen;
    size[chosen] += graph.size[v];
  }
  return leader;
}

PartVertex random_vertex(const PartGraph& graph, core::Random& random) {
  return static_cast<PartVertex>(random.below(graph.vertices()));
}

/// The vertex that most steps lead to, among those that any do.
PartVertex farthest(const PartGraph& graph, PartVertex from) {
  std::vector<bool> seen(graph.vertices());
  std::vector<PartVertex> queue{from};
  seen[from] = true;
  for (std::size_t i = 0; i < queue.size(); ++i)
    graph.for_each_neighbour(queue[i], [&](PartVertex u, double) {
      if (seen[u]) return;
      seen[u] = true;
      queue.push_back(u);
    });
  return queue.back();
}

/// The first vertices of the order on side 0, so many that their size is as near to the middle of the bounds as it
/// gets.
Sides cut_at_middle(const PartGraph& graph, Bounds bounds, const std::vector<PartVertex>& order) {
  const std::int32_t target = (bounds.low + bounds.high) / 2;
  Sides sides(graph.vertices(), 1);
  std::int32_t size = 0;
  for (const PartVertex v : order) {
    const std::int32_t next = size + graph.size[v];
    if (next - target > target - size) continue;
    sides[v] = 0;
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
  return size.empty() ? 0 : *std::ranges::max_element(size);
}

double cost_of(const PartGraph& graph, const Sides& sides) {
  double cut = 0, biases = 0;
  for (PartVertex v = 0; v < graph.vertices(); ++v) {
    if (sides[v] == 1) biases += graph.bias[v];
    graph.for_each_neighbour(v, [&](PartVertex u, double weight) {
      if (sides[u] != sides[v]) cut += weight;
    });
  }
  return cut / 2 + biases;
}

Coarsened coarsen(const PartGraph& fine, std::int32_t largest, core::Random& random) {
  const auto leader = join(fine, largest, random);
  Coarsened result;
  auto& graph = result.graph;
  std::vector<PartVertex> number(leader.size(), no_vertex);
  std::vector<std::vector<PartVertex>> members;
  for (PartVertex v = 0; v < leader.size(); ++v) {
    auto& cluster = number[leader[v]];
    if (cluster == no_vertex) {
      cluster = static_cast<PartVertex>(members.size());
      members.emplace_back();
    }
    members[cluster].push_back(v);
    result.cluster.push_back(cluster);
  }
  constexpr auto nowhere_yet = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> place(members.size(), nowhere_yet);  // in graph.to, of the edge to each cluster
  for (PartVertex c = 0; c < members.size(); ++c) {
    std::int32_t size = 0;
    double bias = 0;
    const auto first = graph.to.size();
    for (const PartVertex v : members[c]) {
      size += fine.size[v];
      bias += fine.bias[v];
      fine.for_each_neighbour(v, [&](PartVertex u, double weight) {
        const PartVertex other = result.cluster[u];
        if (other == c) return;
        if (place[other] == nowhere_yet) {
          place[other] = graph.to.size();
          graph.to.push_back(other);
          graph.weight.push_back(0);
        }
        graph.weight[place[other]] += weight;
      });
    }
    for (auto e = first; e < graph.to.size(); ++e) place[graph.to[e]] = nowhere_yet;
    graph.begin.push_back(graph.to.size());
    graph.size.push_back(size);
    graph.bias.push_back(bias);
  }
  return result;
}

Sides grown_cut(const PartGraph& graph, Bounds bounds, core::Random& random) {
  const auto growing = static_cast<std::uint8_t>(random.below(2));
  const std::int32_t total = graph.total_size(), middle = (bounds.low + bounds.high) / 2;
  const std::int32_t target = growing == 0 ? middle : total - middle;
  Sides sides(graph.vertices(), static_cast<std::uint8_t>(1 - growing));
  std::vector<double> gain(graph.vertices());
  for (PartVertex v = 0; v < graph.vertices(); ++v) {
    gain[v] = growing == 0 ? graph.bias[v] : -graph.bias[v];
    graph.for_each_neighbour(v, [&](PartVertex, double weight) { gain[v] -= weight; });
  }
  std::int32_t size = 0;
  std::vector<bool> considered(graph.vertices());
  VerticesByGain waiting;
  PartVertex next = random_vertex(graph, random), drawn = 0;
  while (size < target && drawn < graph.vertices()) {
    considered[next] = true;
    ++drawn;
    const std::int32_t with = size + graph.size[next];
    if (with - target <= target - size) {
      sides[next] = growing;
      size = with;
      graph.for_each_neighbour(next, [&](PartVertex u, double weight) {
        gain[u] += 2 * weight;
        if (!considered[u]) waiting.add(gain[u], u);
      });
    }
    next = waiting.best([&](double known, PartVertex v) { return !considered[v] && gain[v] == known; });
    if (next != no_vertex) waiting.pop();
    if (next != no_vertex || drawn == graph.vertices()) continue;
    next = random_vertex(graph, random);  // another piece
    while (considered[next]) next = (next + 1) % graph.vertices();
  }
  return sides;
}

Sides potential_cut(const PartGraph& graph, Bounds bounds, core::Random& random) {
  constexpr int steps = 30;
  std::vector<double> potential(graph.vertices(), 0.5), pull(graph.bias);
  if (std::ranges::all_of(pull, [](double bias) { return bias == 0; })) {
    const PartVertex start = farthest(graph, random_vertex(graph, random)), end = farthest(graph, start);
    double most = 1;
    for (const double weight : graph.weight) most = std::max(most, weight);
    pull[start] += 100 * most;
    pull[end] -= 100 * most;
  }
  for (int step = 0; step < steps; ++step)
    for (PartVertex v = 0; v < graph.vertices(); ++v) {
      double weights = std::abs(pull[v]), sum = pull[v] < 0 ? weights : 0;  // side 1 is potential 1
      graph.for_each_neighbour(v, [&](PartVertex u, double weight) {
        weights += weight;
        sum += weight * potential[u];
      });
      if (weights > 0) potential[v] = sum / weights;
    }
  std::vector<PartVertex> order(graph.vertices());
  std::iota(order.begin(), order.end(), PartVertex{0});
  std::ranges::stable_sort(order, [&](PartVertex a, PartVertex b) { return potential[a] < potential[b]; });
  return cut_at_middle(graph, bounds, order);
}

Sides bisect(const PartGraph& graph, Bounds bounds, core::Random& random) {
  constexpr PartVertex coarse_enough = 40, many = 512;
  constexpr double least_shrinking = 0.95;
  TOROID_ASSERT(bounds.low <= bounds.high && graph.largest() <= 1);
  const std::int32_t tries = graph.vertices() < many ? 4 : 16;
  std::vector<Coarsened> levels;
  const auto finest = [&]() -> const PartGraph& { return levels.empty() ? graph : levels.back().graph; };
  while (finest().vertices() > coarse_enough) {
    auto next = coarsen(finest(), static_cast<std::int32_t>(std::max(2U, graph.vertices() / 16)), random);
    TOROID_ASSERT(next.cluster.size() == finest().vertices() && next.graph.vertices() <= finest().vertices());
    if (next.graph.vertices() > least_shrinking * finest().vertices()) break;
    levels.push_back(std::move(next));
  }
  auto sides = best_first_cut(finest(), bounds, tries, random);
  for (std::size_t level = levels.size(); level-- > 0;) {
    const auto& cluster = levels[level].cluster;
    const auto& finer = level == 0 ? graph : levels[level - 1].graph;
    Sides projected;
    for (const PartVertex c : cluster) projected.push_back(sides[c]);
    sides = std::move(projected);
    TOROID_ASSERT(sides.size() == finer.vertices());
    refine(finer, loosened(finer, bounds), sides);
  }
  TOROID_ASSERT(bounds.low <= std::ranges::count(sides, 0) && std::ranges::count(sides, 0) <= bounds.high);
  return sides;
}

}  // namespace toroid::mapping
