#include "mapping/grids/cartesian_skeleton.hpp"

#include <algorithm>
#include <bitset>
#include <map>

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
    return static_cast<std::size_t>(std::lower_bound(graph_[x].begin(), graph_[x].end(), neighbour) -
                                    graph_[x].begin());
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

}  // namespace

Twins find_twins(const PlainGraph& graph) {
  std::map<std::vector<Vertex>, std::size_t> class_with;  // by the neighbours, the vertices among them
  std::vector<std::size_t> class_of;
  Twins twins;
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    auto closed = graph[vertex];
    closed.insert(std::lower_bound(closed.begin(), closed.end(), vertex), vertex);
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

}  // namespace toroid::mapping
