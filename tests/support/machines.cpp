#include "tests/support/machines.hpp"

#include <numeric>

namespace toroid::test {
namespace {

using core::Random;
using platforms::Description;

std::int32_t whole(Random& random, std::int32_t from, std::int32_t to) {
  return from + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(to - from + 1)));
}

bool chance(Random& random, std::uint64_t one_in) {
  return random.below(one_in) == 0;
}

/// Any number of some size, or a round one.
double rate(Random& random) {
  return chance(random, 2) ? 1e8 * static_cast<double>(1 + random.below(40)) : 1e8 + 4e9 * random.unit();
}

double delay(Random& random) {
  return chance(random, 2) ? 1e-7 * static_cast<double>(random.below(4)) : 1e-6 * random.unit();
}

std::string text(Random& random) {
  static const std::vector<std::string> letters{"a", "B", "7", "_", "-", "<", ">", "&", "\"", "'", "\u00e4", "\u6f22"};
  std::string all = "x";
  while (!chance(random, 12)) all += letters[random.below(letters.size())];
  return all;
}

std::vector<platforms::Positions> positions(Random& random, std::int32_t extent) {
  std::vector<platforms::Positions> all(1 + random.below(3));
  for (auto& p : all) {
    p.first = whole(random, 0, extent - 1);
    p.last = whole(random, p.first, extent - 1);
    p.step = whole(random, 1, 3);
  }
  return all;
}

void add_exceptions(Random& random, Description& m, platforms::Dimension& dimension) {
  dimension.exceptions.resize(1 + random.below(3));
  for (auto& e : dimension.exceptions) {
    e.at = positions(random, dimension.extent);
    const auto what = random.below(3);
    if (what != 0) e.bandwidth = rate(random);
    if (what != 1) e.latency = delay(random);
    if (!chance(random, 2)) continue;
    const auto d = random.below(m.dimensions.size());
    e.where.push_back({d, positions(random, m.dimensions[d].extent)});
  }
}

/// Twists one torus along others.
void add_twist(Random& random, Description& m) {
  const auto is_plain_torus = [&](std::size_t d) {
    return m.dimensions[d].wrap == platforms::Wrap::torus && !m.dimensions[d].shared;
  };
  const auto twisted = random.below(m.dimensions.size());
  if (!is_plain_torus(twisted)) return;
  for (std::size_t d = 0; d < m.dimensions.size(); ++d)
    if (d != twisted && is_plain_torus(d))
      m.dimensions[twisted].twist[d] = whole(random, -m.dimensions[d].extent, m.dimensions[d].extent);
}

void add_numbering(Random& random, Description& m) {
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) {
    std::int32_t left = m.dimensions[d].extent;
    for (std::int32_t factor = 2; left > 1; ++factor)
      for (; left % factor == 0; left /= factor) m.numbering.push_back({d, factor});
    if (chance(random, 3)) m.numbering.push_back({d, 1});
  }
  random.shuffle(m.numbering);
}

void set_dimension(Random& random, platforms::Dimension& dimension) {
  dimension.wrap = static_cast<platforms::Wrap>(random.below(3));
  dimension.bandwidth = rate(random);
  dimension.latency = delay(random);
  if (chance(random, 4)) dimension.links = whole(random, 1, 3);
  dimension.shared = chance(random, 6);
}

platforms::NodeParameters random_node(Random& random) {
  platforms::NodeParameters node;
  node.base_latency = delay(random);
  if (chance(random, 2)) node.injection_bandwidth = rate(random);
  if (chance(random, 2)) node.ejection_bandwidth = rate(random);
  if (chance(random, 2)) node.loopback_bandwidth = rate(random);
  if (chance(random, 2)) node.loopback_latency = delay(random);
  if (chance(random, 2)) node.speed = 1e9 * (1 + random.unit());
  node.cores = whole(random, 1, 4);
  return node;
}

