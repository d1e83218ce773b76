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

Mapping base_mapping(const Mapper& base, const MappingProblem& problem) {
  auto mapping = base.map(problem);
  check_mapping(mapping, problem, base.file().empty() ? "base" : base.file());
  return mapping;
}

std::unique_ptr<Mapper> base_parameter(const core::Spec& spec, const std::string& fallback) {
  const std::string text(core::unwrap(spec.get("base", fallback)));
  return text.empty() ? nullptr : make_mapper(text);
}

SearchMapper::SearchMapper(const core::Spec& spec, const std::string& default_base)
    : name_(spec.name()),
      distance_(distances().find(core::Spec::parse(spec.get("cost", "classic"))).make),
      seed_(seed_parameter(spec)),
      base_(base_parameter(spec, default_base)) {}

Mapping SearchMapper::map(const MappingProblem& problem) const {
  const QuadraticCost cost(problem.traffic.matrix(), SlotDistances(problem.machine, problem.slots, distance_));
  const std::uint64_t seed = seed_.value_or(problem.seed);
  core::Random random(seed, "mapping/" + name_);
  Assignment start;
  if (base_)
    start = assignment_of(
        base_mapping(*base_, {problem.machine, problem.slots, problem.traffic, seed, problem.program}), problem.slots);
  return mapping_of(search(cost, random, std::move(start)), problem.slots, problem.ranks());
}

}  // namespace toroid::mapping
