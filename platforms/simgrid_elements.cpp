#include "platforms/simgrid_elements.hpp"

#include <algorithm>

#include "core/units.hpp"
#include "toroid/platforms/grid.hpp"

namespace toroid::platforms {
namespace {

using Properties = std::vector<std::pair<std::string, std::string>>;

std::string_view attribute(pugi::xml_node node, const char* name) {
  return node.attribute(name).value();
}

bool is_torus(pugi::xml_node cluster) {
  return attribute(cluster, "topology") == "TORUS";
}

/// How many hosts `0-15,20` are.
std::int64_t count_of(std::string_view radical) {
  std::int64_t count = 0;
  for (const auto part : core::split(radical, ',')) {
    const auto range = core::trim(part);
    const auto dash = range.find('-');
    const auto first = core::parse_number<std::int32_t>(range.substr(0, dash)),
               last = dash == std::string_view::npos ? first : core::parse_number<std::int32_t>(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first)
      core::fail_input("radical: found '{}', expected numbers of hosts such as 0-15,20", core::excerpt(radical));
    count += std::int64_t{*last} - *first + 1;
  }
  return count;
}

/// Adds what the attributes of any cluster say of its hosts. Of several speeds the first is the one at the beginning.
void add_hosts(Properties& all, pugi::xml_node cluster) {
  const auto add = [&](const char* property, const char* name) {
    if (const auto value = attribute(cluster, name); !value.empty())
      all.emplace_back(property, core::trim(value.substr(0, value.find(','))));
  };
  add("speed", "speed");
  add("cores", "core");
}

std::string inline_text(std::string text, const Properties& properties) {
  for (const auto& [name, value] : properties) text += fmt::format(",{}={}", name, value);
  return text;
}

/// The machine that is equal to a flat cluster; empty if there is none, or that cannot be told.
std::string equal_to_flat(pugi::xml_node cluster) {
  for (const char* name : {"bb_bw", "limiter_link"})
    if (cluster.attribute(name)) return {};
  if (const auto policy = attribute(cluster, "sharing_policy"); !policy.empty() && policy != "SPLITDUPLEX") return {};
  const std::string bandwidth(attribute(cluster, "bw")), latency(attribute(cluster, "lat"));
  Properties all{{"nodes-per-router", std::to_string(count_of(attribute(cluster, "radical")))},
                 {"injection-bandwidth", bandwidth},
                 {"ejection-bandwidth", bandwidth},
                 {"base-latency", core::exact_duration(2 * core::parse_duration(latency, "lat"))}};
  add_hosts(all, cluster);
  return inline_text("mesh:1", all);
}

/// The machine that is equal to a cluster; empty where that cannot be told.
std::string equal_to(pugi::xml_node cluster) try {
  const auto topology = attribute(cluster, "topology");
  if (topology.empty() || topology == "FLAT") return equal_to_flat(cluster);
  if (!is_torus(cluster)) return {};
  auto properties = torus_properties(cluster);
  std::erase_if(properties, [](const auto& p) { return p.first == "wrap" || p.first == "node-names"; });
  const auto shape = properties.front().second;
  properties.erase(properties.begin());
  return inline_text("torus:" + shape, properties);
} catch (const core::InputError&) {
  return {};
}

}  // namespace

SimgridElements::SimgridElements(pugi::xml_node platform) {
  // Zones may lie as deep within each other as anybody likes: nothing here calls itself.
  struct Walker final : pugi::xml_tree_walker {
    explicit Walker(SimgridElements& in) : found(in) {}
    bool for_each(pugi::xml_node& node) override {
      const std::string_view name = node.name();
      const bool is_host = name == "host" || name == "peer" || name == "cabinet";
      if (name == "cluster") found.clusters.push_back(node);
      if (is_host) ++found.hosts;
      if (!found.first && (is_host || name == "cluster" || name == "link" || name == "router")) found.first = node;
      return true;
    }
    SimgridElements& found;
  } walker(*this);
  platform.traverse(walker);
}

pugi::xml_node SimgridElements::torus() const {
  return hosts == 0 && clusters.size() == 1 && clusters[0] == first && is_torus(first) ? first : pugi::xml_node();
}

std::string SimgridElements::why_no_grid() const {
  std::string what = fmt::format("hosts and links that SimGrid alone can route ({} hosts)", hosts), equal;
  if (clusters.size() == 1) {
    const auto topology = attribute(clusters[0], "topology");
    what = topology.empty() || topology == "FLAT" ? "a cluster whose hosts are joined by one switch"
           : topology == "TORUS"                  ? "a cluster with TORUS topology"
                                                  : fmt::format("a cluster with {} topology", topology);
    if (hosts > 0) what += " beside other hosts";
    equal = equal_to(clusters[0]);
  } else if (!clusters.empty()) {
    what = fmt::format("{} clusters", clusters.size());
  }
  return fmt::format("found {}, expected a grid, which toroid has alone{}", what,
                     equal.empty() ? "" : fmt::format("; {} is equal to {}", equal, hosts > 0 ? "the cluster" : "it"));
}

Properties torus_properties(pugi::xml_node cluster) {
  const auto needed = [&](const char* name) {
    const auto value = attribute(cluster, name);
    if (value.empty()) core::fail_input("<cluster> needs the attribute '{}'", name);
    return std::string(value);
  };
  needed("id");
  if (const auto limiter = attribute(cluster, "limiter_link"); !limiter.empty())
    core::fail_input("limiter_link: found '{}', expected none: each hop of a message would be charged for it", limiter);
  if (const auto policy = attribute(cluster, "sharing_policy"); !policy.empty() && policy != "SPLITDUPLEX")
    core::fail_input("sharing_policy: found '{}', expected SPLITDUPLEX, a link for each way", policy);
  auto shape = needed("topo_parameters");
  std::ranges::replace(shape, ',', 'x');
  std::int64_t volume = 1;
  for (const auto extent : core::split(shape, 'x'))
    volume = std::min(2 * most_routers,
                      volume * std::clamp<std::int64_t>(
                                   core::parse_number<std::int32_t>(core::trim(extent)).value_or(1), 1, most_routers));
  const auto radical = needed("radical");
  if (const auto count = count_of(radical); count != volume)
    core::fail_input("radical: found {} hosts, expected {} as topo_parameters says", count, volume);
  Properties all{{"shape", shape},
                 {"wrap", "torus"},
                 {"bandwidth", needed("bw")},
                 {"latency", needed("lat")},
                 {"base-latency", "0s"}};
  add_hosts(all, cluster);
  const auto prefix = attribute(cluster, "prefix"), suffix = attribute(cluster, "suffix");
  const bool is_export = prefix == "node-" && suffix.empty();  // which has toroid's own numbers
  if (!is_export) all.emplace_back("node-names", fmt::format("{}[{}]{}", prefix, radical, suffix));
  // What SimGrid takes for a message of a host to itself where no link is there for it.
  const auto or_default = [&](const char* name, const char* otherwise) {
    const auto value = attribute(cluster, name);
    return std::string(value.empty() ? otherwise : value);
  };
  all.emplace_back("loopback-bandwidth", or_default("loopback_bw", "498MBps"));
  all.emplace_back("loopback-latency", or_default("loopback_lat", "15us"));
  return all;
}

}  // namespace toroid::platforms
