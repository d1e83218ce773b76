#include "toroid/platforms/grid.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "toroid/core/error.hpp"

namespace toroid::platforms {

std::string_view to_string(Wrap wrap) {
  constexpr std::array<std::string_view, 3> names{"mesh", "torus", "ring"};
  return names[static_cast<std::size_t>(wrap)];
}

std::string dimension_name(std::size_t d) {
  return d < 3 ? std::string(1, "xyz"[d]) : fmt::format("d{}", d);
}

namespace {

bool holds(const std::vector<Positions>& ranges, std::int32_t position) {
  return std::ranges::any_of(ranges, [&](const Positions& range) { return range.contain(position); });
}

void check_rates(const Dimension& dim, double bandwidth, double latency, const std::string& property,
                 const Report& report) {
  if (!(bandwidth > 0) || !std::isfinite(bandwidth))
    report(property, fmt::format("dimension {}: bandwidth {} B/s; expected more than 0", dim.name, bandwidth));
  if (!(latency >= 0) || !std::isfinite(latency))
    report(property, fmt::format("dimension {}: latency {} s; expected 0 or more", dim.name, latency));
}

void check_positions(const std::vector<Positions>& ranges, const Dimension& along, const std::string& property,
                     const Report& report) {
  for (const auto& range : ranges)
    if (range.first < 0 || range.first > range.last || range.last >= along.extent || range.step < 1)
      report(property, fmt::format("exceptions at {}-{} of {}; expected positions from 0 to {}", range.first,
                                   range.last, along.name, along.extent - 1));
}

void check_exceptions(const std::vector<Dimension>& dimensions, const Dimension& dim, const Report& report) {
  const auto property = dim.name + ".exceptions";
  if (dim.shared && !dim.exceptions.empty())
    report(property, fmt::format("dimension {}: a shared line has no links that could differ", dim.name));
  for (const auto& exception : dim.exceptions) {
    check_rates(dim, exception.bandwidth == 0 ? dim.bandwidth : exception.bandwidth,
                exception.latency < 0 ? dim.latency : exception.latency, property, report);
    check_positions(exception.at, dim, property, report);
    for (const auto& condition : exception.where)
      check_positions(condition.at, dimensions[condition.dimension], property, report);
  }
}

void check_twist(const std::vector<Dimension>& dimensions, const Dimension& dim, const Report& report) {
  if (!dim.is_twisted()) return;
  const auto property = dim.name + ".twist";
  if (dim.wrap != Wrap::torus || dim.shared)
    report(property, fmt::format("dimension {}: only the wrap of a torus can be twisted, found {}", dim.name,
                                 dim.shared ? "a shared line" : to_string(dim.wrap)));
  for (std::size_t e = 0; e < max_dimensions; ++e)
    if (dim.twist[e] != 0 && (e >= dimensions.size() || dimensions[e].is_twisted() ||
                              dimensions[e].wrap != Wrap::torus || dimensions[e].shared))
      report(property,
             fmt::format("dimension {}: a twist goes along another dimension that is a torus and not twisted itself",
                         dim.name));
}

std::vector<std::size_t> checked_order(std::vector<std::size_t> order, std::size_t dimensions) {
  std::vector<std::size_t> all(dimensions);
  std::iota(all.begin(), all.end(), 0);
  if (order.empty()) return all;
  if (!std::is_permutation(order.begin(), order.end(), all.begin(), all.end()))
    core::fail_input("the routing order must name each of the {} dimensions once", dimensions);
  return order;
}

std::vector<Dimension> checked_dimensions(std::vector<Dimension> dimensions) {
  for (std::size_t d = 0; d < dimensions.size(); ++d)
    if (dimensions[d].name.empty()) dimensions[d].name = dimension_name(d);
  check_grid(dimensions, [](const std::string&, const std::string& message) { throw core::InputError(message); });
  return dimensions;
}

}  // namespace

void check_grid(const std::vector<Dimension>& dimensions, const Report& report) {
  if (dimensions.empty() || dimensions.size() > max_dimensions)
    return report("shape", fmt::format("a grid has 1 to {} dimensions, found {}", max_dimensions, dimensions.size()));
  std::int64_t size = 1;
  for (const auto& dim : dimensions) {
    if (dim.extent < 1)
      report("shape", fmt::format("dimension {}: extent {}; expected at least 1", dim.name, dim.extent));
    if (dim.links < 1)
      report(dim.name + ".links",
             fmt::format("dimension {}: {} parallel links; expected at least 1", dim.name, dim.links));
    check_rates(dim, dim.bandwidth, dim.latency, dim.name + (dim.bandwidth > 0 ? ".latency" : ".bandwidth"), report);
    check_exceptions(dimensions, dim, report);
    check_twist(dimensions, dim, report);
    if (size <= most_routers) size *= std::max(dim.extent, 1);
  }
  if (size > most_routers) report("shape", fmt::format("the grid is too large: more than {} routers", most_routers));
}

Grid::Grid(std::vector<Dimension> dimensions, std::vector<std::size_t> order)
    : dimensions_(checked_dimensions(std::move(dimensions))),
      order_(checked_order(std::move(order), dimensions_.size())) {
  for (const auto& dim : dimensions_) {
    strides_.push_back(size_);
    size_ *= dim.extent;
    links_per_router_ += 2;
    has_exceptions_ |= !dim.exceptions.empty();
  }
  TOROID_ASSERT(size_ >= 1 && size_ <= most_routers && order_.size() == dimensions_.size());
  if (std::ranges::any_of(dimensions_, [](const Dimension& dim) { return dim.is_twisted(); })) make_twisted_steps();
  constexpr std::int32_t quickly_checked = 1 << 16;
  TOROID_ASSERT_HEAVY(size_ > quickly_checked || ways_back_lead_back());
}

/// Whether each step from a router leads to one of the grid, from which the step back leads to the router again.
bool Grid::ways_back_lead_back() const {
  for (const RouterId router : routers())
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      for (const bool forward : {true, false}) {
        const RouterId next = neighbour(router, d, forward);
        if (next < RouterId(0) || next >= RouterId(size_) || neighbour(next, d, !forward) != router) return false;
      }
  return true;
}

Coordinates Grid::coordinates(RouterId router) const {
  Coordinates result{};
  for (std::size_t d = 0; d < dimensions_.size(); ++d) result[d] = coordinate(router, d);
  return result;
}

RouterId Grid::router_at(const Coordinates& coordinates) const {
  std::int32_t index = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    TOROID_ASSERT_HEAVY(coordinates[d] >= 0 && coordinates[d] < dimensions_[d].extent);
    index += coordinates[d] * strides_[d];
  }
  return RouterId(index);
}

