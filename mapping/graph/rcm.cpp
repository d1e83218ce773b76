// Reverse Cuthill-McKee (Hoefler, Snir, ICS'11): ranks in the order that makes their traffic a narrow band, nodes in
// the order that does the same to the links between them.

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/cuthill_mckee_ordering.hpp>
#include <boost/graph/properties.hpp>

#include "mapping/graph/graph_mapper.hpp"

namespace toroid::mapping {
namespace {

using BoostGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS,
                                         boost::property<boost::vertex_color_t, boost::default_color_type>>;

std::vector<std::size_t> reverse_cuthill_mckee(BoostGraph& graph) {
  std::vector<std::size_t> order(boost::num_vertices(graph));
  boost::cuthill_mckee_ordering(graph, order.rbegin(), boost::get(boost::vertex_color, graph),
                                boost::make_degree_map(graph));
  return order;
}

double heaviest_edge(const TrafficGraph& traffic, Rank rank) {
  double most = 0;
  for (const auto& edge : traffic.neighbours(rank)) most = std::max(most, edge.bytes());
  return most;
}

/// The order knows no weights, so edges do not count that are far lighter than others of both their ranks: those of
/// collectives beside the exchange of a stencil.
std::vector<std::size_t> order_of_ranks(const TrafficGraph& traffic) {
  constexpr double light = 1.0 / 16;
  core::IdVector<Rank, double> heaviest;
  for (const Rank rank : traffic.ranks()) heaviest.add(heaviest_edge(traffic, rank));
  BoostGraph graph(heaviest.size());
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank))
      if (edge.rank > rank && edge.bytes() >= light * std::min(heaviest[rank], heaviest[edge.rank]))
        boost::add_edge(rank.index(), edge.rank.index(), graph);
  return reverse_cuthill_mckee(graph);
}

/// The slots in an order in which routers follow each other that are linked, rings cut at their widest gaps. Slots of
/// one router stay together. Parts of the allocation that are not linked to each other come one after the other.
std::vector<Slot> order_of_slots(const Points& points) {
  std::map<std::int64_t, std::size_t> vertex_of;  // by index of the router in the cut grid
  std::vector<std::vector<std::size_t>> points_on;
  for (std::size_t i = 0; i < points.slots.size(); ++i) {
    std::int64_t index = 0;
    for (std::size_t d = points.dimensions; d-- > 0;) index = index * points.extents[d] + points.coordinate(i, d);
    const auto [place, added] = vertex_of.try_emplace(index, points_on.size());
    if (added) points_on.emplace_back();
    points_on[place->second].push_back(i);
  }
  BoostGraph graph(points_on.size());
  for (const auto& [index, vertex] : vertex_of) {
    std::int64_t stride = 1;
    for (std::size_t d = 0; d < points.dimensions; stride *= points.extents[d++]) {
      if (points.coordinate(points_on[vertex].front(), d) + 1 == points.extents[d]) continue;
      const auto next = vertex_of.find(index + stride);
      if (next != vertex_of.end()) boost::add_edge(vertex, next->second, graph);
    }
  }
  std::vector<Slot> order;
  for (const auto vertex : reverse_cuthill_mckee(graph))
    for (const auto i : points_on[vertex]) order.push_back(points.slots[i]);
  return order;
}

class Rcm final : public GraphMapper {
  Assignment place(const TrafficGraph& traffic, const SlotHops& hops) const override {
    const auto ranks = order_of_ranks(traffic);
    Points points(hops, compact_slots(hops, traffic.rank_count()));
    cut_at_gaps(points, hops);
    const auto slots = order_of_slots(points);
    Assignment slot_of(ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) slot_of[Rank(ranks[i])] = slots[i];
    return slot_of;
  }
};

}  // namespace

core::Entry<MakeMapper> rcm_mapper() {
  return {"rcm", "reverse Cuthill-McKee orders of ranks and nodes, side by side", make<Rcm>};
}

}  // namespace toroid::mapping
