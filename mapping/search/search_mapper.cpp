#include "mapping/search/search_mapper.hpp"

#include <map>

#include "mapping/mappers.hpp"

namespace toroid::mapping {

Assignment assignment_of(const Mapping& mapping, const std::vector<NodeId>& slots) {
  std::map<NodeId, std::vector<Slot>> free;  // of each node, last first
  for (std::size_t slot = slots.size(); slot-- > 0;) free[slots[slot]].push_back(static_cast<Slot>(slot));
  Assignment assignment;
  for (const NodeId node : mapping) {
    auto& here = free.at(node);
    assignment.push_back(here.back());
    here.pop_back();
  }
  for (const auto& [node, left] : free) assignment.insert(assignment.end(), left.rbegin(), left.rend());
  return assignment;
}

Mapping mapping_of(const Assignment& assignment, const std::vector<NodeId>& slots, std::int32_t ranks) {
  Mapping mapping;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank)
    mapping.push_back(slots[static_cast<std::size_t>(assignment[rank])]);
  return mapping;
}

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
  const QuadraticCost cost(problem.traffic.matrix(), SlotDistances(problem.machine, problem.slots, distance_));
  const std::uint64_t seed = seed_.value_or(problem.seed);
  core::Random random(seed, "mapping/" + name_);
  Assignment start;
  if (start_mapper_)
    start = assignment_of(
        make_mapping(*start_mapper_, {problem.machine, problem.slots, problem.traffic, seed, problem.program}),
        problem.slots);
  return mapping_of(search(cost, random, std::move(start)), problem.slots, problem.ranks());
}

}  // namespace toroid::mapping