bool Grid::has_neighbour(RouterId router, std::size_t d, bool forward) const {
  const auto& dim = dimensions_[d];
  if (dim.extent == 1) return false;
  if (dim.wrap == Wrap::torus) return true;
  if (dim.wrap == Wrap::ring) return forward;
  return coordinate(router, d) != (forward ? dim.extent - 1 : 0);
}

bool Grid::link_exists(LinkId link) const {
  const auto d = link_dimension(link);
  const auto router = link_source(link);
  if (dimensions_[d].shared) return dimensions_[d].extent > 1 && link == shared_link(router, d);
  return has_neighbour(router, d, link_is_forward(link));
}

const LinkException* Grid::exception(LinkId link, bool (*sets)(const LinkException&)) const {
  TOROID_ASSERT_HEAVY(link >= LinkId(0) && link < LinkId(link_count()));
  const auto d = link_dimension(link);
  // A link lies at the position of the router it leaves forward, or comes to backward.
  const auto router = link_is_forward(link) ? link_source(link) : link_target(link);
  const auto& all = dimensions_[d].exceptions;
  const auto found = std::find_if(all.rbegin(), all.rend(), [&](const LinkException& exception) {
    return sets(exception) && holds(exception.at, coordinate(router, d)) &&
           std::ranges::all_of(exception.where, [&](const auto& condition) {
             return holds(condition.at, coordinate(router, condition.dimension));
           });
  });
  return found == all.rend() ? nullptr : &*found;
}

