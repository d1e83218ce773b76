#include <algorithm>

#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// The ranks in the order of their nodes' numbers, whatever the order in which an allocator found these.
class ByNumber final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    std::vector nodes(problem.slots.begin(), problem.slots.begin() + problem.ranks());
    std::sort(nodes.begin(), nodes.end());
    return Mapping(std::move(nodes));
  }
};

}  // namespace

core::Entry<MakeMapper> node_mapper() {
  return {"node", "rank r on the node with the r-th lowest number, in whatever order an allocator found the nodes",
          make<ByNumber>};
}

}  // namespace toroid::mapping
