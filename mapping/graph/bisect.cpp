// Recursive bisection of the traffic and of the nodes together (Hoefler, Snir, ICS'11; Pellegrini 1994): each cut of
// the ranks begins as a spectral one and is refined by moves (Kernighan, Lin 1970; Fiduccia, Mattheyses 1982) that
// count ranks of other parts too.

#include <algorithm>
#include <set>

#include "mapping/graph/dual_bisection.hpp"
#include "mapping/graph/graph_mapper.hpp"
#include "mapping/graph/spectral_order.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// Refines cuts by passes. In a pass ranks change sides in pairs, one from each side, each rank once, those that gain
/// most first even if that is a loss; then the pass is undone back to where the cost was least.
class Refinement {
 public:
  explicit Refinement(const TrafficGraph& graph)
      : graph_(graph), side_(graph.rank_count(), outside), gain_(side_.size(), 0) {}

  void run(RanksToCut& part) {
    constexpr int most_passes = 8;
    for (std::size_t i = 0; i < part.ranks.size(); ++i) side_[part.ranks[i]] = i < part.lower ? 0 : 1;
    for (int i = 0; i < most_passes && pass(part); ++i) {
    }
    std::stable_partition(part.ranks.begin(), part.ranks.end(), [this](Rank rank) { return side_[rank] == 0; });
    for (const Rank rank : part.ranks) side_[rank] = outside;
  }

 private:
  static constexpr std::uint8_t outside = 2;

  static std::uint8_t opposite(std::uint8_t side) { return static_cast<std::uint8_t>(1 - side); }

  /// What the cost loses when the rank changes sides.
  double gain_of_move(const RanksToCut& part, Rank rank) {
    const double bias = part.bias[rank];
    double sum = side_[rank] == 0 ? bias : -bias;
    for (const auto& edge : graph_.neighbours(rank))
      if (side_[edge.rank] != outside) sum += (side_[edge.rank] == side_[rank] ? -1 : 1) * edge.bytes() * part.distance;
    return sum;
  }

  /// Whether the cost fell.
  bool pass(const RanksToCut& part) {
    constexpr std::size_t most_fruitless = 50;
    for (auto& waiting : waiting_) waiting.clear();
    for (const Rank rank : part.ranks) {
      gain_[rank] = gain_of_move(part, rank);
      waiting_[side_[rank]].insert({-gain_[rank], rank});
    }
    std::vector<Rank> moved;
    double sum = 0, best = 0;
    std::size_t best_moves = 0;
    while (!waiting_[0].empty() && !waiting_[1].empty() && moved.size() < best_moves + 2 * most_fruitless) {
      const std::uint8_t first = *waiting_[0].begin() < *waiting_[1].begin() ? 0 : 1;
      for (const std::uint8_t from : {first, opposite(first)}) {
        const Rank rank = waiting_[from].begin()->second;
        waiting_[from].erase(waiting_[from].begin());
        sum += gain_[rank];
        move(part, rank);
        moved.push_back(rank);
      }
      if (sum <= best * (1 + 1e-12)) continue;  // more than rounding
      best = sum;
      best_moves = moved.size();
    }
    while (moved.size() > best_moves) {
      side_[moved.back()] = opposite(side_[moved.back()]);
      moved.pop_back();
    }
    return best > 0;
  }

  void move(const RanksToCut& part, Rank rank) {
    side_[rank] = opposite(side_[rank]);
    for (const auto& edge : graph_.neighbours(rank)) {
      if (side_[edge.rank] == outside) continue;
      const bool waits = waiting_[side_[edge.rank]].erase({-gain_[edge.rank], edge.rank}) > 0;
      gain_[edge.rank] += (side_[edge.rank] == side_[rank] ? -2 : 2) * edge.bytes() * part.distance;
      if (waits) waiting_[side_[edge.rank]].insert({-gain_[edge.rank], edge.rank});
    }
  }

  const TrafficGraph& graph_;
  core::IdVector<Rank, std::uint8_t> side_;  ///< 0 lower, 1 upper, or outside of the part
  core::IdVector<Rank, double> gain_;
  std::set<std::pair<double, Rank>> waiting_[2];  ///< ranks of each side that may move, with minus their gain
};

class Bisection final : public GraphMapper {
  Assignment place(const TrafficGraph& graph, const SlotHops& hops) const override {
    SpectralOrder order(graph);
    Refinement refinement(graph);
    return dual_bisection(graph, hops, compact_slots(hops, graph.rank_count()), [&](RanksToCut& part) {
      order.sort(part.ranks);
      orient(part);
      refinement.run(part);
    });
  }
};

}  // namespace

core::Entry<MakeMapper> bisect_mapper() {
  return {"bisect", "recursive bisection of traffic and nodes, each cut refined", make<Bisection>};
}

}  // namespace toroid::mapping
