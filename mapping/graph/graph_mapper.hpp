#pragma once
// What mappers that look at the graph of the traffic have in common.

#include "mapping/problem/traffic_graph.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

/// A mapper that places the vertices of the traffic's graph on slots that are so many hops apart, and draws no lots.
class GraphMapper : public Mapper {
 public:
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    return mapping_of(place(TrafficGraph(problem.traffic.matrix()), hops), problem.slots, problem.ranks());
  }

 private:
  virtual Assignment place(const TrafficGraph& traffic, const SlotHops& hops) const = 0;
};

}  // namespace toroid::mapping
