#include "alloc/groups/grouped.hpp"

namespace toroid::alloc {
namespace {

/// For jobs that communicate little (Weisser et al. 2006, Section 4.1): clusters of free nodes that hang together, the
/// smallest first, so that large ones are left for others.
class Scatter final : public GroupedAllocator {
 public:
  using GroupedAllocator::GroupedAllocator;

 private:
  std::vector<Group> groups(const Request&) override {
    core::IdVector<RouterId, char> seen(machine().grid().size(), 0);
    std::vector<Group> clusters;
    for (const NodeId node : free().all())
      if (seen[machine().router(node)] == 0) clusters.push_back(cluster_around(machine().router(node), seen));
    std::ranges::stable_sort(clusters, [](auto& a, auto& b) { return a.size() < b.size(); });
    return clusters;
  }

  Group cluster_around(RouterId router, core::IdVector<RouterId, char>& seen) const {
    std::vector<RouterId> routers;
    const auto reach = [&](RouterId next) {
      auto& is_seen = seen[next];
      if (is_seen == 0 && free().free_on(next) > 0) routers.push_back(next);
      is_seen = 1;
    };
    reach(router);
    for (std::size_t i = 0; i < routers.size(); ++i)
      for (const RouterId next : neighbours(machine(), routers[i])) reach(next);
    Group nodes;
    for (const RouterId member : routers)
      for (const NodeId node : compute_nodes_on(machine(), member))
        if (free().is_free(node)) nodes.push_back(node);
    return nodes;
  }
};

}  // namespace

core::Entry<MakeAllocator> scatter_allocator() {
  return {"scatter",
          "the smallest clusters of free nodes first, for jobs that communicate little (BigBen)",
          make<Scatter>,
          {base_parameter}};
}

}  // namespace toroid::alloc
