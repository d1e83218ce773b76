#include "mapping/traffic_grid.hpp"

#include <boost/pending/disjoint_sets.hpp>
#include <ranges>

#include "mapping/grids/axes.hpp"
#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {
namespace {

/// The number of connected components.
std::size_t count_components(const PlainGraph& graph) {
  const auto vertices = std::views::iota(std::size_t{0}, graph.size());
  boost::disjoint_sets_with_storage<> components(graph.size());
  for (const std::size_t vertex : vertices)
    for (const std::size_t next : graph[vertex]) components.union_set(vertex, next);
  return components.count_sets(vertices.begin(), vertices.end());
}

/// The graph without some of its edges; both have the same vertices.
PlainGraph without(const PlainGraph& graph, const PlainGraph& edges) {
  PlainGraph rest(graph.size());
  for (std::size_t vertex = 0; vertex < graph.size(); ++vertex)
    std::set_difference(graph[vertex].begin(), graph[vertex].end(), edges[vertex].begin(), edges[vertex].end(),
                        std::back_inserter(rest[vertex]));
  return rest;
}

double bytes_between(const TrafficGraph& graph, Rank a, Rank b) {
  const auto neighbours = graph.neighbours(a);
  const auto edge = std::ranges::lower_bound(neighbours, b, {}, &TrafficGraph::Edge::rank);
  return edge != neighbours.end() && edge->rank == b ? edge->bytes() : 0;
}

/// Length of the row of ranks 0, stride, 2 stride, ... of which each exchanges about as much with the next as the first
/// two do. What is far less is no part of the stencil: a collective, say.
std::int32_t row_length(const TrafficGraph& graph, std::int32_t stride) {
  const double usual = bytes_between(graph, 0, Rank(stride));
  if (usual == 0) return 1;
  std::int32_t length = 2;
  for (Rank rank(stride); (rank + stride).value() < graph.rank_count(); rank = rank + stride, ++length)
    if (bytes_between(graph, rank, rank + stride) < usual / 16) break;
  return length;
}

/// The share of the pairs of ranks one step apart along an axis that exchange something.
double share_linked(const TrafficGraph& graph, const std::vector<std::int32_t>& extents) {
  std::int64_t linked = 0, all = 0;
  std::int32_t stride = 1;
  for (const std::int32_t extent : extents) {
    for (const Rank rank : graph.ranks()) {
      if (rank.value() / stride % extent + 1 == extent) continue;
      ++all;
      if (bytes_between(graph, rank, rank + stride) > 0) ++linked;
    }
    stride *= extent;
  }
  return all == 0 ? 0 : static_cast<double>(linked) / static_cast<double>(all);
}

/// The extents of the grid in which rank x + X*(y + Y*(z + ...)) stands at (x, y, z, ...). A row along an axis is
/// followed from rank 0 on, and ends where the next rank of the stride gets hardly any bytes. The result is empty if
/// there is no such grid, or if fewer than nine in ten ranks talk to those that are next along each axis. Other
/// partners are not looked at.
std::vector<std::int32_t> numbered_extents(const TrafficGraph& graph) {
  std::vector<std::int32_t> extents;
  for (std::int32_t stride = 1; stride < graph.rank_count(); stride *= extents.back()) {
    const std::int32_t length = row_length(graph, stride);
    if (length == 1 || graph.rank_count() / stride % length != 0) return {};
    extents.push_back(length);
  }
  constexpr double least_linked = 0.9;
  if (share_linked(graph, extents) < least_linked) return {};
  return extents;
}

/// The ranks whose traffic is at least `theta` times the heaviest of one of them.
PlainGraph heavy_edges(const TrafficGraph& traffic, double theta) {
  core::IdVector<Rank, double> heaviest(traffic.rank_count(), 0);
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank)) heaviest[rank] = std::max(heaviest[rank], edge.bytes());
  PlainGraph graph(heaviest.size());
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank))
      if (edge.bytes() >= theta * std::min(heaviest[rank], heaviest[edge.rank]))
        graph[rank.index()].push_back(static_cast<Vertex>(edge.rank.index()));
  return graph;
}

/// Extents whose complete graph, of ranks that all talk to each other, is an all-neighbour stencil: 2 open, 3 round.
std::optional<std::vector<std::int32_t>> complete_extents(std::size_t vertices) {
  std::vector<std::int32_t> extents;
  for (const std::int32_t extent : {3, 2})
    for (; vertices % static_cast<std::size_t>(extent) == 0; vertices /= static_cast<std::size_t>(extent))
      extents.push_back(extent);
  if (vertices != 1) return std::nullopt;
  return extents;
}

