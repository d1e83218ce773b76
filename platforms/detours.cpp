#include "platforms/detours.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>
#include <mutex>
#include <unordered_map>

namespace toroid::platforms {
namespace {

/// Vertices are routers, edges the hops that work; an edge knows its link.
struct DetourEdge {
  LinkId link = 0;
};
using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, DetourEdge>;

using Ends = std::vector<std::pair<std::size_t, std::size_t>>;

Ends ends_of(const Grid& grid, const std::vector<LinkId>& links) {
  Ends ends;
  for (const LinkId link : links) ends.emplace_back(grid.link_source(link).index(), grid.link_target(link).index());
  return ends;
}

/// Keeps the edge by which each router was first reached; throws itself when the target is.
class Recorder : public boost::default_bfs_visitor {
 public:
  struct Reached {};
  Recorder(core::IdVector<RouterId, LinkId>& arrived_by, RouterId target) : arrived_by_(&arrived_by), target_(target) {}

  template <class Descriptor>
  void tree_edge(const Descriptor& edge, const Graph& graph) const {
    const RouterId to(boost::target(edge, graph));
    (*arrived_by_)[to] = graph[edge].link;
    if (to == target_) throw Reached{};
  }

 private:
  core::IdVector<RouterId, LinkId>* arrived_by_;
  RouterId target_;
};

}  // namespace

struct Detours::Search {
  Search(const Grid& grid, const std::vector<LinkId>& links, const Ends& ends)
      : graph(boost::edges_are_sorted, ends.begin(), ends.end(), edges(links).begin(),
              static_cast<std::size_t>(grid.size())) {}

  static std::vector<DetourEdge> edges(const std::vector<LinkId>& links) {
    std::vector<DetourEdge> all;
    all.reserve(links.size());
    for (const LinkId link : links) all.push_back({link});
    return all;
  }

  Graph graph;
  std::mutex mutex;
  std::unordered_map<std::uint64_t, std::vector<LinkId>> found;  ///< ways by their two ends
};

Detours::Detours(const Grid& grid, const std::vector<LinkId>& failed_links, const std::vector<RouterId>& failed_routers)
    : works_(grid.link_count(), 1), router_works_(grid.size(), 1) {
  TOROID_ASSERT(!failed_links.empty() || !failed_routers.empty());
  for (const LinkId link : failed_links)
    fail_hop(grid, grid.link_source(link), grid.link_dimension(link), grid.link_is_forward(link));
  for (const RouterId router : failed_routers) fail_router(grid, router);
  std::vector<LinkId> links;
  for (const RouterId router : grid.routers())
    for (const std::size_t d : grid.order())
      for (const bool forward : {true, false}) {
        const LinkId link = grid.link(router, d, forward);
        if (grid.has_neighbour(router, d, forward) && link_works(link)) links.push_back(link);
      }
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(links, {}, [&](LinkId link) { return grid.link_source(link); }));
  search_ = std::make_unique<Search>(grid, links, ends_of(grid, links));
}

Detours::~Detours() = default;

void Detours::fail_hop(const Grid& grid, RouterId from, std::size_t d, bool forward) {
  works_[grid.link(from, d, forward)] = 0;
  if (!grid.dimension(d).shared) return;
  RouterId on_line = from;  // a shared line fails as a whole
  for (std::int32_t i = 0; i < grid.dimension(d).extent; ++i) {
    for (const bool way : {true, false}) works_[grid.link(on_line, d, way)] = 0;
    on_line = grid.neighbour(on_line, d, true);
  }
}

void Detours::fail_router(const Grid& grid, RouterId router) {
  router_works_[router] = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    for (const bool forward : {true, false}) {
      fail_hop(grid, router, d, forward);
      fail_hop(grid, grid.neighbour(router, d, forward), d, !forward);
    }
}

const std::vector<LinkId>* Detours::find(const Grid& grid, RouterId from, RouterId to) const {
  TOROID_ASSERT(std::cmp_equal(router_works_.size(), grid.size()));  // the grid of the constructor, or a copy
  bool meets_failure = false;
  grid.for_each_hop(from, to, [&](RouterId here, std::size_t d, bool forward) {
    meets_failure |= !link_works(grid.link(here, d, forward));
  });
  if (!meets_failure) return nullptr;
  const auto key = std::uint64_t{from.index()} << 32U | to.index();
  const std::lock_guard lock(search_->mutex);
  const auto [entry, is_new] = search_->found.try_emplace(key);
  if (is_new) entry->second = shortest(grid, from, to);
  return &entry->second;  // stays where it is when others come
}

std::vector<LinkId> Detours::shortest(const Grid& grid, RouterId from, RouterId to) const {
  core::IdVector<RouterId, LinkId> arrived_by(grid.size(), LinkId::none());
  try {
    boost::breadth_first_search(search_->graph, from.index(), boost::visitor(Recorder(arrived_by, to)));
  } catch (const Recorder::Reached&) {
  }
  std::vector<LinkId> way;
  if (arrived_by[to] == LinkId::none()) return way;
  for (RouterId here = to; here != from; here = grid.link_source(way.back())) way.push_back(arrived_by[here]);
  std::ranges::reverse(way);
  TOROID_ASSERT(grid.link_target(way.back()) == to && way.size() >= static_cast<std::size_t>(grid.hops(from, to)));
  TOROID_ASSERT_HEAVY(std::ranges::all_of(way, [&](LinkId link) { return link_works(link); }));
  return way;
}

std::pair<RouterId, RouterId> Detours::find_cut(const Grid& grid, const std::vector<RouterId>& routers) const {
  std::vector<int> component(static_cast<std::size_t>(grid.size()));
  boost::strong_components(search_->graph, boost::make_iterator_property_map(
                                               component.begin(), boost::get(boost::vertex_index, search_->graph)));
  const auto of = [&](RouterId router) { return component[router.index()]; };
  if (routers.empty()) return {0, 0};
  const auto other = std::ranges::find_if(routers, [&](RouterId r) { return of(r) != of(routers[0]); });
  if (other == routers.end()) return {routers[0], routers[0]};
  // Components come in reverse topological order: the later one may reach the earlier, not the other way.
  return of(routers[0]) < of(*other) ? std::pair{routers[0], *other} : std::pair{*other, routers[0]};
}

}  // namespace toroid::platforms
