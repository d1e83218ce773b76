// Takes load off the most loaded links: local search on the peak of the link loads.

#include "mapping/costs/link_loads.hpp"
#include "mapping/costs/near_slots.hpp"
#include "mapping/mappers.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

class Relief {
 public:
  Relief(LinkLoads& loads, const NearSlots& near) : loads_(loads), near_(near) {}

  /// Swaps until no swap of a rank whose messages cross a most loaded link lowers the peak, at most so many times.
  void run(std::int64_t most) {
    while (most-- > 0 && relieve_any()) {
    }
  }

 private:
  bool relieve_any() {
    for (const LinkId link : loads_.most_loaded())
      for (const Rank rank : loads_.ranks_across(link))
        if (move(rank)) return true;
    return false;
  }

  /// Makes the best swap with a rank near to it or to a partner of it, or else the first with any other that lowers the
  /// peak.
  bool move(Rank rank) {
    Rank best = rank;
    Peak least = loads_.peak();
    const auto consider = [&](Rank other) {
      if (other == rank) return;
      const Peak peak = loads_.peak_after(rank, other);
      if (!peak.better_than(least)) return;
      least = peak;
      best = other;
    };
    auto centres = loads_.partners(rank);
    centres.push_back(rank);
    for (const Rank centre : centres)
      for (const Slot slot : near_(loads_.placement().slot(centre))) consider(loads_.placement().rank_on(slot));
    for (const Rank other : loads_.placement().ranks())
      if (best == rank) consider(other);
    if (best == rank) return false;
    loads_.swap(rank, best);
    return true;
  }

  LinkLoads& loads_;
  const NearSlots& near_;
};

const auto base = base_parameter("refine:cost=weighted");
const core::Parameter<std::int64_t> swaps{"swaps", "swaps at most", core::whole<std::int64_t>(0, 1'000'000'000),
                                          "10000"};

class MinMaxLoad final : public Mapper {
 public:
  explicit MinMaxLoad(const core::Arguments& arguments)
      : base_(arguments[base]), swaps_(arguments[swaps]), seed_(arguments[seed_parameter]) {}

  bool uses_seed() const override { return !seed_ && base_->uses_seed(); }
  std::string file() const override { return base_->file(); }
  void check(const MappingProblem& problem) const override { base_->check(problem); }
  Mapping map(const MappingProblem& problem) const override {
    auto base_problem = problem;
    base_problem.seed = seed_.value_or(problem.seed);
    LinkLoads loads(TrafficGraph(problem.traffic.matrix()), problem.machine, problem.slots,
                    assignment_of(make_mapping(*base_, base_problem), problem.slots));
    const NearSlots near(problem.machine, problem.slots);
    Relief(loads, near).run(swaps_);
    return mapping_of(loads.placement().slot_of(), problem.slots, problem.ranks());
  }

 private:
  std::shared_ptr<const Mapper> base_;
  std::int64_t swaps_;
  std::optional<std::uint64_t> seed_;
};

}  // namespace

core::Entry<MakeMapper> minmaxload_mapper() {
  return {"minmaxload",
          "another mapping, with less load on its most loaded links",
          make<MinMaxLoad>,
          {base, swaps, seed_parameter}};
}

}  // namespace toroid::mapping
