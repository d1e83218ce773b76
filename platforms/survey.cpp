#include "platforms/survey.hpp"

#include <algorithm>

#include "core/random.hpp"

namespace toroid::platforms {
namespace {

Survey::Links survey_links(const Machine& machine, std::size_t d) {
  const auto& grid = machine.grid();
  Survey::Links links{.dimension = grid.name(d), .bandwidth_min = std::numeric_limits<double>::infinity()};
  for (const RouterId router : grid.routers())
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
    for (const RouterId router : grid.routers()) {
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

/// Distances along one dimension between nodes of which `count[c]` are at coordinate c: their sum over ordered pairs,
/// and the largest. In time linear in the extent, from sums over the coordinates before each.
class Line {
 public:
  Line(Wrap wrap, const std::vector<double>& count)
      : extent_(static_cast<std::ptrdiff_t>(count.size())), nodes_{0}, places_{0}, last_{-1} {
    // Twice round, so that a stretch that wraps is one stretch here.
    for (std::ptrdiff_t c = 0; c < 2 * extent_; ++c) {
      const double n = count[static_cast<std::size_t>(c % extent_)];
      nodes_.push_back(nodes_.back() + n);
      places_.push_back(places_.back() + n * static_cast<double>(c));
      last_.push_back(n > 0 ? c : last_.back());
    }
    for (std::ptrdiff_t c = 0; c < extent_; ++c) {
      const double n = count[static_cast<std::size_t>(c)];
      if (n > 0) add(n, c, wrap == Wrap::mesh ? extent_ - 1 : c + (wrap == Wrap::ring ? extent_ - 1 : extent_ / 2));
    }
    // Each pair was seen from one end. Where both ends see it, at half an even ring, it was seen twice.
    if (wrap != Wrap::ring) sum_ *= 2;
    if (wrap == Wrap::torus && extent_ % 2 == 0)
      for (std::ptrdiff_t c = 0; c < extent_; ++c)
        sum_ -= count[static_cast<std::size_t>(c)] * count[static_cast<std::size_t>((c + extent_ / 2) % extent_)] *
                static_cast<double>(extent_ / 2);
  }

  double sum() const { return sum_; }
  std::int32_t most() const { return static_cast<std::int32_t>(most_); }

 private:
  /// The distances from `n` nodes at c to those after them, up to coordinate `end` of the second round.
  void add(double n, std::ptrdiff_t c, std::ptrdiff_t end) {
    const auto after = static_cast<std::size_t>(c + 1), beyond = static_cast<std::size_t>(end + 1);
    sum_ += n * (places_[beyond] - places_[after] - static_cast<double>(c) * (nodes_[beyond] - nodes_[after]));
    most_ = std::max(most_, last_[beyond] - c);
  }

  std::ptrdiff_t extent_, most_ = 0;
  double sum_ = 0;
  // What is known of the coordinates before each, counted through both rounds:
  std::vector<double> nodes_, places_;  ///< how many nodes they have, and the sum of the nodes' coordinates
  std::vector<std::ptrdiff_t> last_;    ///< the last one with a node
};

/// Sum over ordered pairs of nodes, and the largest distance, where distances add up over the dimensions.
void measure_separable(const Machine& machine, Survey& survey, double& sum) {
  const auto& grid = machine.grid();
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    std::vector<double> nodes_at(static_cast<std::size_t>(grid.dimension(d).extent), 0);
    for (const NodeId node : machine.compute_nodes())
      ++nodes_at[static_cast<std::size_t>(grid.coordinate(machine.router(node), d))];
    const Line line(grid.dimension(d).wrap, nodes_at);
    sum += line.sum();
    survey.diameter += line.most();
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

/// What a survey counts of each NodeState.
constexpr std::array counts{&Survey::compute_nodes, &Survey::service_nodes, &Survey::failed_nodes,
                            &Survey::absent_nodes};

}  // namespace

const Cut* Survey::bisection() const {
  const auto least =
      std::ranges::min_element(cuts, [](const Cut& a, const Cut& b) { return a.bandwidth < b.bandwidth; });
  return least == cuts.end() ? nullptr : &*least;
}

Survey survey(const Machine& machine) {
  const auto& grid = machine.grid();
  Survey result;
  result.routers = grid.size();
  for (const NodeId node : machine.nodes()) ++(result.*counts[static_cast<std::size_t>(machine.state(node))]);
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    result.links.push_back(survey_links(machine, d));
    if (grid.dimension(d).extent > 1) result.cuts.push_back(cut_across(machine, d));
  }
  TOROID_ASSERT(result.compute_nodes + result.service_nodes + result.absent_nodes + result.failed_nodes ==
                machine.node_count());
  measure_distances(machine, result);
  return result;
}

char symbol(const Machine& machine, RouterId router) {
  if (!machine.router_works(router)) return 'x';
  const auto any = [&](NodeState state) {
    for (const NodeId node : machine.nodes_on(router))
      if (machine.state(node) == state) return true;
    return false;
  };
  if (any(NodeState::computes)) return 'o';
  if (any(NodeState::failed)) return 'x';
  return any(NodeState::service) ? 's' : '.';
}

std::optional<Block> block_of(const Machine& machine, std::span<const NodeId> nodes) {
  const auto& grid = machine.grid();
  Block block;
  std::vector<std::size_t> places(nodes.size(), 0);
  std::size_t size = 1;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto at = [&](std::size_t i) { return grid.coordinate(machine.router(nodes[i]), d); };
    std::vector<std::int32_t> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) all.push_back(at(i));
    std::ranges::sort(all);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    for (std::size_t i = 0; i < nodes.size(); ++i)
      places[i] += size * static_cast<std::size_t>(std::ranges::lower_bound(all, at(i)) - all.begin());
    block.extents.push_back(static_cast<std::int32_t>(all.size()));
    size *= all.size();
    if (size > nodes.size()) return std::nullopt;
  }
  if (size != nodes.size()) return std::nullopt;
  block.node_at.assign(size, size);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto& node = block.node_at[places[i]];
    if (node != size) return std::nullopt;
    node = i;
  }
  return block;
}

}  // namespace toroid::platforms
