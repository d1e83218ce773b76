#include "platforms/check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "core/units.hpp"
#include "platforms/names.hpp"
#include "platforms/values.hpp"

namespace toroid::platforms {
namespace {

/// The coordinate of each place along a dimension.
std::vector<std::int32_t> coordinates_of_places(const Cabling& cabling, std::int32_t extent) {
  std::vector<std::int32_t> coordinate(static_cast<std::size_t>(extent));
  std::iota(coordinate.begin(), coordinate.end(), 0);
  for (std::size_t c = 0; c < cabling.size(); ++c)
    coordinate[static_cast<std::size_t>(cabling[c])] = static_cast<std::int32_t>(c);
  return coordinate;
}

void check_digits(const Description& m, const Report& error) {
  for (std::size_t d = 0; d < m.dimensions.size(); ++d) {
    std::int64_t places = 1;
    for (const auto& digit : m.numbering)
      if (digit.dimension == d) places *= digit.count;
    if (!m.numbering.empty() && places != m.dimensions[d].extent)
      error("numbering", fmt::format("numbering: counts {} places of dimension {}, which has {}", places,
                                     m.dimensions[d].name, m.dimensions[d].extent));
  }
}

void check_cabling(const Description& m, const Report& error) {
  for (std::size_t d = 0; d < m.dimensions.size() && d < m.cabling.size(); ++d) {
    const auto& cabling = m.cabling[d];
    Cabling places(cabling.size());
    std::iota(places.begin(), places.end(), 0);
    if (!cabling.empty() && (static_cast<std::int64_t>(cabling.size()) != m.dimensions[d].extent ||
                             !std::is_permutation(cabling.begin(), cabling.end(), places.begin())))
      error(m.dimensions[d].name + ".cabling",
            fmt::format("dimension {}: the cabling does not name each place from 0 to {} once", m.dimensions[d].name,
                        m.dimensions[d].extent - 1));
  }
}

constexpr std::int64_t most_nodes = most_routers;

/// How many numbers nodes have; of machines that are too large only that.
std::int64_t numbers_of(const Description& m) {
  std::int64_t count = m.nodes_per_router;
  for (const auto& dim : m.dimensions)
    if (count <= most_nodes) count *= std::max(dim.extent, 1);
  return count;
}

void check_parameters(const Description& m, const Report& error) {
  for (const auto& [property, value] : {std::pair("injection-bandwidth", m.node.injection_bandwidth),
                                        {"ejection-bandwidth", m.node.ejection_bandwidth},
                                        {"loopback-bandwidth", m.node.loopback_bandwidth},
                                        {"memory-bandwidth", m.node.memory_bandwidth},
                                        {"speed", m.node.speed},
                                        {"efficiency", m.node.efficiency}})
    if (!(value > 0)) error(property, fmt::format("{}: found {}, expected more than 0", property, value));
  if (m.node.efficiency > 1)
    error("efficiency", fmt::format("efficiency: found {}, expected at most 1", m.node.efficiency));
  for (const auto& [property, value] : {std::pair("base-latency", m.node.base_latency),
                                        {"loopback-latency", m.node.loopback_latency},
                                        {"overhead", m.node.overhead},
                                        {"gap", m.node.gap},
                                        {"handshake", m.node.handshake},
                                        {"copy", m.node.copy},
                                        {"reduce", m.node.reduce},
                                        {"memcpy", m.node.memcpy}})
    if (!(value >= 0) || !std::isfinite(value))
      error(property, fmt::format("{}: found {}, expected 0 or more", property, value));
  const auto packet = m.router.packet_bytes + m.router.header_bytes;
  if (const auto& buffer = m.router.buffer_bytes; buffer && *buffer < packet)
    error("router.buffer", fmt::format("router.buffer: found {} B, expected room for a packet of {} B{}", *buffer,
                                       packet, m.router.header_bytes > 0 ? ", its header included" : ""));
  if (m.node.cores < 1) error("cores", fmt::format("cores: found {}, expected at least 1", m.node.cores));
  if (m.nodes_per_router < 1)
    error("nodes-per-router", fmt::format("nodes-per-router: found {}, expected at least 1", m.nodes_per_router));
}

void check_nodes(const Description& m, const char* property, const NodeRange& range, const Report& error) {
  const auto count = numbers_of(m);
  const auto& [first, last] = range;
  if (first < 0 || last.value() >= count)
    error(property, fmt::format("{}: node {} does not exist; the machine has nodes 0 to {}", property,
                                first < 0 ? first : last, count - 1));
}

void check_nodes(const Description& m, const char* property, const std::vector<NodeSet>& sets, const Report& error) {
  for (const auto& set : sets) {
    if (const auto* range = std::get_if<NodeRange>(&set)) {
      check_nodes(m, property, *range, error);
      continue;
    }
    const auto& box = std::get<Box>(set);
    for (std::size_t d = 0; d < m.dimensions.size(); ++d)
      if (box.low[d] < 0 || box.high[d] >= m.dimensions[d].extent || box.high[d] < box.low[d])
        return error(property, fmt::format("{}: no nodes at {}; {} has the coordinates 0 to {}", property,
                                           box_text(m, box), m.dimensions[d].name, m.dimensions[d].extent - 1));
  }
}

void check_node_names(const Description& m, const Report& error) {
  if (const auto count = static_cast<std::int64_t>(m.node_names.size()); count > 0 && count != numbers_of(m))
    error("node-names",
          fmt::format("node-names: found {} names, expected {}, one for each node or -", count, numbers_of(m)));
  std::unordered_set<std::string> seen;
  for (const auto& name : m.node_names)
    if (!name.empty() && !seen.insert(name).second)
      return error("node-names", fmt::format("node-names: '{}' is there twice", core::excerpt(name)));
}

void check_placements(const Description& m, const Report& error) {
  const auto tori = torus_count(m);
  if (m.placements.size() > 1 && static_cast<std::int32_t>(m.placements.size()) != tori)
    error("placements",
          fmt::format("placements: found those of {} tori, the machine has {}", m.placements.size(), tori));
  for (const auto& of_torus : m.placements)
    for (const auto& placement : of_torus)
      for (std::size_t d = 0; d < placement.dims.size(); ++d) {
        const auto extent = d < m.dimensions.size() ? m.dimensions[d].extent : 1;
        if (placement.dims[d] > extent || placement.spacing[d] > extent || placement.seed[d] >= extent)
          return error("placements",
                       fmt::format("placements: '{}' does not fit the {} routers along dimension {} of three",
                                   placements_text({{placement}}), extent, d + 1));
      }
}

/// Warns of a dimension that is, or whose links are, a hundred times as much as the next.
void check_proportions(const Description& m, const Report& warning) {
  constexpr double far = 100;
  std::vector<const Dimension*> dims;
  for (const auto& dim : m.dimensions)
    if (dim.extent > 1) dims.push_back(&dim);
  if (dims.size() < 2) return;
  std::ranges::stable_sort(dims, [](auto* a, auto* b) { return a->extent > b->extent; });
  if (dims[0]->extent >= far * dims[1]->extent)
    warning("shape", fmt::format("dimension {} has {} places, the next largest {}: was that meant?", dims[0]->name,
                                 dims[0]->extent, dims[1]->extent));
  std::ranges::stable_sort(dims, [](auto* a, auto* b) { return a->capacity() > b->capacity(); });
  if (dims[0]->capacity() >= far * dims.back()->capacity())
    warning(dims[0]->name + ".bandwidth",
            fmt::format("links along {} have {}, along {} {}: was a unit meant to be another?", dims[0]->name,
                        core::format_bandwidth(dims[0]->capacity()), dims.back()->name,
                        core::format_bandwidth(dims.back()->capacity())));
}

}  // namespace

void check_numbering(const Description& m, const Report& error) {
  check_digits(m, error);
  check_cabling(m, error);
}

std::vector<RouterId> numbered_routers(const Description& m, const Grid& grid) {
  std::vector<RouterId> routers(grid.routers().begin(), grid.routers().end());
  const bool is_straight = std::ranges::all_of(m.cabling, [](const Cabling& c) { return c.empty(); });
  TOROID_ASSERT(m.dimensions.size() == grid.dimension_count());
  if (m.numbering.empty() && is_straight) return routers;
  auto digits = m.numbering;
  std::vector<std::vector<std::int32_t>> coordinate;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const std::int32_t extent = grid.dimension(d).extent;
    if (m.numbering.empty()) digits.push_back({d, extent});
    coordinate.push_back(coordinates_of_places(d < m.cabling.size() ? m.cabling[d] : Cabling{}, extent));
  }
  std::erase_if(digits, [](const NumberingDigit& digit) { return digit.count == 1; });
  for (auto& router : routers) {
    Coordinates place{}, weight{};
    weight.fill(1);
    std::int32_t rest = router.value();  // so far its number
    for (const auto& [d, count] : digits) {
      place[d] += rest % count * weight[d];
      weight[d] *= count;
      rest /= count;
    }
    for (std::size_t d = 0; d < grid.dimension_count(); ++d)
      place[d] = coordinate[d][static_cast<std::size_t>(place[d])];
    router = grid.router_at(place);
  }
  return routers;
}

