#include "platforms/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace toroid::platforms {
namespace {

bool holds(const std::vector<NodeRange>& ranges, NodeId node) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const NodeRange& range) { return node >= range.first && node <= range.second; });
}

std::int64_t count_of(const std::vector<NodeRange>& ranges) {
  std::int64_t count = 0;
  for (const auto& [first, last] : ranges) count += last - first + 1;
  return count;
}

Survey::Links survey_links(const Machine& machine, std::size_t d) {
  const auto& grid = machine.grid();
  Survey::Links links{.dimension = grid.name(d), .bandwidth_min = std::numeric_limits<double>::infinity()};
  for (RouterId router = 0; router < grid.size(); ++router)
    for (const bool forward : {true, false}) {
      const LinkId link = grid.link(router, d, forward);
      if (!machine.link_exists(link)) continue;
      const std::int32_t parallel = grid.dimension(d).links;
      links.count += parallel;
      links.bandwidth_min = std::min(links.bandwidth_min, machine.link_bandwidth(link) / parallel);
      links.bandwidth_max = std::max(links.bandwidth_max, machine.link_bandwidth(link) / parallel);
    }
  if (links.count == 0) links.bandwidth_min = 0;
  return links;
}

Cut cut_across(const Machine& machine, std::size_t d) {
  const auto& grid = machine.grid();
  const std::int32_t middle = grid.dimension(d).extent / 2;
  Cut cut{.dimension = d};
  const auto add = [&](LinkId link, std::int32_t parallel) {
    if (!machine.link_exists(link)) return;
    cut.links += parallel;
    cut.bandwidth += machine.link_bandwidth(link);
  };
  // A link of another dimension crosses too where its wrap is twisted.
  for (std::size_t along = 0; along < grid.dimension_count(); ++along) {
    const auto& dim = grid.dimension(along);
    for (RouterId router = 0; router < grid.size(); ++router) {
      if (dim.shared) {
        if (along == d && grid.coordinate(router, d) == 0) add(grid.shared_link(router, d), dim.links);
        continue;
      }
      if (grid.coordinate(router, d) >= middle) continue;
      for (const bool forward : {true, false})
        if (grid.has_neighbour(router, along, forward) &&
            grid.coordinate(grid.neighbour(router, along, forward), d) >= middle)
          add(grid.link(router, along, forward), dim.links);
    }
  }
  return cut;
}

/// Sum over ordered pairs of nodes, and the largest distance, where distances add up over the dimensions: each pair of
/// coordinates counts as often as there are nodes at them.
void measure_separable(const Machine& machine, Survey& survey, double& sum) {
  const auto& grid = machine.grid();
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    std::vector<double> nodes_at(static_cast<std::size_t>(grid.dimension(d).extent), 0);
    for (const NodeId node : machine.compute_nodes())
      ++nodes_at[static_cast<std::size_t>(grid.coordinate(machine.router(node), d))];
    std::int32_t most = 0;
    for (std::int32_t a = 0; a < grid.dimension(d).extent; ++a)
      for (std::int32_t b = 0; b < grid.dimension(d).extent; ++b) {
        const double pairs = nodes_at[static_cast<std::size_t>(a)] * nodes_at[static_cast<std::size_t>(b)];
        const std::int32_t hops = std::abs(grid.steps(d, a, b));
        sum += pairs * hops;
        if (pairs > 0) most = std::max(most, hops);
      }
    survey.diameter += most;
  }
}

/// Every pair, or a sample where there are many.
void measure_pairs(const Machine& machine, Survey& survey, double& sum) {
  constexpr std::size_t most_exact = 1500, sample = 100000;
  const auto nodes = machine.compute_nodes();
  const auto add = [&](NodeId from, NodeId to, double weight) {
    const auto hops = machine.hops(from, to);
    sum += weight * hops;
    survey.diameter = std::max(survey.diameter, hops);
  };
  survey.is_sampled = nodes.size() > most_exact;
  if (!survey.is_sampled) {
    for (const NodeId from : nodes)
      for (const NodeId to : nodes) add(from, to, 1);
    return;
  }
  core::Random random(1, "survey");
  const auto n = static_cast<double>(nodes.size());
  for (std::size_t i = 0; i < sample; ++i) {
    const auto from = random.below(nodes.size());
    const auto to = (from + 1 + random.below(nodes.size() - 1)) % nodes.size();
    add(nodes[from], nodes[to], n * (n - 1) / static_cast<double>(sample));
  }
}

void measure_distances(const Machine& machine, Survey& survey) {
  double sum = 0;
  if (machine.separable())
    measure_separable(machine, survey, sum);
  else
    measure_pairs(machine, survey, sum);
  const auto n = static_cast<double>(survey.compute_nodes);
  survey.mean_hops = n > 1 ? sum / (n * (n - 1)) : 0;
}

}  // namespace

const Cut* Survey::bisection() const {
  const auto least =
      std::min_element(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.bandwidth < b.bandwidth; });
  return least == cuts.end() ? nullptr : &*least;
}

Survey survey(const Machine& machine) {
  const auto& grid = machine.grid();
  const auto& m = machine.description();
  Survey result;
  result.routers = grid.size();
  result.compute_nodes = static_cast<std::int64_t>(machine.compute_nodes().size());
  result.service_nodes = count_of(m.service);
  result.absent_nodes = count_of(m.absent);
  result.failed_nodes = machine.node_count() - result.compute_nodes - result.service_nodes - result.absent_nodes;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    result.links.push_back(survey_links(machine, d));
    if (grid.dimension(d).extent > 1) result.cuts.push_back(cut_across(machine, d));
  }
  measure_distances(machine, result);
  return result;
}

char symbol(const Machine& machine, RouterId router) {
  if (!machine.router_works(router)) return 'x';
  const NodeId first = machine.first_node(router);
  const auto& m = machine.description();
  const auto any = [&](auto is) {
    for (NodeId i = 0; i < m.nodes_per_router; ++i)
      if (is(first + i)) return true;
    return false;
  };
  if (any([&](NodeId node) { return machine.computes(node); })) return 'o';
  if (any([&](NodeId node) { return holds(m.failed, node); })) return 'x';
  return any([&](NodeId node) { return holds(m.service, node); }) ? 's' : '.';
}

}  // namespace toroid::platforms