using Axes = std::variant<std::vector<Axis>, std::string>;

/// The axes of a stencil with diagonals, which are taken away first. Ranks that have the same neighbours differ along
/// axes of extent 2 or 3; which is which does not matter, as they are all neighbours of each other.
Axes find_axes_among_diagonals(const PlainGraph& graph) {
  const auto twins = find_twins(graph);
  const std::size_t each = twins.classes.front().size();
  for (const auto& members : twins.classes)
    if (members.size() != each) return "some ranks have the same partners and others do not";
  const auto within = complete_extents(each);
  if (!within || twins.classes.size() == 1) return "all ranks talk to all, or to all of a group";
  const auto skeleton = cartesian_skeleton(twins.quotient);
  if (!skeleton) return fmt::format("a rank has more than {} partners", most_skeleton_neighbours);
  auto found = find_axes(*skeleton);
  auto* axes = std::get_if<std::vector<Axis>>(&found);
  if (axes == nullptr) return found;
  std::vector<Axis> all;
  for (const auto& axis : *axes) {
    all.push_back({axis.extent, axis.periodic, std::vector<std::int32_t>(graph.size())});
    for (std::size_t c = 0; c < twins.classes.size(); ++c)
      for (const Vertex vertex : twins.classes[c]) all.back().coordinate[vertex] = axis.coordinate[c];
  }
  std::size_t stride = 1;
  for (const std::int32_t extent : *within) {
    all.push_back({extent, extent == 3, std::vector<std::int32_t>(graph.size())});
    for (const auto& members : twins.classes)
      for (std::size_t i = 0; i < members.size(); ++i)
        all.back().coordinate[members[i]] = static_cast<std::int32_t>(i / stride % static_cast<std::size_t>(extent));
    stride *= static_cast<std::size_t>(extent);
  }
  return all;
}

bool at_most_one_step(const std::vector<Axis>& axes, std::size_t a, std::size_t b) {
  return std::ranges::all_of(axes, [&](const Axis& axis) {
    const std::int32_t steps = std::abs(axis.coordinate[a] - axis.coordinate[b]);
    return steps <= 1 || (axis.periodic && steps == axis.extent - 1);
  });
}

double share_of_near_bytes(const TrafficGraph& traffic, const std::vector<Axis>& axes) {
  double all = 0, near = 0;
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank)) {
      all += edge.bytes();
      if (at_most_one_step(axes, rank.index(), edge.rank.index())) near += edge.bytes();
    }
  return all > 0 ? near / all : 1;
}

TrafficGrid as_grid(const std::vector<Axis>& axes, std::int32_t ranks, double near_bytes) {
  TrafficGrid grid;
  grid.place.assign(ranks, 0);
  grid.near_bytes = near_bytes;
  std::int32_t stride = 1;
  for (const auto& axis : axes) {
    grid.extents.push_back(axis.extent);
    grid.periodic.push_back(axis.periodic);
    for (const Rank rank : grid.place.ids()) grid.place[rank] += stride * axis.coordinate[rank.index()];
    stride *= axis.extent;
  }
  TOROID_ASSERT(stride == ranks);
  return grid;
}

/// The bytes between ranks that differ along two axes of extent 2 and no other, for each pair of axes; 0 for other
/// axes.
DiagonalBytes diagonal_bytes(const TrafficGraph& traffic, const std::vector<Axis>& axes) {
  DiagonalBytes bytes(axes.size(), std::vector<double>(axes.size(), 0));
  std::vector<std::size_t> differing;
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank)) {
      differing.clear();
      for (std::size_t d = 0; d < axes.size() && differing.size() < 3; ++d)
        if (axes[d].coordinate[rank.index()] != axes[d].coordinate[edge.rank.index()]) differing.push_back(d);
      if (differing.size() != 2 || axes[differing[0]].extent != 2 || axes[differing[1]].extent != 2) continue;
      bytes[differing[0]][differing[1]] += edge.bytes();
      bytes[differing[1]][differing[0]] += edge.bytes();
    }
  return bytes;
}