void check_router(const Description& m, const char* property, const RouterName& name, const Report& error) {
  if (name.by == RouterName::By::node || name.by == RouterName::By::number)
    return check_nodes(m, property, NodeRange(name.number, name.number), error);
  bool exists = name.number >= 0 && name.number < numbers_of(m) / std::max(m.nodes_per_router, 1);
  if (name.by == RouterName::By::coordinates) {
    exists = name.dimensions == m.dimensions.size();
    for (std::size_t d = 0; d < m.dimensions.size(); ++d)
      exists = exists && name.at[d] >= 0 && name.at[d] < m.dimensions[d].extent;
  }
  if (!exists) error(property, fmt::format("{}: the machine has no router {}", property, to_string(name)));
}

void check_failed_link(const Description& m, const LinkName& name, const Report& error) {
  if (name.kind == LinkName::Kind::injection || name.kind == LinkName::Kind::ejection)
    error("failed-links", fmt::format("failed-links: '{}' fails with its node only: fail-node {}", link_text(m, name),
                                      to_string(name.from)));
  const bool has_end = name.kind == LinkName::Kind::both_ways || name.kind == LinkName::Kind::one_way;
  check_router(m, "failed-links", name.from, error);
  if (has_end) check_router(m, "failed-links", name.to, error);
}

