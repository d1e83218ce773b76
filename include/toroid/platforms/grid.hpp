#pragma once
// The n-dimensional grid of routers and its dimension-order routes. Nothing here allocates after construction.

#include <array>
#include <cstdlib>
#include <string_view>

#include "toroid/core/id.hpp"

namespace toroid::platforms {

using RouterId = core::Id<struct RouterTag>;  ///< a router of a grid, which knows its coordinates
using LinkId = core::Id<struct LinkTag>;      ///< a directed link of a machine

constexpr std::size_t max_dimensions = 8;
/// The most routers a grid may have, which is twenty-five times the largest machines. So a slip in a shape does not
/// exhaust the memory, not even with failures, whose graph takes the most, and all link ids are below 2^31.
constexpr std::int64_t most_routers = 1 << 22;
/// One whole number per dimension: a place, a way, or an extent. Numbers beyond the grid's dimensions are 0.
using Coordinates = std::array<std::int32_t, max_dimensions>;

/// What happens at the ends of a dimension.
enum class Wrap : std::uint8_t {
  mesh,   ///< no wrap: both directions, ends are ends
  torus,  ///< wraps, both directions, the shorter way round
  ring    ///< wraps, forward direction only (SCI)
};

std::string_view to_string(Wrap wrap);

/// Places along a dimension: first, first + step, ... up to last.
struct Positions {
  std::int32_t first = 0, last = 0, step = 1;
  bool contain(std::int32_t p) const { return p >= first && p <= last && (p - first) % step == 0; }
  bool operator==(const Positions&) const = default;
};

/// Links of a dimension that differ from the others. The link at position p joins the routers at p and p + 1 (the last
/// one the end to the start), both ways.
struct LinkException {
  std::vector<Positions> at;
  /// Restricts the exception to lines of the grid whose coordinate along `dimension` is one of `at`.
  struct Condition {
    std::size_t dimension = 0;
    std::vector<Positions> at;
    bool operator==(const Condition&) const = default;
  };
  std::vector<Condition> where;  ///< all of them hold; empty: on every line
  double bandwidth = 0;          ///< bytes/s; 0: as the dimension's
  double latency = -1;           ///< seconds; negative: as the dimension's
  bool operator==(const LinkException&) const = default;
};

struct Dimension {
  std::int32_t extent = 1;
  Wrap wrap = Wrap::mesh;
  double bandwidth = 1e9;  ///< bytes/s of each directed link
  double latency = 1e-7;   ///< seconds per hop
  std::int32_t links = 1;  ///< parallel links between neighbours; a message is spread over all of them
  /// Whether the whole line of routers is a single link, such as a bus or the ring of SCI: every message takes a share
  /// of its `bandwidth`, whatever part of the line it travels and in which direction.
  bool shared = false;
  /// How far the wrap of a twisted torus moves along the other dimensions on the way forward; on the way backward it
  /// moves as far back.
  Coordinates twist{};
  std::vector<LinkException> exceptions = {};  ///< where several fit a link, the last one counts
  std::string name = {};                       ///< empty: the one that dimension_name() gives

  bool is_twisted() const { return twist != Coordinates{}; }
  /// Hops between the ends of a mesh, to the other side of a torus, or nearly once round a ring.
  std::int32_t longest_way() const { return wrap == Wrap::torus ? extent / 2 : extent - 1; }
  /// Bytes/s that all parallel links carry together.
  double capacity() const { return bandwidth * links; }
  bool operator==(const Dimension&) const = default;
};

/// Receives each fault of a property of a machine, such as `x.twist`. It may throw to end the check there.
using Report = std::function<void(const std::string& property, const std::string& message)>;

/// Reports what keeps dimensions from making a grid. A grid has 1 to 8 dimensions and at most most_routers routers;
/// extents and links are >= 1, bandwidths positive and finite, latencies >= 0 and finite, exceptions within their
/// dimensions. Only tori are twisted, and only along untwisted tori.
void check_grid(const std::vector<Dimension>& dimensions, const Report& report);

/// The default name of a dimension: `x`, `y`, `z`, then `d3`, `d4`, ...
std::string dimension_name(std::size_t d);

/// A box of routers. Router (c0, c1, ...) has index c0 + E0*(c1 + E1*(c2 + ...)): x runs fastest.
class Grid {
 public:
  /// `order`: the dimensions in the order in which routes take them, each once; empty: first to last. Throws InputError
  /// on what check_grid reports.
  explicit Grid(std::vector<Dimension> dimensions, std::vector<std::size_t> order = {});

