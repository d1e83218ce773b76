#include "mapping/geometric/swap_search.hpp"

#include <algorithm>
#include <utility>

#include "mapping/costs/least_gain.hpp"

namespace toroid::mapping {
namespace {

class SwapSearch {
 public:
  SwapSearch(const TrafficGraph& graph, const SlotHops& hops, Assignment& slot_of, std::int64_t limit)
      : graph_(graph),
        hops_(hops),
        slot_of_(slot_of),
        ranks_(graph.ranks()),
        limit_(limit),
        threshold_(least_gain * hop_bytes(graph, hops, slot_of)),
        bytes_(slot_of.size()),
        cost_(slot_of.size()),
        changed_(slot_of.size(), 0) {
    for (std::int32_t rank = 0; rank < ranks_; ++rank) {
      bytes_[index(rank)] = graph.bytes(rank);
      cost_[index(rank)] = cost_at(rank, slot(rank));
    }
  }

  std::int64_t run(SwapChoice choice) {
    switch (choice) {
      case SwapChoice::first:
        in_passes(&SwapSearch::make_each_found);
        break;
      case SwapChoice::best_per_rank:
        in_passes(&SwapSearch::make_best_of);
        break;
      case SwapChoice::best:
        make_best_of_all();
        break;
    }
    return swaps_;
  }

 private:
  struct Found {
    double gain;
    std::int32_t partner;
  };

  static std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }
  std::size_t slot(std::int32_t rank) const { return static_cast<std::size_t>(slot_of_[index(rank)]); }

  double cost_of(const TrafficGraph::Edge& edge, std::size_t here, std::size_t there) const {
    if (hops_.symmetric()) return (edge.sent + edge.received) * hops_(here, there);
    return edge.sent * hops_(here, there) + edge.received * hops_(there, here);
  }

  double cost_at(std::int32_t rank, std::size_t here) const {
    double sum = 0;
    for (const auto& edge : graph_.neighbours(rank)) sum += cost_of(edge, here, slot(edge.rank));
    return sum;
  }

  /// Whether two ranks are so far apart that a swap cannot gain: by the triangle inequality a rank's bytes travel at
  /// least as far as it is moved, less the way they travel now.
  bool too_far(std::int32_t a, std::int32_t b, std::int32_t hops) const {
    const double bytes = bytes_[index(a)] + bytes_[index(b)];
    return 2 * (cost_[index(a)] + cost_[index(b)]) - bytes * hops <= threshold_;
  }

  /// Calls visit(partner) for the ranks from `first` on with which a swap may gain, those left out around which nothing
  /// changed, until it returns false.
  template <class Visit>
  void for_each_candidate(std::int32_t rank, std::int32_t first, std::int64_t since, Visit visit) {
    const bool all = changed(rank, since);
    if (all && hops_.symmetric()) hops_.from(slot(rank), from_rank_);
    for (std::int32_t partner = first; partner < ranks_; ++partner) {
      if (!all && !changed(partner, since)) continue;
      if (hops_.symmetric() &&
          too_far(rank, partner, all ? from_rank_[slot(partner)] : hops_(slot(rank), slot(partner))))
        continue;
      if (partner != rank && !visit(partner)) return;
    }
  }

  /// What hop_bytes loses when two ranks swap, if that is more than the threshold; else 0.
  double gain(std::int32_t a, std::int32_t b) const {
    const std::size_t slot_a = slot(a), slot_b = slot(b);
    double afterwards = 0, between = 0;
    for (const auto& edge : graph_.neighbours(a)) {
      if (edge.rank == b) {
        between = cost_of(edge, slot_a, slot_b);
        afterwards += between + cost_of(edge, slot_b, slot_a);
      } else {
        afterwards += cost_of(edge, slot_b, slot(edge.rank));
      }
    }
    for (const auto& edge : graph_.neighbours(b))
      if (edge.rank != a) afterwards += cost_of(edge, slot_a, slot(edge.rank));
    // What the two pay each other stands in both of their costs.
    const double gained = cost_[index(a)] + cost_[index(b)] - afterwards;
    return gained > threshold_ ? gained : 0;
  }

  void swap(std::int32_t a, std::int32_t b) {
    std::swap(slot_of_[index(a)], slot_of_[index(b)]);
    ++swaps_;
    touched_.clear();
    for (const auto moved : {a, b}) {
      update(moved);
      for (const auto& edge : graph_.neighbours(moved)) update(edge.rank);
    }
  }

