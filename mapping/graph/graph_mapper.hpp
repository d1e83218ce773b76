#pragma once
// What mappers that look at the graph of the traffic have in common.

#include "mapping/graph/traffic_graph.hpp"
#include "mapping/mapper.hpp"

namespace toroid::mapping {

/// Places the vertices of the traffic's graph on slots that are so many hops apart; draws no lots.
class GraphMapper : public Mapper {
 public:
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    return nodes_of(place(TrafficGraph(problem.traffic.matrix()), hops), problem.slots);
  }

 private:
  virtual SlotOf place(const TrafficGraph& traffic, const SlotHops& hops) const = 0;
};

}  // namespace toroid::mapping
