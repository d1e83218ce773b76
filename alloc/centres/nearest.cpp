// Gen-Alg (Krumke et al. 1997) and MM (Bender et al. 2008).

#include <cstring>
#include <numeric>

#include "alloc/metrics.hpp"

namespace toroid::alloc {
namespace {

using platforms::Wrap;

constexpr std::int32_t lanes = 4;
/// A number for each of some centres that lie side by side along dimension 0.
using Lanes [[gnu::vector_size(4 * lanes)]] = std::int32_t;
using Reals [[gnu::vector_size(8 * lanes)]] = double;
using Sums = std::array<std::int64_t, lanes>;

/// Adds how much more there is at one place than at another one.
void add_difference(Lanes& sum, const std::int32_t* to, const std::int32_t* from) {
  Lanes a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, from, sizeof b);
  sum += a - b;
}

bool is_any(const Lanes& numbers) {
  std::array<std::uint64_t, lanes / 2> pairs;
  std::memcpy(&pairs, &numbers, sizeof pairs);
  std::uint64_t any = 0;
  for (const auto pair : pairs) any |= pair;
  return any != 0;
}

/// The free nodes nearest to centres. Distances are those of coordinates, also on a one-way ring the shorter way round.
/// Where not all of the farthest nodes are needed, the first ones by their offsets along dimension 0, then 1 and so on
/// are taken.
///
/// A sum over pairs follows from how many nodes there are at each coordinate. A ball is counted line by line, each by a
/// difference of two sums: along dimension 0, which tells all coordinates but those along 0, and along 1, which tells
/// these. All that is added for one centre is added for the next ones, too, whose numbers stand side by side; so lines
/// go on beyond the ends of dimension 0. A machine of one dimension has here another one with a single place.
class Balls {
 public:
  explicit Balls(const FreeNodes& free)
      : free_(free), grid_(free.machine().grid()), dimensions_(std::max<std::size_t>(grid_.dimension_count(), 2)) {
    for (std::size_t d = 0; d < grid_.dimension_count(); ++d) sides_[d] = grid_.dimension(d);
    std::int32_t stride = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      strides_[d] = stride;
      stride *= sides_[d].extent;
      counts_[d].resize(static_cast<std::size_t>(sides_[d].extent + lanes));
    }
    before_ = std::max(sides_[0].extent, lanes);
    width_ = before_ + 2 * sides_[0].extent + lanes + 1;
    line_.resize(static_cast<std::size_t>(width_));
    slices_ = (is_mesh(1) ? 1 : 2) * sides_[1].extent + 1;
    const auto slabs = static_cast<std::size_t>(grid_.size() / sides_[0].extent / sides_[1].extent);
    along_0_.resize(slabs * static_cast<std::size_t>(sides_[1].extent) * line_.size());
    along_1_.resize(slabs * static_cast<std::size_t>(slices_) * line_.size());
  }

  /// Looks at what is free now.
  void update() {
    std::int32_t* sums = along_0_.data();
    std::int32_t* slice = along_1_.data();
    const std::int32_t rows = sides_[1].extent;
    for (RouterId slab = 0; slab.value() < grid_.size(); slab = slab + rows * sides_[0].extent, slice += line_.size())
      for (std::int32_t y = 0; y + 1 < slices_; ++y, slice += line_.size()) {
        fill_line(slab + y % rows * sides_[0].extent);
        for (std::size_t x = 0; x < line_.size(); ++x) slice[x + line_.size()] = slice[x] + line_[x];
        if (y < rows) sums = std::exclusive_scan(line_.begin(), line_.end(), sums, 0);
      }
  }

  /// Takes the `nodes` free nodes nearest to each of the wanted centres, of which `first` is the first, and gives the
  /// sum over all pairs of them of the hops there and back. There must be so many free nodes.
  Sums sums_of_hops_both_ways(RouterId first, const std::array<bool, lanes>& wanted, std::int32_t nodes) {
    set_centre(first, lanes);
    // Balls that hold fewer nodes, of nearly the radius it took for the last centres; then shell after shell.
    std::int32_t radius = guess_ + 1;
    Lanes left{};
    bool is_full = true;
    while (is_full) {
      Lanes within{};
      count_ball(--radius, within);
      is_full = false;
      for (std::size_t i = 0; i < lanes; ++i) {
        left[i] = wanted[i] ? nodes - within[i] : 0;
        is_full |= wanted[i] && left[i] <= 0;
      }
    }
    count_along_0(radius);
    guess_ = -1;
    while (is_any(left)) {
      add_shell(++radius, left);
      for (std::size_t i = 0; i < lanes && guess_ < 0; ++i)
        if (wanted[i] && left[i] == 0) guess_ = radius - 1;
    }
    return sum_over_pairs(nodes, radius);
  }

