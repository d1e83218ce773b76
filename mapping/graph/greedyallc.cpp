// GreedyAllC (Glantz, Meyerhenke, Noe, arXiv 1411.0921): next comes the rank that exchanges most with all ranks placed
// so far, and goes where its bytes to and from all of them travel least.

#include <algorithm>
#include <set>

#include "mapping/graph/graph_mapper.hpp"
#include "mapping/mappers.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {
namespace {

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
      double sent, received;  ///< from here; to here
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
  core::IdVector<Rank, double> exchanged_;  ///< with those placed
  std::set<Priority> waiting_;
  Assignment slot_of_;
};

class GreedyAllC final : public GraphMapper {
  Assignment place(const TrafficGraph& graph, const SlotHops& hops) const override {
    return AllConstruction(graph, hops).run();
  }
};

}  // namespace

core::Entry<MakeMapper> greedyallc_mapper() {
  return {"greedyallc", "one rank after the other near all its partners that are placed already (Glantz et al.)",
          make<GreedyAllC>};
}

}  // namespace toroid::mapping
