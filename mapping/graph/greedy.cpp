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
      : graph_(graph), hops_(hops), taken_(hops.size(), false), slot_of_(static_cast<std::size_t>(graph.ranks()), -1) {}

  Assignment run() {
    std::vector<std::int32_t> heaviest_first;
    std::vector<double> bytes;
    for (std::int32_t rank = 0; rank < graph_.ranks(); ++rank) {
      heaviest_first.push_back(rank);
      bytes.push_back(graph_.bytes(rank));
    }
    std::stable_sort(heaviest_first.begin(), heaviest_first.end(), [&](std::int32_t a, std::int32_t b) {
      return bytes[static_cast<std::size_t>(a)] > bytes[static_cast<std::size_t>(b)];
    });
    // A part of the traffic that has nothing to do with those placed begins where the last rank was put.
    std::size_t last = central_slot(hops_, slot_of_.size());
    for (const auto rank : heaviest_first) {
      if (placed(rank)) continue;
      last = place(rank, nearest_free(last, {0, 1, 1}));
      while (const auto edge = heaviest_edge()) last = place(edge->end.rank, nearest_free(edge->from, edge->end));
    }
    return std::move(slot_of_);
  }

 private:
  struct Open {
    std::size_t from;        ///< slot of the end that is placed
    TrafficGraph::Edge end;  ///< as the end that is placed sees it
    std::size_t since;       ///< older edges go first when they are as heavy
    bool operator<(const Open& other) const {
      return end.bytes() != other.end.bytes() ? end.bytes() < other.end.bytes() : since > other.since;
    }
  };

  bool placed(std::int32_t rank) const { return slot_of_[static_cast<std::size_t>(rank)] >= 0; }

  std::optional<Open> heaviest_edge() {
    while (!open_.empty()) {
      const Open edge = open_.top();
      open_.pop();
      if (!placed(edge.end.rank)) return edge;
    }
    return std::nullopt;
  }

  /// The free slot to and from which the bytes of the edge travel least; ties go to the lower index.
  std::size_t nearest_free(std::size_t from, const TrafficGraph::Edge& edge) const {
    std::size_t nearest = hops_.size();
    double least = 0;
    for (std::size_t slot = 0; slot < hops_.size(); ++slot) {
      if (taken_[slot]) continue;
      const double cost = edge.sent * hops_(from, slot) + edge.received * hops_(slot, from);
      if (nearest != hops_.size() && cost >= least) continue;
      nearest = slot;
      least = cost;
    }
    return nearest;
  }

  std::size_t place(std::int32_t rank, std::size_t slot) {
    slot_of_[static_cast<std::size_t>(rank)] = static_cast<std::int32_t>(slot);
    taken_[slot] = true;
    for (const auto& edge : graph_.neighbours(rank))
      if (!placed(edge.rank)) open_.push({slot, edge, edges_++});
    return slot;
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  std::vector<bool> taken_;
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
  return {"greedy", "along the heaviest edges, each rank next to its partner (Hoefler, Snir)", make<Greedy>};
}

}  // namespace toroid::mapping