std::int32_t node_count(const Description& m) {
  std::int32_t count = m.nodes_per_router;
  for (const auto& dimension : m.dimensions) count *= dimension.extent;
  return count;
}

std::vector<platforms::NodeSet> ranges(Random& random, const Description& m) {
  std::vector<platforms::NodeSet> all;
  for (std::uint64_t left = 1 + random.below(2); left > 0; --left) {
    const platforms::NodeId first(whole(random, 2, node_count(m) - 1));  // two nodes stay
    const auto last = std::min(platforms::NodeId(node_count(m) - 1), first + whole(random, 0, 3));
    all.emplace_back(platforms::NodeRange(first, last));
  }
  return all;
}

}  // namespace

Description random_description(Random& random, std::int32_t most_routers) {
  Description m;
  m.name = text(random);
  if (chance(random, 2)) m.text = text(random);
  m.dimensions.resize(1 + random.below(5));
  m.cabling.resize(m.dimensions.size());
  std::int32_t size = 1;
  const bool names = chance(random, 3);
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) {
    auto& dimension = m.dimensions[d];
    set_dimension(random, dimension);
    dimension.name = names ? "dim" + std::to_string(9 - d) : platforms::dimension_name(d);
    dimension.extent = whole(random, d == 0 ? 2 : 1, 8);
    if (size * dimension.extent > most_routers) dimension.extent = d == 0 ? 2 : 1;
    size *= dimension.extent;
    if (chance(random, 4)) {
      m.cabling[d].resize(static_cast<std::size_t>(dimension.extent));
      std::iota(m.cabling[d].begin(), m.cabling[d].end(), 0);
      random.shuffle(m.cabling[d]);
    } else if (chance(random, 4)) {
      m.cabling[d] = platforms::folded_cabling(dimension.extent);
    }
  }
  for (auto& dimension : m.dimensions)
    if (!dimension.shared && chance(random, 3)) add_exceptions(random, m, dimension);
  if (chance(random, 2)) add_twist(random, m);
  if (chance(random, 3)) {
    m.routing.resize(m.dimensions.size());
    std::iota(m.routing.begin(), m.routing.end(), 0);
    random.shuffle(m.routing);
  }
  if (chance(random, 3)) add_numbering(random, m);
  if (chance(random, 3)) m.nodes_per_router = whole(random, 2, 3);
  m.node = random_node(random);
  if (node_count(m) > 3 && chance(random, 4)) m.service = ranges(random, m);
  if (node_count(m) > 3 && chance(random, 4)) m.absent = ranges(random, m);
  return m;
}

void add_failures(Random& random, Description& m, std::uint64_t count) {
  const platforms::Grid grid(m.dimensions, m.routing);
  const auto routers = static_cast<std::uint64_t>(grid.size());
  const auto at = [&](platforms::RouterId router) {
    if (chance(random, 3))
      return platforms::RouterName{.by = platforms::RouterName::By::router, .number = router.value()};
    return platforms::RouterName{.by = platforms::RouterName::By::coordinates,
                                 .at = grid.coordinates(router),
                                 .dimensions = m.dimensions.size()};
  };
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto router = platforms::RouterId(random.below(routers));
    const auto d = random.below(m.dimensions.size());
    const bool forward = chance(random, 2);
    if (chance(random, 8)) m.failed_routers.push_back(at(router));
    if (chance(random, 8))
      m.failed_routers.push_back(
          {.by = platforms::RouterName::By::node, .number = whole(random, 0, node_count(m) - 1)});
    if (chance(random, 8)) {
      const platforms::NodeId node(router.value());
      m.failed.emplace_back(platforms::NodeRange(node, node));
    }
    if (grid.has_neighbour(router, d, forward))
      m.failed_links.push_back(
          {.kind = chance(random, 2) ? platforms::LinkName::Kind::both_ways : platforms::LinkName::Kind::one_way,
           .from = at(router),
           .to = at(grid.neighbour(router, d, forward))});
  }
}

}  // namespace toroid::test