  std::size_t dimension_count() const { return dimensions_.size(); }
  const Dimension& dimension(std::size_t d) const { return dimensions_[d]; }
  const std::string& name(std::size_t d) const { return dimensions_[d].name; }
  const std::vector<std::size_t>& order() const { return order_; }
  /// How many routers there are.
  std::int32_t size() const { return size_; }
  auto routers() const { return core::ids<RouterId>(size_); }
  /// Whether any link differs from the others of its dimension.
  bool has_exceptions() const { return has_exceptions_; }

  std::int32_t coordinate(RouterId router, std::size_t d) const {
    return router.value() / strides_[d] % dimensions_[d].extent;
  }
  Coordinates coordinates(RouterId router) const;
  RouterId router_at(const Coordinates& coordinates) const;

  /// Hops along dimension d, which is not twisted, from one coordinate to another: positive forward, negative backward.
  /// A torus goes the shorter way. At exactly half the ring it goes forward, except from coordinate extent/2 to 0,
  /// where it goes backward: SimGrid's torus does so, and predictions can be compared link by link.
  std::int32_t steps(std::size_t d, std::int32_t from, std::int32_t to) const {
    const auto& dim = dimensions_[d];
    const std::int32_t straight = to - from;
    if (dim.wrap == Wrap::mesh || straight == 0) return straight;
    const std::int32_t forward = straight > 0 ? straight : straight + dim.extent;
    if (dim.wrap == Wrap::ring || 2 * forward < dim.extent) return forward;
    if (2 * forward > dim.extent) return forward - dim.extent;
    return from == dim.extent / 2 ? -forward : forward;
  }

  /// Hops of the route along each dimension: positive forward, negative backward.
  Coordinates steps(RouterId from, RouterId to) const {
    if (!twisted_.empty()) return twisted_steps(from, to);
    Coordinates all{};
    std::int32_t from_rest = from.value(), to_rest = to.value();
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {  // half the divisions of coordinate()
      const std::int32_t extent = dimensions_[d].extent, from_beyond = from_rest / extent, to_beyond = to_rest / extent;
      all[d] = steps(d, from_rest - from_beyond * extent, to_rest - to_beyond * extent);
      from_rest = from_beyond;
      to_rest = to_beyond;
    }
    return all;
  }

  /// The number of hops on the dimension-order route.
  std::int32_t hops(RouterId from, RouterId to) const {
    std::int32_t sum = 0;
    for (const auto n : steps(from, to)) sum += std::abs(n);
    return sum;
  }

  /// Sum of the hop latencies on the dimension-order route, in seconds.
  double latency(RouterId from, RouterId to) const {
    if (has_exceptions_) return summed_latency(from, to);
    double sum = 0;
    const auto all = steps(from, to);
    for (std::size_t d = 0; d < dimensions_.size(); ++d) sum += dimensions_[d].latency * std::abs(all[d]);
    return sum;
  }

  // Directed links. Ids are dense in (router, dimension, direction), so a few name no link: outward at the ends of a
  // mesh, backward on a one-way ring, along a dimension of extent 1. On a shared line only one id names a link: the
  // forward one at its first router, which stands for the line.

  std::int32_t link_count() const { return size_ * links_per_router_; }
  auto links() const { return core::ids<LinkId>(link_count()); }
  LinkId link(RouterId from, std::size_t d, bool forward) const {
    return LinkId(from.value() * links_per_router_ + static_cast<std::int32_t>(2 * d) + (forward ? 0 : 1));
  }
  bool link_exists(LinkId link) const;
  /// Whether one can go on from `router` along dimension d.
  bool has_neighbour(RouterId router, std::size_t d, bool forward) const;
  RouterId link_source(LinkId link) const { return RouterId(link.value() / links_per_router_); }
  RouterId link_target(LinkId link) const {
    return neighbour(link_source(link), link_dimension(link), link_is_forward(link));
  }
  std::size_t link_dimension(LinkId link) const { return link.index() / 2 % dimensions_.size(); }
  bool link_is_forward(LinkId link) const { return link.value() % 2 == 0; }
  /// Bytes/s of all parallel links together, exceptions counted.
  double link_bandwidth(LinkId link) const;
  /// The latency of a link in seconds, exceptions counted; of a shared line, that of each hop on it.
  double link_latency(LinkId link) const;

  /// The router one hop away. At the end of the dimension it is the one at the start, even on a mesh.
  RouterId neighbour(RouterId router, std::size_t d, bool forward) const {
    const std::int32_t extent = dimensions_[d].extent;
    const std::int32_t c = coordinate(router, d);
    if (forward && c + 1 < extent) return moved(router, d, 1);
    if (!forward && c > 0) return moved(router, d, -1);
    const RouterId wrapped = moved(router, d, (forward ? -1 : 1) * (extent - 1));
    return dimensions_[d].is_twisted() ? shifted(wrapped, d, forward) : wrapped;
  }