double Grid::link_bandwidth(LinkId link) const {
  const auto& dim = dimensions_[link_dimension(link)];
  const auto* special = exception(link, [](const LinkException& e) { return e.bandwidth > 0; });
  return (special != nullptr ? special->bandwidth : dim.bandwidth) * dim.links;
}

double Grid::link_latency(LinkId link) const {
  const auto* special = exception(link, [](const LinkException& e) { return e.latency >= 0; });
  return special != nullptr ? special->latency : dimensions_[link_dimension(link)].latency;
}

double Grid::summed_latency(RouterId from, RouterId to) const {
  double sum = 0;
  for_each_hop(from, to,
               [&](RouterId here, std::size_t d, bool forward) { sum += link_latency(link(here, d, forward)); });
  return sum;
}

RouterId Grid::shifted(RouterId router, std::size_t d, bool forward) const {
  auto place = coordinates(router);
  for (std::size_t e = 0; e < dimensions_.size(); ++e) {
    const std::int32_t extent = dimensions_[e].extent;
    const std::int32_t shift = dimensions_[d].twist[e] % extent;
    place[e] = (place[e] + (forward ? shift : -shift) + extent) % extent;
  }
  return router_at(place);
}

Coordinates Grid::within_box(Coordinates difference) const {
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const auto& dim = dimensions_[d];
    if (!dim.is_twisted() || difference[d] >= 0) continue;
    // Once more round the dimension forward is the twist and nothing else.
    difference[d] += dim.extent;
    for (std::size_t e = 0; e < dimensions_.size(); ++e) difference[e] -= dim.twist[e];
  }
  for (std::size_t e = 0; e < dimensions_.size(); ++e) {
    const std::int32_t extent = dimensions_[e].extent;
    if (!dimensions_[e].is_twisted()) difference[e] = (difference[e] % extent + extent) % extent;
    TOROID_ASSERT_HEAVY(difference[e] >= 0 && difference[e] < extent);
  }
  return difference;
}

void Grid::make_twisted_steps() {
  // Breadth first from router 0: its way to a router is the way of their difference.
  twisted_.resize(size_);
  core::IdVector<RouterId, char> found(size_, 0);
  std::vector<RouterId> queue{0};
  found[0] = 1;
  for (std::size_t next = 0; next < queue.size(); ++next)
    for (std::size_t d = 0; d < dimensions_.size(); ++d)
      for (const bool forward : {true, false}) {
        if (dimensions_[d].extent == 1) continue;
        const RouterId here = queue[next];
        const RouterId there = neighbour(here, d, forward);
        if (std::exchange(found[there], 1) != 0) continue;
        auto& way = twisted_[there] = twisted_[here];
        way[d] += forward ? 1 : -1;
        queue.push_back(there);
      }
  TOROID_ASSERT(std::cmp_equal(queue.size(), size_));  // a torus leads everywhere
}

Coordinates Grid::twisted_steps(RouterId from, RouterId to) const {
  Coordinates difference{};
  for (std::size_t d = 0; d < dimensions_.size(); ++d) difference[d] = coordinate(to, d) - coordinate(from, d);
  auto way = twisted_[router_at(within_box(difference))];
  // Along a mesh or one-way ring the difference alone does not say the way.
  for (std::size_t d = 0; d < dimensions_.size(); ++d)
    if (dimensions_[d].wrap != Wrap::torus) way[d] = steps(d, coordinate(from, d), coordinate(to, d));
  TOROID_ASSERT_HEAVY(from != to || way == Coordinates{});
  return way;
}

}  // namespace toroid::platforms
