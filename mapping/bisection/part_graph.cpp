#include "mapping/bisection/part_graph.hpp"

#include <algorithm>
#include <numeric>

namespace toroid::mapping {

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

}  // namespace toroid::mapping
