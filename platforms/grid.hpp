#pragma once
// The n-dimensional grid of routers and its dimension-order routes. Nothing here allocates after construction.

#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace toroid::platforms {

using NodeId = std::int32_t;  ///< Index of a node; its coordinates come from the grid.
using LinkId = std::int32_t;  ///< Index of a directed link of a machine.

/// What happens at the ends of a dimension.
enum class Wrap : std::uint8_t {
  mesh,   ///< no wrap: both directions, ends are ends
  torus,  ///< wraps, both directions, the shorter way round
  ring    ///< wraps, forward direction only (SCI)
};

std::string_view to_string(Wrap wrap);

struct Dimension {
  std::int32_t extent = 1;
  Wrap wrap = Wrap::mesh;
  double bandwidth = 1e9;  ///< bytes/s of each directed link
  double latency = 1e-7;   ///< seconds per hop
};

/// A box of routers. Router (c0, c1, ...) has index c0 + E0*(c1 + E1*(c2 + ...)): x runs fastest.
class Grid {
 public:
  static constexpr std::size_t max_dimensions = 8;
  using Coordinates = std::array<std::int32_t, max_dimensions>;

  /// Throws InputError unless there are 1 to 8 dimensions with extents >= 1, positive finite bandwidths, finite
  /// latencies >= 0 and fewer than 2^31 link ids.
  explicit Grid(std::vector<Dimension> dimensions);

  std::size_t dimension_count() const { return dimensions_.size(); }
  const Dimension& dimension(std::size_t d) const { return dimensions_[d]; }
  NodeId size() const { return size_; }

  std::int32_t coordinate(NodeId node, std::size_t d) const { return node / strides_[d] % dimensions_[d].extent; }
  Coordinates coordinates(NodeId node) const;
  NodeId node_at(const Coordinates& coordinates) const;

  /// Hops along dimension d from one coordinate to another: positive forward, negative backward. On a torus the shorter
  /// way; at exactly half the ring forward, except from coordinate extent/2 to 0, which goes backward: the rule of
  /// SimGrid's torus, kept so that predictions can be compared link by link.
  std::int32_t steps(std::size_t d, std::int32_t from, std::int32_t to) const {
    const auto& dim = dimensions_[d];
    const std::int32_t straight = to - from;
    if (dim.wrap == Wrap::mesh || straight == 0) return straight;
    const std::int32_t forward = straight > 0 ? straight : straight + dim.extent;
    if (dim.wrap == Wrap::ring || 2 * forward < dim.extent) return forward;
    if (2 * forward > dim.extent) return forward - dim.extent;
    return from == dim.extent / 2 ? -forward : forward;
  }

  /// Links on the dimension-order route.
  std::int32_t hops(NodeId from, NodeId to) const {
    std::int32_t sum = 0;
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      sum += std::abs(steps(d, coordinate(from, d), coordinate(to, d)));
    return sum;
  }

  /// Sum of the hop latencies on the dimension-order route, in seconds.
  double latency(NodeId from, NodeId to) const {
    double sum = 0;
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      sum += dimensions_[d].latency * std::abs(steps(d, coordinate(from, d), coordinate(to, d)));
    return sum;
  }

  // Directed links. Ids are dense in (router, dimension, direction), so a few name no link: the outward ones at the
  // ends of a mesh, the backward ones of a one-way ring, those of a dimension of extent 1.

  LinkId link_count() const { return size_ * static_cast<LinkId>(2 * dimensions_.size()); }
  LinkId link(NodeId from, std::size_t d, bool forward) const {
    return from * static_cast<LinkId>(2 * dimensions_.size()) + static_cast<LinkId>(2 * d) + (forward ? 0 : 1);
  }
  bool link_exists(LinkId link) const;
  NodeId link_source(LinkId link) const { return link / static_cast<LinkId>(2 * dimensions_.size()); }
  NodeId link_target(LinkId link) const {
    return neighbour(link_source(link), link_dimension(link), link_is_forward(link));
  }
  std::size_t link_dimension(LinkId link) const { return static_cast<std::size_t>(link) / 2 % dimensions_.size(); }
  bool link_is_forward(LinkId link) const { return link % 2 == 0; }

  /// The router one hop away; wraps round whatever the dimension's wrap.
  NodeId neighbour(NodeId node, std::size_t d, bool forward) const {
    const std::int32_t extent = dimensions_[d].extent;
    const std::int32_t c = coordinate(node, d);
    if (forward) return c + 1 == extent ? node - (extent - 1) * strides_[d] : node + strides_[d];
    return c == 0 ? node + (extent - 1) * strides_[d] : node - strides_[d];
  }

  /// Calls visit(LinkId) for each link of the dimension-order route (x first, then y, ...), in O(hops).
  template <class Visit>
  void for_each_link(NodeId from, NodeId to, Visit&& visit) const {
    NodeId here = from;
    for (std::size_t d = 0; d < dimensions_.size(); ++d) {
      const std::int32_t n = steps(d, coordinate(from, d), coordinate(to, d));
      const bool forward = n > 0;
      for (std::int32_t i = std::abs(n); i > 0; --i) {
        visit(link(here, d, forward));
        here = neighbour(here, d, forward);
      }
    }
  }

 private:
  std::vector<Dimension> dimensions_;
  std::vector<std::int32_t> strides_;
  NodeId size_ = 1;
};

/// `x`, `y`, `z`, then `d3`, `d4`, ...
std::string dimension_name(std::size_t d);

}  // namespace toroid::platforms