  /// The `nodes` free nodes nearest to a router, the nearest first.
  std::vector<NodeId> nearest(RouterId centre, std::int32_t nodes) {
    set_centre(centre, 1);
    std::vector<NodeId> found;
    const auto add = [&] {
      RouterId router = 0;
      for (std::size_t d = 0; d < dimensions_; ++d) router = router + coordinate(d) * strides_[d];
      for (const NodeId node : free_.machine().nodes_on(router))
        if (free_.is_free(node) && found.size() < static_cast<std::size_t>(nodes)) found.push_back(node);
      return found.size() < static_cast<std::size_t>(nodes);
    };
    for (std::int32_t radius = 0; found.size() < static_cast<std::size_t>(nodes); ++radius) for_each_at(radius, add);
    return found;
  }

 private:
  bool is_mesh(std::size_t d) const { return sides_[d].wrap == Wrap::mesh; }

  /// The free nodes on the routers of a line along dimension 0, and on those that are there beyond its ends.
  void fill_line(RouterId first) {
    std::ranges::fill(line_, 0);
    const auto extent = static_cast<std::size_t>(sides_[0].extent);
    const auto begin = static_cast<std::size_t>(before_);
    for (std::size_t x = 0; x < extent; ++x) line_[begin + x] = free_.free_on(first + static_cast<std::int32_t>(x));
    if (is_mesh(0)) return;
    for (std::size_t x = begin; x-- > 0;) line_[x] = line_[x + extent];
    for (std::size_t x = begin + extent; x < line_.size(); ++x) line_[x] = line_[x - extent];
  }

