#include <bitset>
#include <iterator>
#include <map>

#include "mapping/grids/axes.hpp"

namespace toroid::mapping {
namespace {

class Skeleton {
 public:
  explicit Skeleton(const PlainGraph& graph) : graph_(graph), common_(graph.size()) {
    constexpr std::size_t none = most_skeleton_neighbours;
    std::vector<std::size_t> place(graph.size(), none);
    for (Vertex x = 0; x < graph.size(); ++x) {
      for (std::size_t i = 0; i < graph[x].size(); ++i) place[graph[x][i]] = i;
      for (const Vertex y : graph[x]) {
        auto& both = common_[x].emplace_back();
        for (const Vertex z : graph[y])
          if (place[z] != none) both.set(place[z]);
      }
      for (const Vertex y : graph[x]) place[y] = none;
    }
  }

  PlainGraph make() const {
    PlainGraph skeleton(graph_.size());
    for (Vertex x = 0; x < graph_.size(); ++x)
      for (std::size_t i = 0; i < graph_[x].size(); ++i)
        if (!is_diagonal(x, i)) skeleton[x].push_back(graph_[x][i]);
    return skeleton;
  }

 private:
  std::size_t place(Vertex x, Vertex neighbour) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(graph_[x], neighbour) - graph_[x].begin());
  }

  bool is_diagonal(Vertex x, std::size_t y_at_x) const {
    const auto& between = common_[x][y_at_x];
    const Vertex y = graph_[x][y_at_x];
    const std::size_t known = between.count(), degree_x = graph_[x].size(), degree_y = graph_[y].size();
    for (std::size_t z_at_x = 0; z_at_x < graph_[x].size(); ++z_at_x) {
      if (!between[z_at_x]) continue;
      const Vertex z = graph_[x][z_at_x];
      const std::size_t with_x = common_[x][z_at_x].count(), with_y = common_[y][place(y, z)].count();
      const std::size_t degree_z = graph_[z].size();
      const bool rises = degree_x < degree_z && degree_z<degree_y, falls = degree_x> degree_z && degree_z > degree_y;
      if ((with_x > known || (with_x == known && rises)) && (with_y > known || (with_y == known && falls))) return true;
    }
    return false;
  }

  const PlainGraph& graph_;
  /// For each vertex and each neighbour of it, which of the vertex's neighbours are neighbours of that one.
  std::vector<std::vector<std::bitset<most_skeleton_neighbours>>> common_;
};

constexpr std::size_t most_neighbours = 6;

std::vector<Vertex> common_neighbours(const PlainGraph& graph, Vertex x, Vertex y) {
  std::vector<Vertex> common;
  std::set_intersection(graph[x].begin(), graph[x].end(), graph[y].begin(), graph[y].end(), std::back_inserter(common));
  return common;
}

}  // namespace

Twins find_twins(const PlainGraph& graph) {
  std::map<std::vector<Vertex>, std::size_t> class_with;  // by the neighbours, the vertices among them
  std::vector<std::size_t> class_of;
  Twins twins;
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    auto closed = graph[vertex];
    closed.insert(std::ranges::lower_bound(closed, vertex), vertex);
    const auto [found, is_new] = class_with.try_emplace(std::move(closed), twins.classes.size());
    if (is_new) twins.classes.emplace_back();
    twins.classes[found->second].push_back(vertex);
    class_of.push_back(found->second);
  }
  for (const auto& members : twins.classes) {
    auto& neighbours = twins.quotient.emplace_back();
    for (const Vertex next : graph[members.front()])
      if (next == twins.classes[class_of[next]].front() && class_of[next] != class_of[members.front()])
        neighbours.push_back(static_cast<Vertex>(class_of[next]));
  }
  return twins;
}

std::optional<PlainGraph> cartesian_skeleton(const PlainGraph& graph) {
  for (const auto& neighbours : graph)
    if (neighbours.size() > most_skeleton_neighbours) return std::nullopt;
  return Skeleton(graph).make();
}

std::optional<std::array<PlainGraph, 3>> triangle_directions(const PlainGraph& graph) {
  for (const auto& neighbours : graph)
    if (neighbours.size() > most_neighbours) return std::nullopt;
  EdgeClasses parallel(graph);
  for (Vertex x = 0; x < graph.size(); ++x)
    for (const Vertex y : graph[x]) {
      if (y < x) continue;
      const auto tips = common_neighbours(graph, x, y);
      if (tips.size() > 2) return std::nullopt;
      if (tips.size() < 2) continue;
      const Vertex u = tips.front(), v = tips.back();
      parallel.join(parallel.edge_between(u, x), parallel.edge_between(y, v));
      parallel.join(parallel.edge_between(u, y), parallel.edge_between(x, v));
    }
  const auto classes = parallel.all();
  std::array<PlainGraph, 3> directions;
  if (classes.size() != directions.size()) return std::nullopt;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    directions[d].resize(graph.size());
    for (Vertex vertex = 0; vertex < graph.size(); ++vertex)
      for (std::size_t i = 0; i < graph[vertex].size(); ++i)
        if (parallel.of(parallel.edge(vertex, i)) == classes[d]) directions[d][vertex].push_back(graph[vertex][i]);
  }
  return directions;
}

}  // namespace toroid::mapping
