// Ranks in order of the numbers of the nodes, whatever order the allocation has them in.

#include <algorithm>

#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

class Node final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    auto nodes = problem.slots;
    std::sort(nodes.begin(), nodes.end());
    nodes.resize(static_cast<std::size_t>(problem.ranks()));
    return Mapping(std::move(nodes));
  }
};

}  // namespace

core::Entry<MakeMapper> node_mapper() {
  return {"node", "rank r on the node with the r-th number", make<Node>};
}

}  // namespace toroid::mapping
