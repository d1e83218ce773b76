// Gen-Alg (Krumke et al. 1997) and MM (Bender et al. 2008).

#include "alloc/metrics.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {
namespace {

using platforms::Wrap;

/// The free nodes nearest to a centre. Distances are those of coordinates, also on a one-way ring the shorter way
/// round. Where not all of the farthest nodes are needed, the first ones by their offsets along dimension 0, then 1 and
/// so on are taken.
class Balls final : public FreeView {
 public:
  explicit Balls(FreeNodes& free)
      : FreeView(free),
        free_nodes_(free),
        grid_(free.machine().grid()),
        dimensions_(grid_.dimension_count()),
        free_(grid_.size()) {
    std::int32_t stride = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      strides_[d] = stride;
      stride *= grid_.dimension(d).extent;
      counts_[d].resize(static_cast<std::size_t>(grid_.dimension(d).extent));
    }
    for (const RouterId router : core::ids<RouterId>(grid_.size())) free_[router] = free.free_on(router);
  }

  void taken(std::span<const NodeId> nodes) override { add(nodes, -1); }

  void given_back(std::span<const NodeId> nodes) override { add(nodes, 1); }

  /// Takes the `nodes` free nodes nearest to a router and returns the sum over all pairs of them of the hops there and
  /// back, or any number above `most` if the sum is above that. There must be so many free nodes.
  std::int64_t sum_of_hops_both_ways(RouterId centre, std::int32_t nodes, std::int64_t most) {
    TOROID_ASSERT(nodes <= free_nodes_.count());
    set_centre(centre);
    // A ball that holds fewer nodes, of nearly the radius it took for the last centre; then shell after shell.
    std::int32_t within = nodes, radius = guess_ + 1;
    while (within >= nodes && radius > 0) {
      for (std::size_t d = 0; d < dimensions_; ++d) std::ranges::fill(counts_[d], 0);
      within = count_ball(dimensions_ - 1, RouterId(0), --radius);
    }
    if (within >= nodes) {  // one router has them all
      guess_ = 0;
      return 0;
    }
    while (within < nodes) {
      guess_ = radius;
      if (least_sum(within, nodes) > most) return most + 1;
      ++radius;
      auto add = [&](RouterId router) {
        const std::int32_t there = std::min(free_[router], nodes - within);
        if (there > 0)
          for (std::size_t d = 0; d < dimensions_; ++d) counts_[d][static_cast<std::size_t>(at_[d])] += there;
        within += there;
        return within < nodes;
      };
      for_each_at(0, RouterId(0), radius, add);
    }
    return least_sum(nodes, nodes);
  }

  /// The `nodes` free nodes nearest to a router, the nearest first.
  std::vector<NodeId> nearest(RouterId centre, std::int32_t nodes) {
    TOROID_ASSERT(nodes <= free_nodes_.count());
    set_centre(centre);
    std::vector<NodeId> found;
    auto add = [&](RouterId router) {
      const NodeId first = free_nodes_.machine().first_node(router);
      for (std::int32_t i = 0; i < free_nodes_.machine().description().nodes_per_router; ++i)
        if (free_nodes_.is_free(first + i) && found.size() < static_cast<std::size_t>(nodes))
          found.push_back(first + i);
      return found.size() < static_cast<std::size_t>(nodes);
    };
    for (std::int32_t radius = 0; found.size() < static_cast<std::size_t>(nodes); ++radius)
      for_each_at(0, RouterId(0), radius, add);
    return found;
  }

 private:
  void add(std::span<const NodeId> nodes, std::int32_t count) {
    for (const NodeId node : nodes) free_[free_nodes_.machine().router(node)] += count;
  }

  /// Counts the free nodes up to `radius` hops from a centre along each dimension; returns how many there are.
  std::int32_t count_ball(std::size_t d, RouterId router, std::int32_t radius) {
    if (d == 0) return count_line(router, radius);
    const std::int32_t extent = grid_.dimension(d).extent;
    std::int32_t sum = 0;
    for (std::int32_t offset = std::max(-radius, low_[d]); offset <= std::min(radius, high_[d]); ++offset) {
      std::int32_t c = centre_[d] + offset;
      if (c < 0) c += extent;
      if (c >= extent) c -= extent;
      const std::int32_t there = count_ball(d - 1, router + c * strides_[d], radius - std::abs(offset));
      counts_[d][static_cast<std::size_t>(c)] += there;
      sum += there;
    }
    return sum;
  }

