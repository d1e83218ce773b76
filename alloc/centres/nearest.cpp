// Gen-Alg (Krumke et al. 1997) and MM (Bender et al. 2008).

#include <limits>
#include <utility>

#include "alloc/allocators.hpp"
#include "alloc/centres/balls.hpp"

namespace toroid::alloc {
namespace {

/// A job gets the free nodes nearest to a centre by hops; of all centres those whose sum of pairwise hops is the least,
/// the first of several. Centres are the routers with free nodes (Gen-Alg: at most 2 - 2/k times the least sum that k
/// free nodes can have) or all routers each of whose coordinates is one of a free node (MM: at most 2 - 1/(2d) times on
/// a mesh of d dimensions), which need not be free.
class Nearest final : public LocalAllocator {
 public:
  Nearest(const Site& site, bool has_all_intersections)
      : LocalAllocator(site), balls_(site.free), has_all_intersections_(has_all_intersections) {}

 private:
  std::optional<Allocation> find(const Request& request) override {
    RouterId best = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (const RouterId centre : centres())
      if (const std::int64_t sum = balls_.sum_of_hops_both_ways(centre, request.nodes, least - 1); sum < least) {
        least = sum;
        best = centre;
      }
    return balls_.nearest(best, request.nodes);
  }

  std::vector<RouterId> centres() const {
    std::vector<RouterId> all;
    for (const RouterId router : core::ids<RouterId>(machine().grid().size()))
      if (free().free_on(router) > 0) all.push_back(router);
    return has_all_intersections_ ? intersections(all) : all;
  }

  /// The routers where lines through the given routers meet. Coordinates are in the order in which the given routers
  /// have them first; those along the last dimension change fastest.
  std::vector<RouterId> intersections(const std::vector<RouterId>& routers) const {
    std::vector<RouterId> all{RouterId(0)};
    std::int32_t stride = 1;
    for (std::size_t d = 0; d < machine().grid().dimension_count(); ++d) {
      std::vector<RouterId> longer;
      const auto coordinates = coordinates_of(routers, d);
      for (const RouterId router : all)
        for (const auto coordinate : coordinates) longer.push_back(router + coordinate * stride);
      all = std::move(longer);
      stride *= machine().grid().dimension(d).extent;
    }
    return all;
  }

  /// Each once, in the order in which they come first.
  std::vector<std::int32_t> coordinates_of(const std::vector<RouterId>& routers, std::size_t d) const {
    std::vector<char> is_known(static_cast<std::size_t>(machine().grid().dimension(d).extent), 0);
    std::vector<std::int32_t> coordinates;
    for (const RouterId router : routers) {
      const auto coordinate = machine().grid().coordinate(router, d);
      if (std::exchange(is_known[static_cast<std::size_t>(coordinate)], 1) == 0) coordinates.push_back(coordinate);
    }
    return coordinates;
  }

  Balls balls_;
  bool has_all_intersections_;
};

template <bool has_all_intersections>
std::unique_ptr<Allocator> make_nearest(const Site& site, const core::Arguments&) {
  return std::make_unique<Nearest>(site, has_all_intersections);
}

}  // namespace

core::Entry<MakeAllocator> gen_alg_allocator() {
  return {"gen-alg", "the nodes nearest to a free node, those with the fewest hops between them", make_nearest<false>};
}

core::Entry<MakeAllocator> mm_allocator() {
  return {"mm", "as gen-alg, from every meeting point of lines through free nodes", make_nearest<true>};
}

}  // namespace toroid::alloc
