// Greedy mapping (Hoefler, Snir, ICS'11, algorithm "greedy heuristic"): start with the rank that exchanges most, follow
// the heaviest edge, place its rank as near to the other end as possible.

#include <algorithm>
#include <optional>
#include <queue>

#include "mapping/graph/graph_mapper.hpp"
#include "mapping/mappers.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {
namespace {

class Construction {
 public:
  Construction(const TrafficGraph& graph, const SlotHops& hops)
      : graph_(graph), hops_(hops), taken_(hops.size(), false), slot_of_(graph.rank_count(), nowhere) {}

  Assignment run() {
    std::vector<Rank> heaviest_first;
    core::IdVector<Rank, double> bytes;
    for (const Rank rank : graph_.ranks()) {
      heaviest_first.push_back(rank);
      bytes.add(graph_.bytes(rank));
    }
    std::stable_sort(heaviest_first.begin(), heaviest_first.end(), [&](Rank a, Rank b) { return bytes[a] > bytes[b]; });
    // A part of the traffic that has nothing to do with those placed begins where the last rank was put.
    Slot last = central_slot(hops_, graph_.rank_count());
    for (const Rank rank : heaviest_first) {
      if (placed(rank)) continue;
      last = place(rank, nearest_free(last, {0, 1, 1}));
      while (const auto edge = heaviest_edge()) last = place(edge->end.rank, nearest_free(edge->from, edge->end));
    }
    return std::move(slot_of_);
  }

 private:
  struct Open {
    Slot from;               ///< slot of the end that is placed
    TrafficGraph::Edge end;  ///< as the end that is placed sees it
    std::size_t since;       ///< older edges go first when they are as heavy
    bool operator<(const Open& other) const {
      return end.bytes() != other.end.bytes() ? end.bytes() < other.end.bytes() : since > other.since;
    }
  };

  bool placed(Rank rank) const { return slot_of_[rank] != nowhere; }

  std::optional<Open> heaviest_edge() {
    while (!open_.empty()) {
      const Open edge = open_.top();
      open_.pop();
      if (!placed(edge.end.rank)) return edge;
    }
    return std::nullopt;
  }

  /// The free slot to and from which the bytes of the edge travel least; ties go to the lower index.
  Slot nearest_free(Slot from, const TrafficGraph::Edge& edge) const {
    Slot nearest = nowhere;
    double least = 0;
    for (const Slot slot : hops_.slots()) {
      if (taken_[slot]) continue;
      const double cost = edge.sent * hops_(from, slot) + edge.received * hops_(slot, from);
      if (nearest != nowhere && cost >= least) continue;
      nearest = slot;
      least = cost;
    }
    return nearest;
  }

  Slot place(Rank rank, Slot slot) {
    slot_of_[rank] = slot;
    taken_[slot] = true;
    for (const auto& edge : graph_.neighbours(rank))
      if (!placed(edge.rank)) open_.push({slot, edge, edges_++});
    return slot;
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  core::IdVector<Slot, char> taken_;
  Assignment slot_of_;
  std::priority_queue<Open> open_;
  std::size_t edges_ = 0;
};

class Greedy final : public GraphMapper {
  Assignment place(const TrafficGraph& graph, const SlotHops& hops) const override {
    return Construction(graph, hops).run();
  }
};

}  // namespace

core::Entry<MakeMapper> greedy_mapper() {
  return {"greedy", "one rank after the other next to the partner with which it exchanges most (Hoefler, Snir)",
          make<Greedy>};
}

}  // namespace toroid::mapping
