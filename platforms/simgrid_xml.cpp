// A machine for plain SimGrid users: a TORUS cluster where it fits, else hosts, links and every route.

#include <algorithm>
#include <set>

#include "core/error.hpp"
#include "core/units.hpp"
#include "platforms/machine.hpp"
#include "platforms/xml_frame.hpp"

namespace toroid::platforms {
namespace {

constexpr double unlimited = 1e18;  ///< bytes/s; SimGrid knows no infinity
constexpr NodeId most_nodes_with_routes = 256;

/// What about the machine keeps it from being a torus cluster of SimGrid's; empty if it is one. SimGrid's wraps, is
/// uniform, charges its limiter on every hop and has no latency that is paid once.
std::string why_no_cluster(const Machine& machine) {
  const auto& grid = machine.grid();
  const auto& m = machine.description();
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto& dim = grid.dimension(d);
    if (dim.wrap != Wrap::torus) return "dimension " + dim.name + " does not wrap both ways";
    if (dim.bandwidth != grid.dimension(0).bandwidth) return "bandwidths differ between dimensions";
    if (dim.latency != grid.dimension(0).latency) return "latencies differ between dimensions";
    if (dim.links > 1 || dim.shared || dim.is_twisted() || !dim.exceptions.empty())
      return "the links of dimension " + dim.name + " are not plain ones";
    if (grid.order()[d] != d) return "its routes take the dimensions in another order";
  }
  if (machine.limits_injection() || machine.limits_ejection()) return "it limits injection or ejection";
  if (machine.parameters().base_latency > 0) return "it has a latency paid once per message";
  if (m.nodes_per_router > 1) return "it has several nodes per router";
  if (static_cast<NodeId>(machine.compute_nodes().size()) < machine.node_count() || !m.failed_links.empty())
    return "some of its nodes or links do not work";
  for (NodeId node = 0; node < machine.node_count(); ++node)
    if (machine.router(node) != node) return "its nodes are numbered in another order";
  return {};
}

void set(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name) = value.c_str();
}

std::string host_name(NodeId node) {
  return fmt::format("node-{}", node);
}

void add_cluster(pugi::xml_node platform, const Machine& machine) {
  const auto& grid = machine.grid();
  const auto& node = machine.parameters();
  std::string shape;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    shape += (d == 0 ? "" : ",") + std::to_string(grid.dimension(d).extent);
  auto cluster = platform.append_child("cluster");
  set(cluster, "id", "torus");
  set(cluster, "prefix", "node-");
  set(cluster, "suffix", "");
  set(cluster, "radical", fmt::format("0-{}", machine.node_count() - 1));
  set(cluster, "topology", "TORUS");
  set(cluster, "topo_parameters", shape);
  set(cluster, "speed", core::exact_speed(node.speed));
  set(cluster, "core", std::to_string(node.cores));
  set(cluster, "bw", core::exact_bandwidth(grid.dimension(0).bandwidth));
  set(cluster, "lat", core::exact_duration(grid.dimension(0).latency));
  set(cluster, "sharing_policy", "SPLITDUPLEX");
  set(cluster, "loopback_bw", core::exact_bandwidth(std::min(node.loopback_bandwidth, unlimited)));
  set(cluster, "loopback_lat", core::exact_duration(node.loopback_latency));
}

/// Writes a zone with every route. Latencies are on links of their own, which all routes with the same latency share
/// without contention: so a shared line can cost by the hop, and a message pays the base latency once.
class ZoneWriter {
 public:
  ZoneWriter(pugi::xml_node platform, const Machine& machine) : machine_(machine) {
    zone_ = platform.append_child("zone");
    set(zone_, "id", "toroid");
    set(zone_, "routing", "Full");
  }

  void write() {
    for (const NodeId node : machine_.compute_nodes()) add_host(node);
    for (LinkId link = 0; link < machine_.link_count(); ++link)
      if (machine_.link_exists(link)) add_link(link_name(link), machine_.link_bandwidth(link), 0, "SHARED");
    std::set<double> latencies;
    for_each_pair([&](NodeId from, NodeId to) { latencies.insert(machine_.latency(from, to)); });
    for (const double latency : latencies) add_link(delay_name(latency), unlimited, latency, "FATPIPE");
    add_link("loopback", machine_.parameters().loopback_bandwidth, machine_.parameters().loopback_latency, "FATPIPE");
    for_each_pair([&](NodeId from, NodeId to) { add_route(from, to); });
    for (const NodeId node : machine_.compute_nodes()) add_route(node, node);
  }

 private:
  template <class Visit>
  void for_each_pair(Visit visit) const {
    for (const NodeId from : machine_.compute_nodes())
      for (const NodeId to : machine_.compute_nodes())
        if (from != to) visit(from, to);
  }

  static std::string link_name(LinkId link) { return fmt::format("link-{}", link); }
  static std::string delay_name(double latency) { return "latency-" + core::exact_duration(latency); }

  void add_host(NodeId node) {
    auto host = zone_.append_child("host");
    set(host, "id", host_name(node));
    set(host, "speed", core::exact_speed(machine_.parameters().speed));
    set(host, "core", std::to_string(machine_.parameters().cores));
  }

  void add_link(const std::string& name, double bandwidth, double latency, const char* sharing) {
    auto link = zone_.append_child("link");
    set(link, "id", name);
    set(link, "bandwidth", core::exact_bandwidth(std::min(bandwidth, unlimited)));
    set(link, "latency", core::exact_duration(latency));
    set(link, "sharing_policy", sharing);
  }

  void add_route(NodeId from, NodeId to) {
    auto route = zone_.append_child("route");
    set(route, "src", host_name(from));
    set(route, "dst", host_name(to));
    set(route, "symmetrical", "NO");
    const auto add = [&](const std::string& name) { set(route.append_child("link_ctn"), "id", name); };
    machine_.for_each_link(from, to, [&](LinkId link) { add(link_name(link)); });
    add(from == to ? "loopback" : delay_name(machine_.latency(from, to)));
  }

  const Machine& machine_;
  pugi::xml_node zone_;
};

}  // namespace

std::string export_simgrid_xml(const Machine& machine) {
  const auto reason = why_no_cluster(machine);
  if (!reason.empty() && machine.node_count() > most_nodes_with_routes)
    core::fail_input(
        "'{}' does not fit SimGrid's torus cluster ({}), and with {} nodes it is too large to write every "
        "route (at most {}); libtoroid_platform.so gives it to SimGrid without a file",
        machine.name(), reason, machine.node_count(), most_nodes_with_routes);
  pugi::xml_document document;
  const auto platform = add_platform(document);
  if (reason.empty())
    add_cluster(platform, machine);
  else
    ZoneWriter(platform, machine).write();
  return text_of(document);
}

}  // namespace toroid::platforms
