// Gen-Alg (Krumke et al. 1997) and MM (Bender et al. 2008).

#include <array>
#include <limits>

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
    const auto& grid = machine().grid();
    std::vector<RouterId> all;
    for (const RouterId router : core::ids<RouterId>(grid.size()))
      if (free().free_on(router) > 0) all.push_back(router);
    if (!has_all_intersections_) return all;
    std::array<std::vector<char>, platforms::max_dimensions> has_free;  // by coordinate
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) has_free[d].assign(extent(d), 0);
    for (const RouterId router : all)
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) has_free[d][place(router, d)] = 1;
    all.clear();
    for (const RouterId router : core::ids<RouterId>(grid.size())) {
      bool is_centre = true;
      for (std::size_t d = 0; d < grid.dimension_count(); ++d) is_centre &= has_free[d][place(router, d)] != 0;
      if (is_centre) all.push_back(router);
    }
    return all;
  }

  std::size_t extent(std::size_t d) const { return static_cast<std::size_t>(machine().grid().dimension(d).extent); }
  std::size_t place(RouterId router, std::size_t d) const {
    return static_cast<std::size_t>(machine().grid().coordinate(router, d));
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
