#include <queue>
#include <set>

#include "mapping/graph/graph_mapper.hpp"

namespace toroid::mapping {
namespace {

/// Greedy mapping (Hoefler, Snir, ICS'11, algorithm "greedy heuristic"): start with the rank that exchanges most,
/// follow the heaviest edge, place its rank as near to the other end as possible.
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
    std::ranges::stable_sort(heaviest_first, [&](Rank a, Rank b) { return bytes[a] > bytes[b]; });
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
    TrafficGraph::Edge end;  ///< the edge as the end that is placed sees it
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
    TOROID_ASSERT(nearest != nowhere);
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

/// GreedyAllC (Glantz, Meyerhenke, Noe, arXiv 1411.0921): next comes the rank that exchanges most with all ranks placed
/// so far, and goes where its bytes to and from all of them travel least.
class AllConstruction {
 public:
  AllConstruction(const TrafficGraph& graph, const SlotHops& hops)
      : graph_(graph),
        hops_(hops),
        free_(hops.slots().begin(), hops.slots().end()),
        exchanged_(graph.rank_count(), 0),
        slot_of_(graph.rank_count(), nowhere) {
    for (const Rank rank : graph.ranks()) waiting_.insert(priority(rank));
  }

  Assignment run() {
    TOROID_ASSERT(waiting_.size() <= free_.size());
    const Slot centre = central_slot(hops_, graph_.rank_count());
    while (!waiting_.empty()) {
      const Rank rank = waiting_.begin()->rank;
      waiting_.erase(waiting_.begin());
      place(rank, best_slot(rank, centre));
    }
    return std::move(slot_of_);
  }

 private:
  /// Most exchanged with those placed first; then most in all; then the lowest rank.
  struct Priority {
    double with_placed, in_all;
    Rank rank;
    bool operator<(const Priority& other) const {
      if (with_placed != other.with_placed) return with_placed > other.with_placed;
      if (in_all != other.in_all) return in_all > other.in_all;
      return rank < other.rank;
    }
  };

  Priority priority(Rank rank) const { return {exchanged_[rank], graph_.bytes(rank), rank}; }

  /// The free slot that costs least; of several, the one nearest to the centre, then the lowest.
  std::size_t best_slot(Rank rank, Slot centre) const {
    struct Placed {
      Slot slot;
      double sent, received;  ///< bytes from here; bytes to here
    };
    std::vector<Placed> placed;
    for (const auto& edge : graph_.neighbours(rank))
      if (slot_of_[edge.rank] != nowhere) placed.push_back({slot_of_[edge.rank], edge.sent, edge.received});
    std::size_t best = 0;
    std::pair<double, std::int32_t> least{};
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const Slot here = free_[i];
      double bytes_hops = 0;
      for (const auto& [there, sent, received] : placed)
        bytes_hops += hops_.symmetric() ? (sent + received) * hops_(here, there)
                                        : sent * hops_(here, there) + received * hops_(there, here);
      const std::pair cost{bytes_hops, hops_(centre, here)};
      if (i > 0 && cost >= least) continue;
      best = i;
      least = cost;
    }
    return best;
  }

  void place(Rank rank, std::size_t free) {
    slot_of_[rank] = free_[free];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(free));
    for (const auto& edge : graph_.neighbours(rank)) {
      if (slot_of_[edge.rank] != nowhere) continue;
      waiting_.erase(priority(edge.rank));
      exchanged_[edge.rank] += edge.bytes();
      waiting_.insert(priority(edge.rank));
    }
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  std::vector<Slot> free_;                  ///< ascending
  core::IdVector<Rank, double> exchanged_;  ///< bytes that each rank exchanges with those that are placed
  std::set<Priority> waiting_;
  Assignment slot_of_;
};

template <class SomeConstruction>
class Greedy final : public GraphMapper {
  Assignment place(const TrafficGraph& graph, const SlotHops& hops) const override {
    return SomeConstruction(graph, hops).run();
  }
};

}  // namespace

core::Entry<MakeMapper> greedy_mapper() {
  return {"greedy", "one rank after the other next to the partner with which it exchanges most (Hoefler, Snir)",
          make<Greedy<Construction>>};
}

core::Entry<MakeMapper> greedyallc_mapper() {
  return {"greedyallc", "one rank after the other near all its partners that are placed already (Glantz et al.)",
          make<Greedy<AllConstruction>>};
}

}  // namespace toroid::mapping