  /// Calls visit(router, dimension, forward) for each hop of the dimension-order route, in O(hops).
  template <class Visit>
  void for_each_hop(RouterId from, RouterId to, Visit&& visit) const {
    const auto all = steps(from, to);
    RouterId here = from;
    for (const std::size_t d : order_) {
      const bool forward = all[d] > 0;
      for (std::int32_t i = std::abs(all[d]); i > 0; --i) {
        visit(here, d, forward);
        here = neighbour(here, d, forward);
      }
    }
    TOROID_ASSERT_HEAVY(here == to);
  }

  /// Calls visit(LinkId) for each link of the dimension-order route, once for a shared line, in O(hops).
  template <class Visit>
  void for_each_link(RouterId from, RouterId to, Visit&& visit) const {
    if (!twisted_.empty()) {
      LinkId last = LinkId::none();
      return for_each_hop(
          from, to, [&](RouterId here, std::size_t d, bool forward) { visit_link(here, d, forward, last, visit); });
    }
    RouterId here = from;
    for (const std::size_t d : order_) {
      const std::int32_t start = coordinate(from, d), end = coordinate(to, d), n = steps(d, start, end);
      if (n != 0 && dimensions_[d].shared)
        visit(shared_link(here, d));
      else
        for_each_link_along(d, here, start, n, visit);
      here = moved(here, d, end - start);
    }
  }

  /// Calls visit(LinkId) for the link that a hop occupies, unless that is a shared line that the hop before was on,
  /// too. `last` remembers the link of the hop before; it is none() before the first hop.
  template <class Visit>
  void visit_link(RouterId here, std::size_t d, bool forward, LinkId& last, Visit& visit) const {
    const bool shared = dimensions_[d].shared;
    const LinkId id = shared ? shared_link(here, d) : link(here, d, forward);
    if (!shared || id != last) visit(id);
    last = id;
  }

  /// The link that stands for the shared line of dimension d through a router.
  LinkId shared_link(RouterId router, std::size_t d) const {
    return link(moved(router, d, -coordinate(router, d)), d, true);
  }

 private:
  /// The router that is `places` further along a dimension, within its line.
  RouterId moved(RouterId router, std::size_t d, std::int32_t places) const {
    return RouterId(router.value() + places * strides_[d]);
  }

  /// Calls visit(LinkId) for |n| links along an untwisted dimension, from a router at `position` there on.
  template <class Visit>
  void for_each_link_along(std::size_t d, RouterId from, std::int32_t position, std::int32_t n, Visit& visit) const {
    const std::int32_t extent = dimensions_[d].extent, way = n > 0 ? 1 : -1;
    const std::int32_t next = way * strides_[d] * links_per_router_;  // the step from a link to the next
    std::int32_t id = link(from, d, n > 0).value();
    for (std::int32_t i = std::abs(n); i > 0; --i) {
      visit(LinkId(id));
      position += way;
      id += next;
      if (position == extent || position < 0) {
        id -= extent * next;
        position -= extent * way;
      }
    }
  }

  /// Fills `twisted_` with the shortest way for each difference of two places, at the router that has the difference as
  /// its coordinates. A twisted torus looks the same from every router, so the way depends on that difference only.
  void make_twisted_steps();
  bool ways_back_lead_back() const;
  Coordinates twisted_steps(RouterId from, RouterId to) const;
  /// The coordinates of a router that are equivalent to a difference: forward along twisted dimensions, then round the
  /// others.
  Coordinates within_box(Coordinates difference) const;
  RouterId shifted(RouterId router, std::size_t d, bool forward) const;
  double summed_latency(RouterId from, RouterId to) const;
  const LinkException* exception(LinkId link, bool (*sets)(const LinkException&)) const;

  std::vector<Dimension> dimensions_;
  std::vector<std::size_t> order_;
  std::vector<std::int32_t> strides_;
  std::int32_t size_ = 1, links_per_router_ = 0;
  bool has_exceptions_ = false;
  core::IdVector<RouterId, Coordinates> twisted_;  ///< empty where nothing is twisted
};

/// Calls visit(from, to) for each two neighbouring routers that a link of the grid joins, in its direction: once, but
/// on a line that routers share for each two neighbours on the line.
template <class Visit>
void for_each_span(const Grid& grid, LinkId link, Visit visit) {
  const auto d = grid.link_dimension(link);
  if (!grid.dimension(d).shared) return visit(grid.link_source(link), grid.link_target(link));
  auto here = grid.link_source(link);
  for (std::int32_t i = 0; i < grid.dimension(d).extent && grid.has_neighbour(here, d, true); ++i) {
    const auto next = grid.neighbour(here, d, true);
    visit(here, next);
    here = next;
  }
}

}  // namespace toroid::platforms
