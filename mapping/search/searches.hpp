#pragma once
// Searches for mappings of little quadratic cost: descent, annealing, and descents from greedy starts; and what mappers
// that search have in common.

#include "core/random.hpp"
#include "mapping/costs/quadratic_cost.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

/// The key `cost`: the distance that the cost is made of.
extern const core::Parameter<Distance> cost_parameter;

/// The key `base`: the mapper to start from.
core::Parameter<std::shared_ptr<const Mapper>> base_parameter(const std::string& fallback);

/// A mapper with the keys cost_parameter and seed_parameter.
class SearchMapper : public KeyedMapper {
 public:
  /// `start_mapper`: what makes the mapping to start from; null if none does.
  explicit SearchMapper(const core::Arguments& arguments, std::shared_ptr<const Mapper> start_mapper = nullptr);

  std::string file() const override { return start_mapper_ ? start_mapper_->file() : std::string{}; }
  Mapping map(const MappingProblem& problem) const final;
  void check(const MappingProblem& problem) const override {
    if (start_mapper_) start_mapper_->check(problem);
  }

 protected:
  /// Searches from `start`, a permutation of the slots, which is empty where no mapper makes one.
  virtual Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const = 0;

  const Mapper* start_mapper() const { return start_mapper_.get(); }

 private:
  std::shared_ptr<const Mapper> start_mapper_;
};

enum class Reach : std::uint8_t {
  any,  ///< until no swap of two ranks and no move into an empty slot lowers the cost
  near  ///< until none does that brings a rank near to one of those that it exchanges with: far quicker for many ranks
};

/// Any swap up to 1,024 slots, near ones with more: the one takes time with the square of their number.
inline Reach usual_reach(std::size_t slots) {
  return slots <= 1024 ? Reach::any : Reach::near;
}

/// Swaps ranks while that lowers the cost, 2-exchange: each rank in turn takes its best partner. Only ranks whose swaps
/// may have changed are looked at again. `slot_of` is a permutation of the slots (see Assignment). Ties go to the lower
/// rank.
void descend(const QuadraticCost& cost, Assignment& slot_of, Reach reach = Reach::any);

/// Returns where an annealing from `start` ends, or `start` if that is better: `sweeps` times as many swaps are
/// proposed as there are ranks, each made if it lowers the cost or else with probability exp(-increase / temperature).
/// The temperature falls geometrically, from two hops of a usual message of the job, or three where ranks share nodes,
/// to three tenths of one. That leaves a good start what it is at large, and what colder proposals would find is left
/// to a descent.
///
/// A proposal brings a rank to a slot near one of those that it exchanges with, the heavier of two that are drawn, or,
/// one in eight, to any slot. It takes the time of QuadraticCost::swap_delta.
Assignment anneal(const QuadraticCost& cost, Assignment start, std::int64_t sweeps, core::Random& random);

/// The sweeps that a good start is worth where nobody says how many: 1000, or as many as make 8 million proposals,
/// which take some seconds.
std::int64_t usual_sweeps(std::int32_t ranks);

/// Returns the best of `iterations` >= 1 local optima (descend()) below greedy starts (greedy_start.hpp).
Assignment grasp(const QuadraticCost& cost, std::int64_t iterations, core::Random& random);

}  // namespace toroid::mapping
