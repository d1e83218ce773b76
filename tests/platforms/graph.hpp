#pragma once
// The routers of a described machine as a graph, made from the description alone, and distances in it by Boost.Graph:
// a second opinion on Grid and Detours.

#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <functional>

#include "toroid/platforms/description.hpp"

namespace toroid::platforms {

class RouterGraph {
 public:
  /// Whether a hop works: from a router along a dimension, forward or not.
  using Works = std::function<bool(RouterId from, std::size_t dimension, bool forward)>;

  explicit RouterGraph(
      const Description& m, const Works& works = [](RouterId, std::size_t, bool) { return true; }) {
    std::vector<std::pair<std::size_t, std::size_t>> edges;
    std::int32_t size = 1;
    for (const auto& dimension : m.dimensions) size *= dimension.extent;
    for (const RouterId router : core::ids<RouterId>(size))
      for (std::size_t d = 0; d < m.dimensions.size(); ++d)
        for (const bool forward : {true, false}) {
          const RouterId to = next(m, router, d, forward);
          if (to >= 0 && works(router, d, forward)) edges.emplace_back(router.index(), to.index());
        }
    graph_ = Graph(boost::edges_are_sorted, edges.begin(), edges.end(), static_cast<std::size_t>(size));
  }

  /// Hops to every router; -1 where there is no way.
  core::IdVector<RouterId, std::int32_t> distances(RouterId from) const {
    core::IdVector<RouterId, std::int32_t> all(boost::num_vertices(graph_), -1);
    all[from] = 0;
    auto* hops = all.elements().data();
    boost::breadth_first_search(
        graph_, from.index(),
        boost::visitor(boost::make_bfs_visitor(boost::record_distances(hops, boost::on_tree_edge()))));
    return all;
  }

  /// The router one hop on; none at the end of a mesh, backward on a one-way ring, along a dimension of one router.
  static RouterId next(const Description& m, RouterId from, std::size_t d, bool forward) {
    std::vector<std::int32_t> place;
    std::int32_t rest = from.value();
    for (const auto& dimension : m.dimensions) {
      place.push_back(rest % dimension.extent);
      rest /= dimension.extent;
    }
    const auto& along = m.dimensions[d];
    if (along.extent == 1 || (along.wrap == Wrap::ring && !forward)) return RouterId::none();
    place[d] += forward ? 1 : -1;
    if (place[d] < 0 || place[d] == along.extent) {
      if (along.wrap == Wrap::mesh) return RouterId::none();
      place[d] = forward ? 0 : along.extent - 1;
      for (std::size_t e = 0; e < place.size(); ++e) {
        const auto extent = m.dimensions[e].extent;
        const auto shift = forward ? along.twist[e] : -along.twist[e];
        place[e] = ((place[e] + shift) % extent + extent) % extent;
      }
    }
    std::int32_t router = 0;
    for (std::size_t e = place.size(); e-- > 0;) router = router * m.dimensions[e].extent + place[e];
    return RouterId(router);
  }

 private:
  using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
  Graph graph_;
};

}  // namespace toroid::platforms
