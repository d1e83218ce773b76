#include "mapping/bisection/coarsen.hpp"

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

}  // namespace

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

}  // namespace toroid::mapping
