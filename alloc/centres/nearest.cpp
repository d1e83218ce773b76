// Gen-Alg (Krumke et al. 1997) and MM (Bender et al. 2008).

#include <cstring>
#include <numeric>

#include "alloc/metrics.hpp"

namespace toroid::alloc {
namespace {

constexpr std::int32_t lanes = 4;
/// A number for each of some centres that lie side by side along dimension 0.
using Lanes [[gnu::vector_size(4 * lanes)]] = std::int32_t;
using Floats [[gnu::vector_size(4 * lanes)]] = float;
using Doubles [[gnu::vector_size(8 * lanes)]] = double;
using Halves [[gnu::vector_size(4 * lanes)]] = std::int64_t;
using Sums = std::array<std::int64_t, lanes>;

/// How much more there is at one place than at another one.
Lanes difference(const std::int32_t* to, const std::int32_t* from) {
  Lanes a, b;
  std::memcpy(&a, to, sizeof a);
  std::memcpy(&b, from, sizeof b);
  return a - b;
}

bool is_any(const Lanes& numbers) {
  const auto halves = reinterpret_cast<Halves>(numbers);
  return (halves[0] | halves[1]) != 0;
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
    guesses_.resize(static_cast<std::size_t>(sides_[0].extent));
    std::ptrdiff_t step = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const std::int32_t extent = sides_[d].extent;
      for (std::int32_t c = -before(d); c < 2 * extent + lanes; ++c)
        steps_[d].push_back(step * (d == 0 ? c : (c + extent) % extent));
      step *= d == 0 ? width_ : d == 1 ? slices_ : extent;
    }
    along_0_.resize(static_cast<std::size_t>(step));
    along_1_.resize(static_cast<std::size_t>(step));
  }

  /// Looks at what is free now.
  void update() {
    std::ranges::fill(guesses_, -1);
    std::int32_t* sums = along_0_.data();
    std::int32_t* slice = along_1_.data();
    const std::int32_t rows = sides_[1].extent;
    for (RouterId slab = 0; slab.value() < grid_.size(); slab = slab + rows * sides_[0].extent) {
      for (std::int32_t y = 0; y + 1 < slices_; ++y, sums += width_, slice += width_) {
        fill_line(slab + y % rows * sides_[0].extent);
        for (std::size_t x = 0; x < line_.size(); ++x) slice[x + line_.size()] = slice[x] + line_[x];
        if (y < rows) std::exclusive_scan(line_.begin(), line_.end(), sums, 0);
      }
      sums += width_;
      slice += width_;
    }
  }

  /// Takes the `nodes` free nodes nearest to each of the wanted centres, of which `first` is the first, and gives the
  /// sum over all pairs of them of the hops there and back. There must be so many free nodes.
  Sums sums_of_hops_both_ways(RouterId first, const std::array<bool, lanes>& wanted, std::int32_t nodes) {
    set_centre(first, lanes);
    // Balls that hold fewer nodes, of nearly the radius that it took for the centres in the line before, or else for
    // the last ones; then shell after shell.
    auto& guess = guesses_[static_cast<std::size_t>(centre_[0])];
    std::int32_t radius = (guess < 0 ? last_guess_ : guess) + 1;
    Lanes left{};
    bool is_full = true;
    while (is_full) {
      for (std::size_t d = 1; d < dimensions_; ++d) std::ranges::fill(counts_[d], Lanes{});
      const Lanes within = count_ball<0>(1, --radius, before_ + centre_[0]);
      is_full = false;
      for (std::size_t i = 0; i < lanes; ++i) {
        left[i] = wanted[i] ? nodes - within[i] : 0;
        is_full |= wanted[i] && left[i] <= 0;
      }
    }
    std::ranges::fill(counts_[0], Lanes{});
    count_ball<1>(0, radius, before_);
    guess = -1;
    while (is_any(left)) {
      left = add_shell(0, ++radius, before_, left);
      for (std::size_t i = 0; i < lanes && guess < 0; ++i)
        if (wanted[i] && left[i] == 0) guess = radius - 1;
    }
    last_guess_ = guess;
    return sum_over_pairs(nodes, radius);
  }

