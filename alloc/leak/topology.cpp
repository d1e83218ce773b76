#include "alloc/leak/topology.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "alloc/neighbours.hpp"

namespace toroid::alloc::leak {
namespace {

using platforms::Coordinates;
using platforms::Grid;
using platforms::Wrap;

void add(const std::vector<NodeId>& more, std::vector<NodeId>& nodes) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

/// The way from `origin` to a router in hops along each dimension, the shorter way round where the dimension wraps.
Coordinates offset(const Grid& grid, RouterId origin, RouterId router) {
  Coordinates all{};
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto& dim = grid.dimension(d);
    all[d] = grid.coordinate(router, d) - grid.coordinate(origin, d);
    if (dim.wrap == Wrap::mesh) continue;
    if (2 * all[d] > dim.extent) all[d] -= dim.extent;
    if (2 * all[d] <= -dim.extent) all[d] += dim.extent;
  }
  return all;
}

/// The place of a point of the plane on the square spiral (0,0), (1,0), (1,1), (0,1), (-1,1), ...: ring q begins above
/// its lower right corner and ends in that.
std::int64_t place_on_spiral(std::int64_t x, std::int64_t y) {
  const std::int64_t q = std::max(std::abs(x), std::abs(y)), inner = (2 * q - 1) * (2 * q - 1);
  if (q == 0) return 0;
  if (y == -q) return inner + 7 * q - 1 + x;  // the last side, with both its corners but the left one
  if (x == -q) return inner + 5 * q - 1 - y;
  if (y == q) return inner + 3 * q - 1 - x;
  return inner + q - 1 + y;
}

}  // namespace

std::vector<NodeId> Topology::neighbours(NodeId node) const {
  const RouterId here = machine_.router(node);
  auto nodes = compute_nodes_on(machine_, here);
  std::erase(nodes, node);
  for (const RouterId next : alloc::neighbours(machine_, here)) add(compute_nodes_on(machine_, next), nodes);
  return nodes;
}

std::uint32_t Topology::corners() const {
  const auto& grid = machine_.grid();
  std::uint32_t corners = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).extent > 1) corners *= 2;
  return corners;
}

Tour Topology::snake(std::uint32_t corner) {
  const Name name{false, corner};
  if (const auto found = tours_.find(name); found != tours_.end()) return found->second;
  const auto& grid = machine_.grid();
  std::vector<RouterId> routers;
  for (std::int32_t step = 0; step < grid.size(); ++step) {
    Coordinates place{};
    std::uint32_t bits = corner;
    auto passes = step;  // along the dimensions before
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
      const std::int32_t extent = grid.dimension(d).extent, along = passes % extent;
      passes /= extent;
      const bool back = (passes % 2 != 0) != (extent > 1 && (bits & 1U) != 0);
      place[d] = back ? extent - 1 - along : along;
      if (extent > 1) bits >>= 1U;
    }
    routers.push_back(grid.router_at(place));
  }
  return keep(name, routers);
}

Tour Topology::spiral(NodeId origin) {
  const Name name{true, origin.value()};
  if (const auto found = tours_.find(name); found != tours_.end()) return found->second;
  const auto& grid = machine_.grid();
  using Key = std::tuple<std::int32_t, Coordinates, std::int64_t, RouterId>;  // shell, plane, place in it
  std::vector<Key> keys;
  for (const RouterId router : grid.routers()) {
    auto plane = offset(grid, machine_.router(origin), router);
    std::int32_t shell = 0;
    for (const auto along : plane) shell = std::max(shell, std::abs(along));
    const auto place = place_on_spiral(plane[0], plane[1]);
    plane[0] = plane[1] = 0;
    keys.emplace_back(shell, plane, place, router);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<RouterId> routers;
  for (const auto& key : keys) routers.push_back(std::get<3>(key));
  return keep(name, routers);
}

Tour Topology::keep(Name name, const std::vector<RouterId>& routers) {
  auto nodes = std::make_shared<std::vector<NodeId>>();
  for (const RouterId router : routers) add(compute_nodes_on(machine_, router), *nodes);
  if (name.first) {  // its own manager asks first, whichever of its router's nodes it is
    const auto own = std::find(nodes->begin(), nodes->end(), NodeId(name.second));
    std::rotate(nodes->begin(), own, own + 1);
  }
  kept_ += nodes->size();
  if (kept_ > most_kept) {
    tours_.clear();
    kept_ = nodes->size();
  }
  return tours_[name] = std::move(nodes);
}

}  // namespace toroid::alloc::leak
