// Recursive spectral bisection: ranks are cut across the Fiedler vector of their traffic, nodes across the machine (as
// in Chung, Lee, Zhou, Chung 2011).

#include "mapping/graph/dual_bisection.hpp"
#include "mapping/graph/graph_mapper.hpp"
#include "mapping/graph/spectral_order.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

class Spectral final : public GraphMapper {
  Assignment place(const TrafficGraph& graph, const SlotHops& hops) const override {
    SpectralOrder order(graph);
    return dual_bisection(graph, hops, compact_slots(hops, graph.rank_count()), [&](RanksToCut& part) {
      order.sort(part.ranks);
      orient(part);
    });
  }
};

}  // namespace

core::Entry<MakeMapper> spectral_mapper() {
  return {"spectral", "recursive spectral bisection", make<Spectral>};
}

}  // namespace toroid::mapping