  /// The `nodes` free nodes nearest to a router, the nearest first.
  std::vector<NodeId> nearest(RouterId centre, std::int32_t nodes) {
    set_centre(centre, 1);
    std::vector<NodeId> found;
    for (std::int32_t radius = 0; found.size() < static_cast<std::size_t>(nodes); ++radius)
      add_nodes(0, radius, 0, static_cast<std::size_t>(nodes), found);
    return found;
  }

 private:
  bool is_mesh(std::size_t d) const { return sides_[d].wrap == Wrap::mesh; }
  /// Places before the first coordinate that steps_ has.
  std::int32_t before(std::size_t d) const { return d == 0 ? before_ : sides_[d].extent; }

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
    std::int32_t beyond = 0;
    for (std::size_t d = dimensions_; d-- > 0; beyond += std::max(-low_[d], high_[d])) beyond_[d] = beyond;
    for (std::size_t d = 0; d < dimensions_; ++d)
      axes_[d] = {low_[d], high_[d], steps_[d].data() + before(d) + centre_[d], counts_[d].data() - low_[d]};
    most_down_ = is_mesh(0) ? sides_[0].extent : -low_[0];
    most_up_ = is_mesh(0) ? sides_[0].extent : high_[0];
  }

  /// Calls visit(offset) for the offsets along dimension d of places at `radius` hops along it and later ones.
  template <class Visit>
  void for_each_offset(std::size_t d, std::int32_t radius, const Visit& visit) const {
    const std::int32_t last = std::min(radius, high_[d]), least = radius - beyond_[d];
    std::int32_t offset = std::max(-radius, low_[d]);
    for (; offset <= std::min(-least, last); ++offset) visit(offset);
    for (offset = std::max(least, offset); offset <= last; ++offset) visit(offset);
  }

  /// Adds the free nodes at `radius` hops along dimension d and later ones, as far as they are wanted.
  void add_nodes(std::size_t d, std::int32_t radius, RouterId router, std::size_t wanted, std::vector<NodeId>& found) {
    for_each_offset(d, radius, [&](std::int32_t offset) {
      const std::int32_t c = centre_[d] + offset, extent = sides_[d].extent;
      const RouterId here = router + (c < 0 ? c + extent : c >= extent ? c - extent : c) * strides_[d];
      if (d + 1 < dimensions_)
        add_nodes(d + 1, radius - std::abs(offset), here, wanted, found);
      else if (free_.free_on(here) > 0)
        for (const NodeId node : free_.machine().nodes_on(here))
          if (free_.is_free(node) && found.size() < wanted) found.push_back(node);
    });
  }

  /// Counts the free nodes up to `radius` hops from the centres along dimension d and all later ones but `along`, along
  /// which go the lines that are counted at once; returns how many there are. `at`: where the sums are of what is
  /// visited along earlier dimensions.
  template <std::size_t along>
  Lanes count_ball(std::size_t d, std::int32_t radius, std::ptrdiff_t at) {
    const auto [low, high, steps, counts] = axes_[d];
    const std::size_t next = d + 1 == along ? d + 2 : d + 1;
    Lanes all{};
    for (std::int32_t offset = std::max(-radius, low); offset <= std::min(radius, high); ++offset) {
      const std::int32_t rest = radius - std::abs(offset);
      const std::ptrdiff_t there = at + steps[offset];
      const Lanes found = next < dimensions_ ? count_ball<along>(next, rest, there) : count_line<along>(rest, there);
      if (along == 0 || d == 0) counts[offset] += found;
      all += found;
    }
    return all;
  }

  /// Counts up to `radius` hops along one dimension.
  template <std::size_t along>
  Lanes count_line(std::int32_t radius, std::ptrdiff_t at) const {
    if constexpr (along == 0) {
      const std::int32_t* sums = along_0_.data() + at;
      return difference(sums + std::min(radius, most_up_) + 1, sums - std::min(radius, most_down_));
    } else {
      const auto& axis = axes_[1];
      const std::int32_t first = std::max(-radius, axis.low);
      const std::int32_t* from = along_1_.data() + at + axis.steps[first];
      return difference(from + (std::min(radius, axis.high) - first + 1) * width_, from);
    }
  }

  /// Counts nodes at `radius` hops along dimension d and later ones, as many as are left; returns how many then are.
  Lanes add_shell(std::size_t d, std::int32_t radius, std::ptrdiff_t at, Lanes left) {
    const auto [low, high, steps, counts] = axes_[d];
    for_each_offset(d, radius, [&, steps = steps, counts = counts](std::int32_t offset) {
      if (!is_any(left)) return;
      const std::int32_t rest = radius - std::abs(offset);
      const std::ptrdiff_t there = at + steps[offset];
      const Lanes after = d + 2 < dimensions_ ? add_shell(d + 1, rest, there, left) : add_ends(rest, there, left);
      counts[offset] += left - after;
      left = after;
    });
    return left;
  }

  /// The same along the last dimension.
  Lanes add_ends(std::int32_t radius, std::ptrdiff_t at, Lanes left) {
    const Axis& axis = axes_[dimensions_ - 1];
    const auto add = [&](std::int32_t offset) {
      const std::int32_t* from = along_1_.data() + at + axis.steps[offset];
      Lanes there = difference(from + width_, from);
      there = there < left ? there : left;
      left -= there;
      axis.counts[offset] += there;
    };
    if (-radius >= axis.low) add(-radius);
    if (radius > 0 && radius <= axis.high) add(radius);
    return left;
  }

  /// The sums over all pairs of counted nodes, which are up to `radius` from the centres.
  Sums sum_over_pairs(std::int32_t nodes, std::int32_t radius) const {
    Sums sums{};
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const std::int32_t from = std::max(-radius, low_[d]), to = std::min(radius, high_[d]);
      const auto counts =
          std::span<const Lanes>(counts_[d])
              .subspan(static_cast<std::size_t>(from - low_[d]), static_cast<std::size_t>(to - from + 1));
      if (!is_mesh(d) && (sides_[d].wrap != Wrap::torus || to - from > sides_[d].extent / 2))
        add_on_circle(d, nodes, sums);
      else if (std::int64_t{nodes} * nodes * (to - from + 1) < std::int64_t{1} << 26)
        add_on_line<Floats>(counts, nodes, sums);
      else
        add_on_line<Doubles>(counts, nodes, sums);
    }
    return sums;
  }

  /// The sums are exact below 2^24 with floats, and below 2^53 with doubles: on lines of up to 378,000 nodes.
  template <class Reals>
  static void add_on_line(std::span<const Lanes> counts, std::int32_t nodes, Sums& sums) {
    const Reals k = __builtin_convertvector(Lanes{} + nodes, Reals);
    Reals pairs{};
    Lanes below{};
    for (const auto& here : counts) {
      below += here;
      const auto b = __builtin_convertvector(below, Reals);
      pairs += b * (k - b);
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

  /// A dimension as the present centres see it; offsets from them are from low to high.
  struct Axis {
    std::int32_t low, high;
    const std::ptrdiff_t* steps;  ///< what each offset adds to the place of a sum
    Lanes* counts;                ///< the nodes that are counted at each offset
  };

  const FreeNodes& free_;
  const platforms::Grid& grid_;
  std::size_t dimensions_;
  std::array<platforms::Dimension, platforms::max_dimensions> sides_;
  platforms::Coordinates strides_{};
  std::ptrdiff_t width_;  ///< places of a line
  std::int32_t before_;   ///< places of a line before its first router
  std::int32_t slices_;   ///< places along dimension 1, which is there twice if it wraps, and one more
  /// What a coordinate adds to the place of a sum, by dimension, also beyond both ends.
  std::array<std::vector<std::ptrdiff_t>, platforms::max_dimensions> steps_;
  std::vector<std::int32_t> line_;                    ///< room for fill_line()
  std::vector<std::int32_t> along_0_, along_1_;       ///< free nodes below each place along dimension 0, and along 1
  platforms::Coordinates centre_{}, low_{}, high_{};  ///< low, high: the farthest offsets from the centre
  platforms::Coordinates beyond_{};                   ///< most hops from the centre along later dimensions
  /// Numbers of nodes by offset from the centre, the lowest first.
  std::array<std::vector<Lanes>, platforms::max_dimensions> counts_;
  std::array<Axis, platforms::max_dimensions> axes_{};
  std::int32_t most_down_ = 0, most_up_ = 0;  ///< how far a ball goes along dimension 0
  std::vector<std::int32_t> guesses_;         ///< the last radius at each coordinate along dimension 0; -1: none
  std::int32_t last_guess_ = 0;
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
