// Recursive spectral bisection: ranks are cut across the Fiedler vector of their traffic, nodes across the machine (as
// in Chung, Lee, Zhou, Chung 2011).

#include "mapping/graph/dual_bisection.hpp"
#include "mapping/graph/spectral_order.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

class Spectral final : public Mapper {
 public:
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph graph(problem.traffic.matrix());
    SpectralOrder order(graph);
    const auto slot_of = dual_bisection(graph, hops, compact_slots(hops, static_cast<std::size_t>(graph.ranks())),
                                        [&](RanksToCut& part) {
                                          order.sort(part.ranks);
                                          orient(part);
                                        });
    return nodes_of(slot_of, problem.slots);
  }
};

}  // namespace

std::unique_ptr<Mapper> make_spectral(const core::Spec&) {
  return std::make_unique<Spectral>();
}

}  // namespace toroid::mapping