/// The grid of the ranks' numbers, if nearly all bytes go along it.
FoundGrid find_by_numbers(const TrafficGraph& traffic) {
  constexpr double least_near = 0.9;
  std::vector<Axis> axes;
  std::int32_t stride = 1;
  for (const std::int32_t extent : numbered_extents(traffic)) {
    axes.push_back({extent, extent > 2, {}});
    for (std::int32_t rank = 0; rank < traffic.rank_count(); ++rank)
      axes.back().coordinate.push_back(rank / stride % extent);
    stride *= extent;
  }
  const double near = axes.empty() ? 0 : share_of_near_bytes(traffic, axes);
  return near >= least_near ? FoundGrid{true, as_grid(axes, traffic.rank_count(), near), {}} : FoundGrid{};
}

/// The grid of these axes, if most bytes go along it.
FoundGrid grid_along(const TrafficGraph& traffic, Axes found) {
  constexpr double least_near = 0.8;
  if (auto* why = std::get_if<std::string>(&found)) return {false, {}, std::move(*why)};
  auto axes = std::get<std::vector<Axis>>(std::move(found));
  const auto diagonals = diagonal_bytes(traffic, axes);
  axes = in_order_of_numbers(std::move(axes), diagonals);
  const double near = share_of_near_bytes(traffic, axes);
  if (near >= least_near) return {true, as_grid(axes, traffic.rank_count(), near), {}};
  return {false, {}, fmt::format("only {:.0f} % of its bytes go along the grid of its heaviest edges", 100 * near)};
}

/// What the edges from `theta` on tell.
FoundGrid find_among_heavy(const TrafficGraph& traffic, double theta) {
  const auto graph = heavy_edges(traffic, theta);
  if (const auto parts = count_components(graph); parts > 1)
    return {false, {}, fmt::format("its heaviest edges leave {} parts apart", parts)};
  auto straight = grid_along(traffic, find_axes(graph));
  if (straight.exists) return straight;
  auto diagonal = grid_along(traffic, find_axes_among_diagonals(graph));
  return diagonal.exists ? diagonal : straight;
}

double bytes_along(const TrafficGraph& traffic, const PlainGraph& graph) {
  double bytes = 0;
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank))
      if (std::ranges::binary_search(graph[rank.index()], edge.rank.index())) bytes += edge.bytes();
  return bytes;
}

/// A grid with traffic along one diagonal, too. Links do not tell which of three directions that is: the one of fewest
/// bytes, as a diagonal costs two hops, or another if the other two make no grid.
FoundGrid find_among_triangles(const TrafficGraph& traffic, double theta) {
  const auto graph = heavy_edges(traffic, theta);
  auto directions = triangle_directions(graph);
  if (!directions) return {};
  std::ranges::stable_sort(*directions, [&](const PlainGraph& a, const PlainGraph& b) {
    return bytes_along(traffic, a) < bytes_along(traffic, b);
  });
  for (const auto& diagonal : *directions) {
    auto found = grid_along(traffic, find_axes(without(graph, diagonal)));
    if (found.exists) return found;
  }
  return {};
}

}  // namespace

FoundGrid find_grid(const TrafficGraph& graph) {
  if (graph.rank_count() == 0) return {false, {}, "there are no ranks"};
  if (graph.edge_count() == 0 && graph.rank_count() > 1) return {false, {}, "no rank talks to another"};
  if (graph.rank_count() == 1) return {true, as_grid({}, 1, 1), {}};
  constexpr double shares[] = {0.5, 0.15, 0.05};  // of the heaviest edges
  std::string reason;
  for (const double theta : shares) {
    auto found = find_among_heavy(graph, theta);
    if (found.exists) return found;
    if (reason.empty()) reason = found.reason;
  }
  if (auto numbered = find_by_numbers(graph); numbered.exists) return numbered;
  for (const double theta : shares)
    if (auto found = find_among_triangles(graph, theta); found.exists) return found;
  return {false, {}, reason};
}

FoundGrid find_grid(const workloads::CommunicationMatrix& matrix) {
  return find_grid(TrafficGraph(matrix));
}

std::string TrafficGrid::text() const {
  std::vector<std::string> lengths, round;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    lengths.push_back(std::to_string(extents[d]));
    if (periodic[d]) round.push_back(platforms::dimension_name(d));
  }
  return fmt::format("{}{}{}, {:.3g} % of bytes", extents.empty() ? "1" : fmt::format("{}", fmt::join(lengths, "x")),
                     round.empty() ? "" : ", periodic in ", fmt::join(round, " and "), 100 * near_bytes);
}

}  // namespace toroid::mapping