  void update(std::int32_t rank) {
    if (std::exchange(changed_[index(rank)], swaps_) != swaps_) touched_.push_back(rank);
    cost_[index(rank)] = cost_at(rank, slot(rank));
  }

  /// Lets `step` work on every rank, given the number of swaps when it last began with that rank, until no swap is
  /// made any more.
  void in_passes(void (SwapSearch::*step)(std::int32_t rank, std::int64_t since)) {
    std::vector<std::int64_t> begun(index(ranks_), -1);
    for (std::int64_t before = -1; before != swaps_ && swaps_ < limit_;) {
      before = swaps_;
      for (std::int32_t rank = 0; rank < ranks_ && swaps_ < limit_; ++rank) {
        const std::int64_t since = begun[index(rank)];
        begun[index(rank)] = swaps_;
        (this->*step)(rank, since);
      }
    }
  }

  bool changed(std::int32_t rank, std::int64_t since) const { return changed_[index(rank)] > since; }

  void make_each_found(std::int32_t rank, std::int64_t since) {
    for (std::int32_t next = rank + 1; next < ranks_ && swaps_ < limit_;) {
      const std::int32_t first = std::exchange(next, ranks_);
      for_each_candidate(rank, first, since, [&](std::int32_t partner) {
        if (gain(rank, partner) == 0) return true;
        swap(rank, partner);
        next = partner + 1;  // from another slot
        return false;
      });
    }
  }

  void make_best_of(std::int32_t rank, std::int64_t since) {
    const auto found = best_partner(rank, 0, since);
    if (found.gain > 0) swap(rank, found.partner);
  }

  /// The best partner from rank `first` on, of pairs around which something changed.
  Found best_partner(std::int32_t rank, std::int32_t first, std::int64_t since) {
    Found best{0, rank};
    for_each_candidate(rank, first, since, [&](std::int32_t partner) {
      const double gained = gain(rank, partner);
      if (gained > best.gain) best = {gained, partner};
      return true;
    });
    return best;
  }

  void make_best_of_all() {
    std::vector<Found> best;  // of each rank with the ranks after it
    for (std::int32_t rank = 0; rank < ranks_; ++rank) best.push_back(best_partner(rank, rank + 1, -1));
    while (swaps_ < limit_) {
      const auto most =
          std::max_element(best.begin(), best.end(), [](const Found& a, const Found& b) { return a.gain < b.gain; });
      if (most->gain == 0) return;
      const std::int64_t before = swaps_;
      swap(static_cast<std::int32_t>(most - best.begin()), most->partner);
      std::sort(touched_.begin(), touched_.end());
      for (std::int32_t rank = 0; rank < ranks_; ++rank) {
        auto& known = best[index(rank)];
        if (changed(rank, before) || changed(known.partner, before))
          known = best_partner(rank, rank + 1, -1);
        else
          for (const auto partner : touched_) consider(rank, partner, known);
      }
    }
  }

  /// Puts a partner after `rank` in place of the known one if it gains more, or as much and is lower.
  void consider(std::int32_t rank, std::int32_t partner, Found& known) const {
    if (partner <= rank) return;
    if (hops_.symmetric() && too_far(rank, partner, hops_(slot(rank), slot(partner)))) return;
    const double gained = gain(rank, partner);
    if (gained > known.gain || (gained > 0 && gained == known.gain && partner < known.partner))
      known = {gained, partner};
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  Assignment& slot_of_;
  std::int32_t ranks_;
  std::int64_t limit_, swaps_ = 0;
  double threshold_;
  std::vector<double> bytes_, cost_;     ///< exchanged by each rank; times the hops they travel now
  std::vector<std::int32_t> touched_;    ///< ranks that the last swap changed
  std::vector<std::int32_t> from_rank_;  ///< hops from the rank that is being looked at to each slot
  std::vector<std::int64_t> changed_;    ///< the last swap that moved the rank or a neighbour of it; 0 if none did
};

}  // namespace

std::int64_t swap_search(const TrafficGraph& graph, const SlotHops& hops, Assignment& slot_of, SwapChoice choice,
                         std::int64_t limit) {
  return SwapSearch(graph, hops, slot_of, limit).run(choice);
}

}  // namespace toroid::mapping