  std::int32_t count_line(RouterId line, std::int32_t radius) {
    const std::int32_t extent = grid_.dimension(0).extent;
    const std::int32_t first = centre_[0] + std::max(-radius, low_[0]), last = centre_[0] + std::min(radius, high_[0]);
    std::int32_t sum = 0;
    const auto count = [&](std::int32_t from, std::int32_t to) {
      const std::int32_t* row = &free_[line];
      std::int32_t* counts = counts_[0].data();
      for (std::int32_t x = from; x <= to; ++x) {
        counts[x] += row[x];
        sum += row[x];
      }
    };
    count(std::max(first, 0), std::min(last, extent - 1));
    if (first < 0) count(first + extent, extent - 1);
    if (last >= extent) count(0, last - extent);
    return sum;
  }

  /// Calls visit(router) for the routers at `radius` hops from the centre until it returns false. Returns whether it
  /// never did.
  template <class Visit>
  bool for_each_at(std::size_t d, RouterId router, std::int32_t radius, Visit& visit) {
    const std::int32_t extent = grid_.dimension(d).extent;
    const auto go_on = [&](std::int32_t offset) {
      std::int32_t c = centre_[d] + offset;
      if (c < 0) c += extent;
      if (c >= extent) c -= extent;
      at_[d] = c;
      const RouterId there = router + c * strides_[d];
      return d + 1 < dimensions_ ? for_each_at(d + 1, there, radius - std::abs(offset), visit) : visit(there);
    };
    if (d + 1 == dimensions_) {
      if (-radius >= low_[d] && !go_on(-radius)) return false;
      return radius == 0 || radius > high_[d] || go_on(radius);
    }
    for (std::int32_t offset = std::max(-radius, low_[d]); offset <= std::min(radius, high_[d]); ++offset)
      if (!go_on(offset)) return false;
    return true;
  }

  void set_centre(RouterId centre) {
    centre_ = grid_.coordinates(centre);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const std::int32_t extent = grid_.dimension(d).extent;
      const bool is_mesh = grid_.dimension(d).wrap == Wrap::mesh;
      low_[d] = is_mesh ? -centre_[d] : -((extent - 1) / 2);
      high_[d] = is_mesh ? extent - 1 - centre_[d] : extent / 2;
    }
  }

  /// A lower bound of the sum over all pairs of `nodes` nodes, of which the `within` counted ones are part.
  std::int64_t least_sum(std::int32_t within, std::int32_t nodes) const {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < dimensions_; ++d)
      sum += toroid::alloc::sum_of_hops_both_ways(grid_.dimension(d), counts_[d], within) +
             (nodes - within) * least_hops_both_ways(grid_.dimension(d), counts_[d], within);
    return sum;
  }

  const FreeNodes& free_nodes_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  core::IdVector<RouterId, std::int32_t> free_;
  platforms::Coordinates strides_{};
  platforms::Coordinates centre_{}, low_{}, high_{};  ///< low, high: the farthest offsets from the centre
  platforms::Coordinates at_{};                       ///< coordinates of the router that for_each_at() visits
  std::array<std::vector<std::int32_t>, platforms::max_dimensions> counts_;  ///< numbers of nodes, by coordinate
  std::int32_t guess_ = 0;  ///< the radius that was found for the last centre
};

/// A job gets the free nodes nearest to a centre by hops; of all centres those whose sum of pairwise hops is the least,
/// the first of several. Centres of Gen-Alg are the routers with free nodes: at most 2 - 2/k times the least sum that k
/// free nodes can have. Centres of MM are all routers each of whose coordinates is one of a free node, and need not be
/// free: at most 2 - 1/(2d) times on a mesh of d dimensions.
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
