// GreedyAllC (Glantz, Meyerhenke, Noe, arXiv 1411.0921): next comes the rank that exchanges most with all ranks placed
// so far, and goes where its bytes to and from all of them travel least.

#include <algorithm>
#include <set>

#include "mapping/graph/graph_mapper.hpp"
#include "mapping/mappers.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {
namespace {

class Construction {
 public:
  Construction(const TrafficGraph& graph, const SlotHops& hops)
      : graph_(graph),
        hops_(hops),
        free_(hops.size()),
        exchanged_(static_cast<std::size_t>(graph.ranks()), 0),
        slot_of_(static_cast<std::size_t>(graph.ranks()), -1) {
    for (std::size_t slot = 0; slot < free_.size(); ++slot) free_[slot] = static_cast<std::int32_t>(slot);
    for (std::int32_t rank = 0; rank < graph.ranks(); ++rank) waiting_.insert(priority(rank));
  }

  Assignment run() {
    const std::size_t centre = central_slot(hops_, slot_of_.size());
    while (!waiting_.empty()) {
      const std::int32_t rank = waiting_.begin()->rank;
      waiting_.erase(waiting_.begin());
      place(rank, best_slot(rank, centre));
    }
    return std::move(slot_of_);
  }

 private:
  /// Most exchanged with those placed first; then most in all; then the lowest rank.
  struct Priority {
    double with_placed, in_all;
    std::int32_t rank;
    bool operator<(const Priority& other) const {
      if (with_placed != other.with_placed) return with_placed > other.with_placed;
      if (in_all != other.in_all) return in_all > other.in_all;
      return rank < other.rank;
    }
  };

  Priority priority(std::int32_t rank) const {
    return {exchanged_[static_cast<std::size_t>(rank)], graph_.bytes(rank), rank};
  }

  std::int32_t slot(std::int32_t rank) const { return slot_of_[static_cast<std::size_t>(rank)]; }

  /// The free slot that costs least; of several, the one nearest to the centre, then the lowest.
  std::size_t best_slot(std::int32_t rank, std::size_t centre) const {
    std::vector<TrafficGraph::Edge> placed;
    for (const auto& edge : graph_.neighbours(rank))
      if (slot(edge.rank) >= 0) placed.push_back({slot(edge.rank), edge.sent, edge.received});
    std::size_t best = 0;
    std::pair<double, std::int32_t> least{};
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const auto here = static_cast<std::size_t>(free_[i]);
      double bytes_hops = 0;
      for (const auto& [there, sent, received] : placed) {
        const auto other = static_cast<std::size_t>(there);
        bytes_hops += hops_.symmetric() ? (sent + received) * hops_(here, other)
                                        : sent * hops_(here, other) + received * hops_(other, here);
      }
      const std::pair cost{bytes_hops, hops_(centre, here)};
      if (i > 0 && cost >= least) continue;
      best = i;
      least = cost;
    }
    return best;
  }

  void place(std::int32_t rank, std::size_t free) {
    slot_of_[static_cast<std::size_t>(rank)] = free_[free];
    free_.erase(free_.begin() + static_cast<std::ptrdiff_t>(free));
    for (const auto& edge : graph_.neighbours(rank)) {
      if (slot(edge.rank) >= 0) continue;
      waiting_.erase(priority(edge.rank));
      exchanged_[static_cast<std::size_t>(edge.rank)] += edge.bytes();
      waiting_.insert(priority(edge.rank));
    }
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  std::vector<std::int32_t> free_;  ///< slots, ascending
  std::vector<double> exchanged_;   ///< of each rank, with those placed
  std::set<Priority> waiting_;
  Assignment slot_of_;
};

class GreedyAllC final : public GraphMapper {
  Assignment place(const TrafficGraph& graph, const SlotHops& hops) const override {
    return Construction(graph, hops).run();
  }
};

}  // namespace

core::Entry<MakeMapper> greedyallc_mapper() {
  return {"greedyallc", "each rank near all its partners placed before (Glantz et al.)", make<GreedyAllC>};
}

}  // namespace toroid::mapping
