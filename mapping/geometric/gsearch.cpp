// GSEARCH, geometric mapping and local search (Balzuweit, Bunde, Leung, Finley, Lee 2014).

#include "core/interrupt.hpp"
#include "mapping/costs/quadratic_cost.hpp"
#include "mapping/geometric/geometric_mapper.hpp"

namespace toroid::mapping {
namespace {

class SwapSearch {
 public:
  SwapSearch(const TrafficGraph& graph, const SlotHops& hops, Assignment& slot_of, std::int64_t limit)
      : graph_(graph),
        hops_(hops),
        slot_of_(slot_of),
        limit_(limit),
        start_(hop_bytes(graph, hops, slot_of)),
        threshold_(least_gain * start_),
        bytes_(slot_of.size()),
        cost_(slot_of.size()),
        changed_(slot_of.size(), 0) {
    for (const Rank rank : ranks()) {
      bytes_[rank] = graph.bytes(rank);
      cost_[rank] = cost_at(rank, slot(rank));
    }
  }

  std::int64_t run(SwapChoice choice) {
    if (choice == SwapChoice::best)
      make_best_of_all();
    else
      in_passes(choice == SwapChoice::first ? &SwapSearch::make_each_found : &SwapSearch::make_best_of);
    TOROID_ASSERT_HEAVY(std::abs(hop_bytes(graph_, hops_, slot_of_) - (start_ - gained_)) <= 1e-9 * (1 + start_));
    return swaps_;
  }

 private:
  struct Found {
    double gain;
    Rank partner;
  };

  core::IdRange<Rank> ranks() const { return slot_of_.ids(); }
  core::IdRange<Rank> ranks_from(Rank first) const { return {first, Rank(slot_of_.size())}; }
  Slot slot(Rank rank) const { return slot_of_[rank]; }

  double cost_of(const TrafficGraph::Edge& edge, Slot here, Slot there) const {
    if (hops_.symmetric()) return (edge.sent + edge.received) * hops_(here, there);
    return edge.sent * hops_(here, there) + edge.received * hops_(there, here);
  }

  double cost_at(Rank rank, Slot here) const {
    double sum = 0;
    for (const auto& edge : graph_.neighbours(rank)) sum += cost_of(edge, here, slot(edge.rank));
    return sum;
  }

  /// Whether two ranks are so far apart that a swap cannot gain: by the triangle inequality a rank's bytes travel at
  /// least as far as it is moved, less the way they travel now.
  bool too_far(Rank a, Rank b, std::int32_t hops) const {
    const double bytes = bytes_[a] + bytes_[b];
    return 2 * (cost_[a] + cost_[b]) - bytes * hops <= threshold_;
  }

  /// Calls visit(partner) for the ranks from `first` on with which a swap may gain, those left out around which nothing
  /// changed, until it returns false.
  template <class Visit>
  void for_each_candidate(Rank rank, Rank first, std::int64_t since, Visit visit) {
    const bool all = changed(rank, since);
    if (all && hops_.symmetric()) hops_.from(slot(rank), from_rank_);
    for (const Rank partner : ranks_from(first)) {
      if (!all && !changed(partner, since)) continue;
      if (hops_.symmetric() &&
          too_far(rank, partner, all ? from_rank_[slot(partner)] : hops_(slot(rank), slot(partner))))
        continue;
      if (partner != rank && !visit(partner)) return;
    }
  }

  /// What hop_bytes loses when two ranks swap, if that is more than the threshold; else 0.
  double gain(Rank a, Rank b) const {
    const Slot slot_a = slot(a), slot_b = slot(b);
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
    const double gained = cost_[a] + cost_[b] - afterwards;
    return gained > threshold_ ? gained : 0;
  }

  void swap(Rank a, Rank b) {
    if constexpr (core::heavy_assertions) gained_ += gain(a, b);
    std::swap(slot_of_[a], slot_of_[b]);
    ++swaps_;
    touched_.clear();
    for (const Rank moved : {a, b}) {
      update(moved);
      for (const auto& edge : graph_.neighbours(moved)) update(edge.rank);
    }
  }

  void update(Rank rank) {
    if (std::exchange(changed_[rank], swaps_) != swaps_) touched_.push_back(rank);
    cost_[rank] = cost_at(rank, slot(rank));
  }

  /// Lets `step` work on every rank, given the number of swaps when it last began with that rank, until no swap is
  /// made any more.
  void in_passes(void (SwapSearch::*step)(Rank rank, std::int64_t since)) {
    core::IdVector<Rank, std::int64_t> begun(slot_of_.size(), -1);
    for (std::int64_t before = -1; before != swaps_ && !ended();) {
      before = swaps_;
      for (const Rank rank : ranks()) {
        if (ended()) return;
        const std::int64_t since = begun[rank];
        begun[rank] = swaps_;
        (this->*step)(rank, since);
      }
    }
  }

  bool ended() const { return swaps_ >= limit_ || core::is_interrupted(); }
  bool changed(Rank rank, std::int64_t since) const { return changed_[rank] > since; }

