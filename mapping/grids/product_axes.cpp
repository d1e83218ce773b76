#include "mapping/grids/axes.hpp"

#include <fmt/format.h>

namespace toroid::mapping {
namespace {

constexpr auto none = static_cast<std::size_t>(-1);

/// Says which edges lie along the same axis.
class ParallelEdges {
 public:
  explicit ParallelEdges(const PlainGraph& graph)
      : graph_(graph), place_(graph.size(), none), reached_from_(graph.size()), classes_(graph) {
    for (Vertex vertex = 0; vertex < graph.size(); ++vertex) look_around(vertex);
  }

  std::size_t axis(Vertex vertex, std::size_t neighbour) { return classes_.of(classes_.edge(vertex, neighbour)); }
  std::vector<std::size_t> axes() { return classes_.all(); }

 private:
  bool linked(Vertex a, Vertex b) const { return std::ranges::binary_search(graph_[a], b); }

  /// Joins what lies along the same axis at a vertex and at the squares around it.
  void look_around(Vertex u) {
    const auto& around = graph_[u];
    for (std::size_t i = 0; i < around.size(); ++i) place_[around[i]] = i;
    std::vector<bool> corner(around.size() * around.size());
    for_each_square(u, [&](Vertex a, Vertex b, Vertex c) {
      corner[place_[a] * around.size() + place_[b]] = corner[place_[b] * around.size() + place_[a]] = true;
      classes_.join(classes_.edge(u, place_[a]), classes_.edge_between(b, c));
      classes_.join(classes_.edge(u, place_[b]), classes_.edge_between(a, c));
    });
    for (std::size_t i = 0; i < around.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (!corner[i * around.size() + j]) classes_.join(classes_.edge(u, i), classes_.edge(u, j));
    for (const Vertex a : around) place_[a] = none;
  }

  /// Calls visit(a, b, c) for each square u - a - c - b without diagonals.
  template <class Visit>
  void for_each_square(Vertex u, Visit visit) {
    std::vector<Vertex> opposite;
    for (const Vertex a : graph_[u])
      for (const Vertex c : graph_[a]) {
        if (c == u || place_[c] != none) continue;
        if (reached_from_[c].empty()) opposite.push_back(c);
        reached_from_[c].push_back(a);
      }
    for (const Vertex c : opposite) {
      auto& from = reached_from_[c];
      for (std::size_t i = 0; i < from.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
          if (!linked(from[i], from[j])) visit(from[j], from[i], c);
      from.clear();
    }
  }

  const PlainGraph& graph_;
  std::vector<std::size_t> place_;  ///< the places of the neighbours of the vertex that is looked at, in its list
  /// The neighbours between a vertex and those that are two steps from it.
  std::vector<std::vector<Vertex>> reached_from_;
  EdgeClasses classes_;
};

/// The order of the layers along an axis, if each has one or two beside it.
class Layers {
 public:
  Layers(const PlainGraph& graph, ParallelEdges& edges, std::size_t axis) : layer_of_(graph.size(), none) {
    for (Vertex start = 0; start < graph.size(); ++start)
      if (layer_of_[start] == none) fill(graph, edges, axis, start);
    beside_.resize(count_);
    for (Vertex u = 0; u < graph.size(); ++u)
      for (std::size_t i = 0; i < graph[u].size(); ++i)
        if (edges.axis(u, i) == axis) put_beside(layer_of_[u], layer_of_[graph[u][i]]);
  }

  /// The axis that the layers make; nothing if they are neither a path nor a ring.
  std::optional<Axis> axis() const {
    if (count_ < 2 || !well_formed_) return std::nullopt;
    std::size_t ends = 0, start = 0;
    for (std::size_t layer = count_; layer-- > 0;)
      if (beside_[layer].size() == 1) {
        ++ends;
        start = layer;
      }
    std::vector<std::int32_t> position(count_, -1);
    std::int32_t walked = 0;
    for (std::size_t here = start; here != none; here = next_of(here, position)) position[here] = walked++;
    if (static_cast<std::size_t>(walked) != count_ || (ends != 0 && ends != 2)) return std::nullopt;
    Axis axis{walked, ends == 0, {}};
    for (const std::size_t layer : layer_of_) axis.coordinate.push_back(position[layer]);
    return axis;
  }

 private:
  void fill(const PlainGraph& graph, ParallelEdges& edges, std::size_t axis, Vertex start) {
    std::vector<Vertex> waiting{start};
    layer_of_[start] = count_;
    while (!waiting.empty()) {
      const Vertex u = waiting.back();
      waiting.pop_back();
      for (std::size_t i = 0; i < graph[u].size(); ++i) {
        const Vertex next = graph[u][i];
        if (layer_of_[next] != none || edges.axis(u, i) == axis) continue;
        layer_of_[next] = count_;
        waiting.push_back(next);
      }
    }
    ++count_;
  }

  void put_beside(std::size_t layer, std::size_t other) {
    auto& known = beside_[layer];
    if (known.size() <= 2 && std::ranges::find(known, other) == known.end()) known.push_back(other);
    if (layer == other || known.size() > 2) well_formed_ = false;
  }

  std::size_t next_of(std::size_t layer, const std::vector<std::int32_t>& position) const {
    for (const std::size_t other : beside_[layer])
      if (position[other] < 0) return other;
    return none;
  }

  std::vector<std::size_t> layer_of_;
  std::size_t count_ = 0;
  std::vector<std::vector<std::size_t>> beside_;
  bool well_formed_ = true;
};

/// Whether no two vertices have the same coordinates, and none are left over.
bool fill_the_box(const std::vector<Axis>& axes, std::size_t vertices) {
  std::size_t places = 1;
  for (const auto& axis : axes) {
    places *= static_cast<std::size_t>(axis.extent);
    if (places > vertices) return false;
  }
  if (places != vertices) return false;
  std::vector<bool> taken(places);
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) {
    std::size_t place = 0;
    for (const auto& axis : axes)
      place = place * static_cast<std::size_t>(axis.extent) + static_cast<std::size_t>(axis.coordinate[vertex]);
    if (taken[place]) return false;
    taken[place] = true;
  }
  return true;
}

/// The edges of the product, each counted at both ends.
double edges_of(const std::vector<Axis>& axes, std::size_t vertices) {
  double per_vertex = 0;
  for (const auto& axis : axes) per_vertex += 2 * (axis.periodic ? 1 : 1 - 1.0 / axis.extent);
  return per_vertex * static_cast<double>(vertices);
}

}  // namespace

std::variant<std::vector<Axis>, std::string> find_axes(const PlainGraph& graph) {
  constexpr std::size_t most_axes = 16;       // a ring of 4 is two
  constexpr double least_share_linked = 0.9;  // of the edges of the product
  std::size_t edge_count = 0;
  for (Vertex vertex = 0; vertex < graph.size(); ++vertex) {
    if (graph[vertex].size() > most_axes)
      return fmt::format("a rank has {} neighbours, more than any grid gives it", graph[vertex].size());
    edge_count += graph[vertex].size();
  }
  ParallelEdges edges(graph);
  const auto classes = edges.axes();
  if (classes.size() > most_axes)
    return fmt::format("its links are of {} directions, more than any grid has", classes.size());
  std::vector<Axis> axes;
  for (const std::size_t axis_class : classes) {
    auto axis = Layers(graph, edges, axis_class).axis();
    if (!axis) return "its links do not make paths or rings";
    axes.push_back(*std::move(axis));
  }
  if (!fill_the_box(axes, graph.size())) return "its ranks do not fill a box";
  if (static_cast<double>(edge_count) < least_share_linked * edges_of(axes, graph.size()))
    return "too few of the neighbours in the box talk to each other";
  return axes;
}

}  // namespace toroid::mapping