  /// From now on, offsets are from a router, or from so many side by side.
  void set_centre(RouterId router, std::int32_t count) {
    centre_ = grid_.coordinates(router);
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const std::int32_t extent = sides_[d].extent;
      low_[d] = is_mesh(d) ? -centre_[d] : -((extent - 1) / 2);
      high_[d] = is_mesh(d) ? extent - 1 - centre_[d] : extent / 2;
    }
    if (is_mesh(0)) low_[0] -= count - 1;
  }

  /// The coordinate along d of what is visited.
  std::int32_t coordinate(std::size_t d) const {
    const std::int32_t c = centre_[d] + offsets_[d];
    return c < 0 ? c + sides_[d].extent : c >= sides_[d].extent ? c - sides_[d].extent : c;
  }

  /// The number of the plane along dimensions 0 and 1 that is visited.
  std::ptrdiff_t slab() const {
    std::ptrdiff_t slab = 0;
    for (std::size_t d = 2; d < dimensions_; ++d) slab += coordinate(d) * (strides_[d] / strides_[2]);
    return slab;
  }

  Lanes& count_at(std::size_t d) { return counts_[d][static_cast<std::size_t>(offsets_[d] - low_[d])]; }

  /// For all offsets of up to `radius` hops along dimensions d and on, but `along`: sets these and calls visit(rest)
  /// with the hops that are left, until it returns false. Returns whether it never did.
  template <class Visit>
  bool for_each_line(std::size_t along, std::size_t d, std::int32_t radius, const Visit& visit) {
    const std::size_t next = d + 1 == along ? d + 2 : d + 1;
    for (std::int32_t offset = std::max(-radius, low_[d]); offset <= std::min(radius, high_[d]); ++offset) {
      offsets_[d] = offset;
      const std::int32_t rest = radius - std::abs(offset);
      if (!(next >= dimensions_ ? visit(rest) : for_each_line(along, next, rest, visit))) return false;
    }
    return true;
  }

  /// Sets the offsets of all places at `radius` hops and calls visit() until it returns false.
  template <class Visit>
  void for_each_at(std::int32_t radius, const Visit& visit) {
    const std::size_t last = dimensions_ - 1;
    for_each_line(last, 0, radius, [&](std::int32_t rest) {
      offsets_[last] = -rest;
      if (-rest >= low_[last] && !visit()) return false;
      offsets_[last] = rest;
      return rest == 0 || rest > high_[last] || visit();
    });
  }

  /// Counts the free nodes up to `radius` hops from the centres along each dimension but 0; returns how many there are.
  void count_ball(std::int32_t radius, Lanes& all) {
    for (std::size_t d = 1; d < dimensions_; ++d) std::ranges::fill(counts_[d], Lanes{});
    const std::int32_t down = is_mesh(0) ? sides_[0].extent : -low_[0], up = is_mesh(0) ? sides_[0].extent : high_[0];
    for_each_line(0, 1, radius, [&](std::int32_t rest) {
      const std::ptrdiff_t line = slab() * sides_[1].extent + coordinate(1);
      const std::int32_t* sums = along_0_.data() + line * width_ + before_ + centre_[0];
      const std::int32_t* to = sums + std::min(rest, up) + 1;
      const std::int32_t* from = sums - std::min(rest, down);
      Lanes there{};
      add_difference(there, to, from);
      all += there;
      for (std::size_t d = 1; d < dimensions_; ++d) count_at(d) += there;
      return true;
    });
  }

  /// Counts the same along dimension 0.
  void count_along_0(std::int32_t radius) {
    std::ranges::fill(counts_[0], Lanes{});
    for_each_line(1, 0, radius, [&](std::int32_t rest) {
      offsets_[1] = std::max(-rest, low_[1]);
      const std::int32_t length = std::min(rest, high_[1]) - offsets_[1] + 1;
      const std::int32_t* from = slice();
      const std::int32_t* to = from + length * width_;
      add_difference(count_at(0), to, from);
      return true;
    });
  }

  /// For each centre the free nodes below the place that is visited along dimension 1.
  const std::int32_t* slice() const {
    return along_1_.data() + (slab() * slices_ + coordinate(1)) * width_ + before_ + centre_[0] + offsets_[0];
  }

  /// Counts nodes at `radius` hops, as many as are left.
  void add_shell(std::int32_t radius, Lanes& left) {
    Lanes rest = left;
    for_each_at(radius, [&] {
      const std::int32_t* from = slice();
      Lanes there{};
      add_difference(there, from + width_, from);
      there = there < rest ? there : rest;
      rest -= there;
      for (std::size_t d = 0; d < dimensions_; ++d) count_at(d) += there;
      return is_any(rest);
    });
    left = rest;
  }

  /// The sums over all pairs of counted nodes, which are up to `radius` from the centres.
  Sums sum_over_pairs(std::int32_t nodes, std::int32_t radius) const {
    Sums sums{};
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const std::int32_t from = std::max(-radius, low_[d]), to = std::min(radius, high_[d]);
      const std::span<const Lanes> counts(counts_[d]);
      if (is_mesh(d) || (sides_[d].wrap == Wrap::torus && to - from <= sides_[d].extent / 2))
        add_on_line(counts.subspan(static_cast<std::size_t>(from - low_[d]), static_cast<std::size_t>(to - from + 1)),
                    nodes, sums);
      else
        add_on_circle(d, nodes, sums);
    }
    return sums;
  }

  /// The sums are exact below 2^53: on lines of up to 378,000 nodes.
  static void add_on_line(std::span<const Lanes> counts, std::int32_t nodes, Sums& sums) {
    Reals pairs{};
    Lanes below{};
    for (const auto& here : counts) {
      below += here;
      const auto b = __builtin_convertvector(below, Reals);
      pairs += b * (nodes - b);
    }
    for (std::size_t i = 0; i < lanes; ++i) sums[i] += 2 * static_cast<std::int64_t>(pairs[i]);
  }

  void add_on_circle(std::size_t d, std::int32_t nodes, Sums& sums) const {
    std::vector<std::int32_t> counts(static_cast<std::size_t>(sides_[d].extent));
    for (std::size_t i = 0; i < lanes; ++i) {
      for (std::size_t c = 0; c < counts.size(); ++c) counts[c] = counts_[d][c][i];
      sums[i] += alloc::sum_of_hops_both_ways(sides_[d], counts, nodes);
    }
  }

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  std::array<platforms::Dimension, platforms::max_dimensions> sides_;
  platforms::Coordinates strides_{};
  std::ptrdiff_t width_;            ///< places of a line
  std::int32_t before_;             ///< places of a line before its first router
  std::int32_t slices_;             ///< places along dimension 1, which is there twice if it wraps, and one more
  std::vector<std::int32_t> line_;  ///< room for fill_line()
  std::vector<std::int32_t> along_0_, along_1_;       ///< free nodes below each place along dimension 0, and along 1
  platforms::Coordinates centre_{}, low_{}, high_{};  ///< low, high: the farthest offsets from the centre
  platforms::Coordinates offsets_{};                  ///< the place that is visited
  /// Numbers of nodes by offset from the centre, the lowest first.
  std::array<std::vector<Lanes>, platforms::max_dimensions> counts_;
  std::int32_t guess_ = 0;  ///< the radius that was found for the last centres
};

