#include "platforms/survey.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/random.hpp"

namespace toroid::platforms {
namespace {

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

/// Nodes of which every pair is looked at.
constexpr std::size_t most_exact = 4096;

/// Every pair, or a sample where there are many.
void measure_pairs(const Machine& machine, Survey& survey, double& sum) {
  constexpr std::size_t sample = 100000;
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
  // Farthest along all dimensions at once are two routers that may have no node.
  const bool is_full = survey.compute_nodes == machine.node_count();
  double sum = 0;
  if (machine.separable() && (is_full || machine.compute_nodes().size() > most_exact))
    measure_separable(machine, survey, sum);
  else
    measure_pairs(machine, survey, sum);
  const auto n = static_cast<double>(survey.compute_nodes);
  survey.mean_hops = n > 1 ? sum / (n * (n - 1)) : 0;
}

std::int64_t& count_of(NodeState state, Survey& survey) {
  switch (state) {
    case NodeState::computes:
      return survey.compute_nodes;
    case NodeState::service:
      return survey.service_nodes;
    case NodeState::absent:
      return survey.absent_nodes;
    case NodeState::failed:
      break;
  }
  return survey.failed_nodes;
}

}  // namespace

const Cut* Survey::bisection() const {
  const auto least =
      std::min_element(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.bandwidth < b.bandwidth; });
  return least == cuts.end() ? nullptr : &*least;
}

Survey survey(const Machine& machine) {
  const auto& grid = machine.grid();
  Survey result;
  result.routers = grid.size();
  for (NodeId node = 0; node < machine.node_count(); ++node) ++count_of(machine.state(node), result);
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
  const auto any = [&](NodeState state) {
    for (NodeId node = first; node < first + machine.description().nodes_per_router; ++node)
      if (machine.state(node) == state) return true;
    return false;
  };
  if (any(NodeState::computes)) return 'o';
  if (any(NodeState::failed)) return 'x';
  return any(NodeState::service) ? 's' : '.';
}

}  // namespace toroid::platforms
