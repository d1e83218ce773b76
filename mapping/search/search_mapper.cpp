#include "mapping/search/search_mapper.hpp"

#include "mapping/mapper.hpp"

namespace toroid::mapping {

const core::Parameter<Distance> cost_parameter{"cost", "what to minimize", core::one_of(distances()), "classic"};

core::Parameter<std::shared_ptr<const Mapper>> base_parameter(const std::string& fallback) {
  return {"base", "the mapper to start from", mapper_in_parentheses(), fallback};
}

SearchMapper::SearchMapper(const core::Arguments& arguments, std::shared_ptr<const Mapper> start_mapper)
    : name_(arguments.spec().name()),
      distance_(arguments[cost_parameter]),
      seed_(arguments[seed_parameter]),
      start_mapper_(std::move(start_mapper)) {}

Mapping SearchMapper::map(const MappingProblem& problem) const {
  const QuadraticCost cost(TrafficGraph(problem.traffic.matrix()),
                           SlotCosts(problem.machine, problem.slots, distance_));
  const std::uint64_t seed = seed_.value_or(problem.seed);
  core::Random random(seed, "mapping/" + name_);
  Assignment start;
  if (start_mapper_) {
    auto start_problem = problem;
    start_problem.seed = seed;
    start = assignment_of(make_mapping(*start_mapper_, start_problem), problem.slots);
  }
  return mapping_of(search(cost, random, std::move(start)), problem.slots, problem.ranks());
}

}  // namespace toroid::mapping