/// A job gets the free nodes nearest to a centre by hops; of all centres those whose sum of pairwise hops is the least,
/// the first of several. Centres of Gen-Alg are the routers with free nodes: at most 2 - 2/k times the least sum that k
/// free nodes can have. Centres of MM are all routers each of whose coordinates is one of a free node, and need not be
/// free: at most 2 - 1/(2d) times on a mesh of d dimensions.
class Nearest final : public LocalAllocator {
 public:
  Nearest(const Site& site, bool has_all_intersections)
      : LocalAllocator(site),
        balls_(site.free),
        has_all_intersections_(has_all_intersections),
        ranks_(machine().grid().size()) {}

 private:
  static constexpr std::int64_t no_centre = std::numeric_limits<std::int64_t>::max();

  std::optional<Allocation> find(const Request& request) override {
    rank_centres();
    if (request.nodes == free().count())
      return balls_.nearest(RouterId(static_cast<std::int32_t>(std::ranges::min_element(ranks_) - ranks_.begin())),
                            request.nodes);
    balls_.update();
    std::pair best{std::numeric_limits<std::int64_t>::max(), no_centre};  // sum, rank
    RouterId centre = 0;
    const std::int32_t extent = machine().grid().dimension(0).extent;
    for (std::int32_t line = 0; line < machine().grid().size(); line += extent)
      for (std::int32_t x = 0; x < extent; x += lanes) {
        const RouterId first(line + x);
        std::array<bool, lanes> wanted{};
        for (std::int32_t i = 0; i < std::min(lanes, extent - x); ++i)
          wanted[static_cast<std::size_t>(i)] = ranks_[first + i] != no_centre;
        if (std::ranges::find(wanted, true) == wanted.end()) continue;
        const auto sums = balls_.sums_of_hops_both_ways(first, wanted, request.nodes);
        for (std::int32_t i = 0; i < lanes; ++i) {
          if (!wanted[static_cast<std::size_t>(i)]) continue;
          const std::pair one{sums[static_cast<std::size_t>(i)], ranks_[first + i]};
          if (one >= best) continue;
          best = one;
          centre = first + i;
        }
      }
    return balls_.nearest(centre, request.nodes);
  }

  /// Gives each router that is a centre its place in the order of centres. MM has the routers where lines
  /// through routers with free nodes meet, in the order in which these first have their coordinates; those along the
  /// last dimension change fastest.
  void rank_centres() {
    const auto& grid = machine().grid();
    for (const RouterId router : ranks_.ids()) ranks_[router] = free().free_on(router) > 0 ? router.value() : no_centre;
    if (!has_all_intersections_) return;
    std::array<std::vector<std::int64_t>, platforms::max_dimensions> order;
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      order[d].assign(static_cast<std::size_t>(grid.dimension(d).extent), no_centre);
      std::int64_t found = 0;
      for (const RouterId router : ranks_.ids())
        if (auto& place = order[d][static_cast<std::size_t>(grid.coordinate(router, d))];
            ranks_[router] != no_centre && place == no_centre)
          place = found++;
    }
    for (const RouterId router : ranks_.ids()) {
      std::int64_t rank = 0;
      for (std::size_t d = 0; d < grid.dimension_count() && rank != no_centre; ++d) {
        const auto place = order[d][static_cast<std::size_t>(grid.coordinate(router, d))];
        rank = place == no_centre ? no_centre : rank * grid.dimension(d).extent + place;
      }
      ranks_[router] = rank;
    }
  }

  Balls balls_;
  bool has_all_intersections_;
  core::IdVector<RouterId, std::int64_t> ranks_;
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