  void make_each_found(Rank rank, std::int64_t since) {
    const Rank end(slot_of_.size());
    for (Rank next = rank + 1; next < end && !ended();) {
      const Rank first = std::exchange(next, end);
      for_each_candidate(rank, first, since, [&](Rank partner) {
        if (gain(rank, partner) == 0) return true;
        swap(rank, partner);
        next = partner + 1;  // from another slot
        return false;
      });
    }
  }

  void make_best_of(Rank rank, std::int64_t since) {
    const auto found = best_partner(rank, 0, since);
    if (found.gain > 0) swap(rank, found.partner);
  }

  /// The best partner from rank `first` on, of pairs around which something changed.
  Found best_partner(Rank rank, Rank first, std::int64_t since) {
    Found best{0, rank};
    for_each_candidate(rank, first, since, [&](Rank partner) {
      const double gained = gain(rank, partner);
      if (gained > best.gain) best = {gained, partner};
      return true;
    });
    return best;
  }

  void make_best_of_all() {
    core::IdVector<Rank, Found> best;  // with the ranks after it
    for (const Rank rank : ranks()) best.add(best_partner(rank, rank + 1, -1));
    while (!ended()) {
      const auto most = std::ranges::max_element(best, [](const Found& a, const Found& b) { return a.gain < b.gain; });
      if (most->gain == 0) return;
      const std::int64_t before = swaps_;
      swap(Rank(most - best.begin()), most->partner);
      std::ranges::sort(touched_);
      for (const Rank rank : ranks()) {
        auto& known = best[rank];
        if (changed(rank, before) || changed(known.partner, before))
          known = best_partner(rank, rank + 1, -1);
        else
          for (const Rank partner : touched_) consider(rank, partner, known);
      }
    }
  }

  /// Puts a partner after `rank` in place of the known one if it gains more, or as much and is lower.
  void consider(Rank rank, Rank partner, Found& known) const {
    if (partner <= rank) return;
    if (hops_.symmetric() && too_far(rank, partner, hops_(slot(rank), slot(partner)))) return;
    const double gained = gain(rank, partner);
    if (gained > known.gain || (gained > 0 && gained == known.gain && partner < known.partner))
      known = {gained, partner};
  }

  const TrafficGraph& graph_;
  const SlotHops& hops_;
  Assignment& slot_of_;
  std::int64_t limit_, swaps_ = 0;
  double start_, threshold_, gained_ = 0;         ///< hop_bytes: at the start; a gain that counts; gained by all swaps
  core::IdVector<Rank, double> bytes_, cost_;     ///< exchanged by each rank; times the hops they travel now
  std::vector<Rank> touched_;                     ///< the ranks that the last swap changed
  core::IdVector<Slot, std::int32_t> from_rank_;  ///< hops from the rank that is being looked at
  core::IdVector<Rank, std::int64_t> changed_;    ///< the last swap that moved it or a neighbour; 0 if none did
};

const core::Parameter<SwapChoice> variant{
    "variant", "which swap is next",
    core::one_of<SwapChoice>(
        {{"first", SwapChoice::first}, {"best-per-rank", SwapChoice::best_per_rank}, {"best", SwapChoice::best}}),
    "first"};

/// The most swaps for so many ranks.
using Limit = std::function<std::int64_t(std::int32_t ranks)>;

const core::Parameter<Limit> limit{
    "limit",
    "most swaps",
    {"none, paper (0.35 for each rank and 20) or a number of swaps",
     [](std::string_view text, const core::Place&) -> std::optional<Limit> {
       if (text == "paper") return [](std::int32_t n) { return (35 * std::int64_t{n} + 2000) / 100; };  // section IV-B
       const auto swaps = text == "none" ? no_swap_limit : core::parse_number<std::int64_t>(text);
       if (!swaps || *swaps < 0) return std::nullopt;
       return [most = *swaps](std::int32_t) { return most; };
     }},
    "none"};

class Gsearch final : public GeometricMapper {
 public:
  using GeometricMapper::GeometricMapper;

  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph graph(problem.traffic.matrix());
    const auto job = grid(problem);
    auto slot_of = job.ranks_on(geometric_mapping(job.extents, hops, compact_slots(hops, problem.ranks())));
    swap_search(graph, hops, slot_of, value(variant), value(limit)(problem.ranks()));
    return mapping_of(slot_of, problem.slots, problem.ranks());
  }
};

}  // namespace

std::int64_t swap_search(const TrafficGraph& graph, const SlotHops& hops, Assignment& slot_of, SwapChoice choice,
                         std::int64_t limit) {
  return SwapSearch(graph, hops, slot_of, limit).run(choice);
}

core::Entry<MakeMapper> gsearch_mapper() {
  return {"gsearch",
          "for stencils: geom, then swaps of two ranks while they shorten routes",
          make<Gsearch>,
          {grid_parameter, variant, limit}};
}

}  // namespace toroid::mapping
