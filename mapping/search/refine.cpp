// What mappers that search have in common, and local search from the mapping of another mapper.

#include <queue>

#include "core/interrupt.hpp"
#include "mapping/search/searches.hpp"

namespace toroid::mapping {

const core::Parameter<Distance> cost_parameter{"cost", "what to minimize", core::one_of(distances()), "classic"};

core::Parameter<std::shared_ptr<const Mapper>> base_parameter(const std::string& fallback) {
  return {"base", "the mapper to start from", mapper_in_parentheses(), fallback};
}

SearchMapper::SearchMapper(const core::Arguments& arguments, std::shared_ptr<const Mapper> start_mapper)
    : KeyedMapper(arguments), start_mapper_(std::move(start_mapper)) {}

Mapping SearchMapper::map(const MappingProblem& problem) const {
  const QuadraticCost cost(TrafficGraph(problem.traffic.matrix()),
                           SlotCosts(problem.machine, problem.slots, value(cost_parameter)));
  core::Random random(seed(problem), "mapping/" + spec().name());
  Assignment start;
  if (start_mapper_) {
    auto start_problem = problem;
    start_problem.seed = seed(problem);
    start = assignment_of(make_mapping(*start_mapper_, start_problem), problem.slots);
  }
  return mapping_of(search(cost, random, std::move(start)), problem.slots, problem.ranks());
}

namespace {

/// Ranks to look at, first in first out, none of them twice.
class Agenda {
 public:
  explicit Agenda(std::size_t ranks) : waiting_(ranks, false) {}

  bool empty() const { return queue_.empty(); }

  void add(Rank rank) {
    if (std::exchange(waiting_[rank], true)) return;
    queue_.push(rank);
  }

  Rank take() {
    TOROID_ASSERT(!empty());
    const Rank rank = queue_.front();
    queue_.pop();
    waiting_[rank] = false;
    return rank;
  }

 private:
  std::queue<Rank> queue_;
  core::IdVector<Rank, char> waiting_;
};

class Descent {
 public:
  Descent(const QuadraticCost& cost, Placement& placement, Reach reach)
      : cost_(cost),
        placement_(placement),
        reach_(reach),
        start_(cost.total(placement.slot_of())),
        threshold_(least_gain * start_),
        near_agenda_(cost.slot_count()),
        agenda_(cost.slot_count()),
        own_cost_(cost.slot_count(), 0) {
    for (const Rank rank : cost.ranks()) revisit(rank);
  }

  /// Swaps that bring a rank near to a partner first: where traffic is sparse these are few, and most of what helps.
  void run() {
    while (!core::is_interrupted()) {
      if (!near_agenda_.empty()) {
        const Rank rank = near_agenda_.take();
        swap(rank, best_near_partner(rank));
      } else if (!agenda_.empty()) {
        const Rank rank = agenda_.take();
        swap(rank, best_partner(rank));
      } else {
        break;
      }
    }
    TOROID_ASSERT_HEAVY(are_equal_sums(cost_.total(placement_.slot_of()), expected_, start_));
  }

 private:
  void swap(Rank rank, Rank other) {
    if (rank == other) return;
    if constexpr (core::heavy_assertions) expected_ += cost_.swap_delta(placement_.slot_of(), rank, other);
    placement_.swap(rank, other);
    // Another swap is worth a new look only if one of its ranks moved, or a partner of one did.
    for (const Rank moved : {rank, other}) {
      revisit(moved);
      for (const auto& partner : cost_.receivers(moved)) revisit(partner.rank);
      for (const auto& partner : cost_.senders(moved)) revisit(partner.rank);
    }
  }

  void revisit(Rank rank) {
    near_agenda_.add(rank);
    if (reach_ == Reach::any) agenda_.add(rank);
    own_cost_[rank] = cost_.of_rank(placement_.slot_of(), rank);
  }

  /// As best_partner, among the ranks near to those that `rank` exchanges with; `rank` if looking at all is no slower.
  Rank best_near_partner(Rank rank) {
    Rank best = rank;
    const auto receivers = cost_.receivers(rank), senders = cost_.senders(rank);
    const std::size_t near_slots = cost_.distances().near(placement_.slot(rank)).size();
    if (reach_ == Reach::any && 4 * (receivers.size() + senders.size()) * near_slots > cost_.slot_count()) return best;
    double best_delta = -threshold_;
    for (const auto partners : {receivers, senders})
      for (const auto& partner : partners)
        for (const Slot there : cost_.distances().near(placement_.slot(partner.rank))) {
          const Rank other = placement_.rank_on(there);
          const double cost_there = cost_.on_slot(placement_.slot_of(), rank, there);
          if (most_hopeful(rank, cost_there, other) >= best_delta) continue;
          const double delta = cost_.swap_delta(placement_.slot_of(), rank, other);
          if (delta >= best_delta) continue;
          best = other;
          best_delta = delta;
        }
    return best;
  }

  /// A swap changes the cost by at least this: the other rank would cost nothing any more. Rules out most swaps of
  /// sparse traffic.
  double most_hopeful(Rank rank, double cost_there, Rank other) const {
    return cost_there - own_cost_[rank] - own_cost_[other];
  }

  /// The rank with which a swap of `rank` lowers the cost most, by more than the threshold; `rank` if there is none.
  /// Two silent ranks need no look: swapping them changes nothing.
  Rank best_partner(Rank rank) {
    const bool silent = rank.value() >= cost_.rank_count();
    cost_.on_each_slot(placement_.slot_of(), rank, on_slot_);
    Rank best = rank;
    double best_delta = -threshold_;
    for (const Rank partner : silent ? cost_.ranks() : placement_.ranks()) {
      if (most_hopeful(rank, on_slot_[placement_.slot(partner)], partner) >= best_delta) continue;
      const double delta = cost_.swap_delta(placement_.slot_of(), rank, partner);
      if (delta >= best_delta) continue;
      best = partner;
      best_delta = delta;
    }
    return best;
  }

  const QuadraticCost& cost_;
  Placement& placement_;
  Reach reach_;
  double start_, threshold_, expected_ = start_;  ///< costs: at the start; a gain that counts; what it should be now
  Agenda near_agenda_, agenda_;                   ///< the ranks to look at by best_near_partner, and by best_partner
  core::IdVector<Rank, double> own_cost_;         ///< of_rank; up to date between swaps
  core::IdVector<Slot, double> on_slot_;
};

const auto refine_base = base_parameter("consecutive");

class Refine final : public SearchMapper {
 public:
  explicit Refine(const core::Arguments& arguments) : SearchMapper(arguments, arguments[refine_base]) {}

  bool uses_seed() const override { return SearchMapper::uses_seed() && start_mapper()->uses_seed(); }

 private:
  Assignment search(const QuadraticCost& cost, core::Random&, Assignment start) const override {
    descend(cost, start);
    return start;
  }
};

}  // namespace

void descend(const QuadraticCost& cost, Assignment& slot_of, Reach reach) {
  Placement placement(std::move(slot_of));
  Descent(cost, placement, reach).run();
  slot_of = placement.slot_of();
}

core::Entry<MakeMapper> refine_mapper() {
  return {"refine",
          "another mapping, made better by swaps of two ranks",
          make<Refine>,
          {cost_parameter, refine_base, seed_parameter}};
}

}  // namespace toroid::mapping