void check_machine(const Description& m, const Report& error) {
  check_grid(m.dimensions, error);
  check_parameters(m, error);
  check_numbering(m, error);
  if (numbers_of(m) > most_nodes)
    error("nodes-per-router", fmt::format("the machine is too large: more than {} nodes", most_nodes));
  check_nodes(m, "service-nodes", m.service, error);
  check_nodes(m, "absent-nodes", m.absent, error);
  check_nodes(m, "failed-nodes", m.failed, error);
  check_node_names(m, error);
  check_placements(m, error);
  for (const auto& link : m.failed_links) check_failed_link(m, link, error);
  for (const auto& name : m.failed_routers) check_router(m, "failed-routers", name, error);
}

void check_plausible(const Description& m, const Report& warning) {
  check_proportions(m, warning);
  double fastest = 0;
  for (const auto& dim : m.dimensions) {
    fastest = std::max(fastest, dim.capacity());
    if (dim.latency >= 20e-6)
      warning(dim.name + ".latency",
              fmt::format("{} for one hop: hops take some 100ns, was that meant?", core::format_duration(dim.latency)));
    if (dim.bandwidth < 1e6)
      warning(dim.name + ".bandwidth", fmt::format("{} is slow for a link: was a unit such as MBps or GBps meant?",
                                                   core::format_bandwidth(dim.bandwidth)));
    for (const auto& exception : dim.exceptions)
      if (dim.wrap == Wrap::mesh && exception.at.size() == 1 && exception.at[0].first == dim.extent - 1)
        warning(dim.name + ".exceptions",
                fmt::format("position {} is the wrap, which a mesh does not have", exception.at[0].first));
    if (dim.wrap == Wrap::torus && dim.extent == 2)
      warning(dim.name + ".wrap", "a torus of extent 2 has two links between the same routers, each way");
  }
  const double injection = std::min(m.node.injection_bandwidth, m.node.ejection_bandwidth);
  if (fastest >= 100 * injection)
    warning("injection-bandwidth",
            fmt::format("links of {} are more than 100 times as fast as what one node can use ({})",
                        core::format_bandwidth(fastest), core::format_bandwidth(injection)));
  if (m.node.base_latency >= 1e-3)
    warning("base-latency", fmt::format("{} for a message: some 1us is usual, was that meant?",
                                        core::format_duration(m.node.base_latency)));
  double slowest = injection;
  for (const auto& dim : m.dimensions) slowest = std::min(slowest, dim.capacity());
  if (m.node.loopback_bandwidth * 10 <= slowest)
    warning("loopback-bandwidth",
            fmt::format("{} between ranks of one node are less than a tenth of what the network has ({}): was a unit "
                        "meant to be another?",
                        core::format_bandwidth(m.node.loopback_bandwidth), core::format_bandwidth(slowest)));
  constexpr double accelerator = 1e12;
  if (m.node.speed >= accelerator && !m.provenance.sources.contains("speed"))
    warning("speed",
            fmt::format("{} flop/s are those of an accelerator, not of a core: was that meant?", m.node.speed));
  if (m.node.speed < 1e6) warning("speed", fmt::format("{} flop/s is slow for a core: was Gf meant?", m.node.speed));
}

}  // namespace toroid::platforms
