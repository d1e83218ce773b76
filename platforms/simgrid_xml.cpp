// A machine for plain SimGrid users: a TORUS cluster where it fits, else hosts, links and the ways between them.

#include <algorithm>
#include <set>

#include "core/units.hpp"
#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {
namespace {

constexpr double unlimited = 1e18;  ///< bytes/s; SimGrid knows no infinity
constexpr std::int64_t most_entries = 10'000'000;

/// What smpirun and SimGrid set otherwise is for clusters on the Internet (docs/explanation/engines.md). An option
/// --cfg=KEY:VALUE overrides it.
constexpr std::string_view frame_start = R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="network/crosstraffic" value="0"/>
    <prop id="network/TCP-gamma" value="0"/>
    <prop id="network/weight-S" value="0"/>
    <prop id="network/optim" value="Full"/>
    <prop id="network/latency-factor" value="1"/>
    <prop id="network/bandwidth-factor" value="1"/>
    <prop id="smpi/lat-factor" value="0:1"/>
    <prop id="smpi/bw-factor" value="0:1"/>
  </config>
)";
constexpr std::string_view frame_end = "</platform>\n";

/// Whether the machine is a torus cluster of SimGrid's, which wraps, is uniform, charges its limiter on every hop and
/// has no latency that is paid once.
bool is_cluster(const Machine& machine) {
  const auto& grid = machine.grid();
  const auto& m = machine.description();
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    const auto& dim = grid.dimension(d);
    if (dim.wrap != Wrap::torus || dim.links > 1 || dim.shared || dim.is_twisted() || !dim.exceptions.empty() ||
        dim.bandwidth != grid.dimension(0).bandwidth || dim.latency != grid.dimension(0).latency ||
        grid.order()[d] != d)
      return false;
  }
  if (machine.limits_injection() || machine.limits_ejection() || machine.parameters().base_latency > 0) return false;
  if (m.nodes_per_router > 1 || !m.failed_links.empty()) return false;
  for (const NodeId node : machine.nodes())
    if (machine.router(node).value() != node.value() || !machine.computes(node)) return false;
  return true;
}

std::string cluster(const Machine& machine) {
  const auto& grid = machine.grid();
  const auto& node = machine.parameters();
  std::string shape;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    shape += fmt::format("{}{}", d == 0 ? "" : ",", grid.dimension(d).extent);
  return fmt::format(
      "  <cluster id=\"torus\" prefix=\"node-\" suffix=\"\" radical=\"0-{}\" topology=\"TORUS\" topo_parameters=\"{}\" "
      "speed=\"{}\" core=\"{}\" bw=\"{}\" lat=\"{}\" sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"{}\" "
      "loopback_lat=\"{}\"/>\n",
      machine.node_count() - 1, shape, core::exact_speed(node.reached_speed()), node.cores,
      core::exact_bandwidth(grid.dimension(0).bandwidth), core::exact_duration(grid.dimension(0).latency),
      core::exact_bandwidth(std::min(node.loopback_bandwidth, unlimited)), core::exact_duration(node.loopback_latency));
}

/// Writes a zone in which SimGrid finds our routes.
///
/// Where routes go in dimension order, SimGrid puts them together from the ways along each dimension. Each router
/// stands in the file once per stage of a route: at stage k a message has its way along the first k dimensions behind
/// it. One step leads from a router at stage k to each router of its line at stage k + 1, over the links between the
/// two; a host is joined to its router's first and last stage. So from host to host there is one way through the
/// stages, and it takes the links of our route. SimGrid looks for the way with the fewest entries. Through another host
/// it would go through all stages twice: that is more, since every step has an entry for its latency, and by links
/// alone nothing is shorter than our route. N nodes in lines of n take N * n steps instead of N^2 routes.
///
/// A route round a failure is written from host to host, with as many more entries as the stages have, so that it, too,
/// serves nothing but itself. Twisted machines, and failures beside shared lines, are written route by route.
///
/// Latencies are on links of their own, which all steps with the same latency share without contention: so a shared
/// line can cost by the hop, and a message pays the base latency once.
class ZoneWriter {
 public:
  explicit ZoneWriter(const Machine& machine) : machine_(machine), grid_(machine.grid()) {}

  std::string run() {
    for (const NodeId node : machine_.compute_nodes())
      text_ += fmt::format("    <host id=\"node-{}\" speed=\"{}\" core=\"{}\"/>\n", node,
                           core::exact_speed(machine_.parameters().reached_speed()), machine_.parameters().cores);
    for (const LinkId link : machine_.links())
      if (machine_.link_exists(link)) add_link(link_name(link), machine_.link_bandwidth(link), 0, "SHARED");
    add_link("loopback", machine_.parameters().loopback_bandwidth, machine_.parameters().loopback_latency, "FATPIPE");
    const bool has_stages = goes_in_order();
    if (has_stages)
      write_stages();
    else
      for_each_pair([&](NodeId from, NodeId to) { add_route(from, to, 0); });
    for (const NodeId node : machine_.compute_nodes()) add_way(host(node), host(node), {"loopback"});
    for (const double latency : latencies_) add_link(delay_name(latency), unlimited, latency, "FATPIPE");
    std::string props;  // SimGrid passes them over, and platforms::read_xml() reads them again
    for (const auto& [name, value] : properties(machine_.description()))
      props += fmt::format("    <prop id=\"{}\" value=\"{}\"/>\n", name, core::escape_markup(value));
    return fmt::format("  <zone id=\"toroid\" routing=\"{}\">\n{}{}{}  </zone>\n",
                       has_stages ? "DijkstraCache" : "Full", props, text_, ways_);
  }

 private:
  using Names = std::vector<std::string>;

  static std::string host(NodeId node) { return fmt::format("node-{}", node); }
  static std::string link_name(LinkId link) { return fmt::format("link-{}", link); }
  static std::string delay_name(double latency) { return "latency-" + core::exact_duration(latency); }
  static std::string stage_name(RouterId router, std::size_t stage) {
    return fmt::format("router-{}-{}", router, stage);
  }

  bool goes_in_order() const {
    const auto& m = machine_.description();
    const auto any = [&](auto what) { return std::ranges::any_of(m.dimensions, what); };
    const bool has_failures = !m.failed_links.empty() || !m.failed_routers.empty();
    return !any([](const Dimension& d) { return d.is_twisted(); }) &&
           !(has_failures && any([](const Dimension& d) { return d.shared; }));
  }

  template <class Visit>
  void for_each_pair(Visit visit) const {
    for (const NodeId from : machine_.compute_nodes())
      for (const NodeId to : machine_.compute_nodes())
        if (from != to) visit(from, to);
  }

  void add_link(const std::string& name, double bandwidth, double latency, const char* sharing) {
    text_ += fmt::format("    <link id=\"{}\" bandwidth=\"{}\" latency=\"{}\" sharing_policy=\"{}\"/>\n", name,
                         core::exact_bandwidth(std::min(bandwidth, unlimited)), core::exact_duration(latency), sharing);
  }

  void add_way(const std::string& from, const std::string& to, const Names& links) {
    entries_ += static_cast<std::int64_t>(links.size());
    if (entries_ > most_entries)
      core::fail_input(
          "'{}': its routes take more than {} million entries in a file; libtoroid_platform.so gives it to SimGrid "
          "without one",
          machine_.name(), most_entries / 1'000'000);
    ways_ += fmt::format("    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", from, to);
    for (const auto& link : links) ways_ += fmt::format("<link_ctn id=\"{}\"/>", link);
    ways_ += "</route>\n";
  }

  std::string delay(double latency) {
    latencies_.insert(latency);
    return delay_name(latency);
  }

  /// The route of two nodes, with its latency, as so many entries more.
  void add_route(NodeId from, NodeId to, std::size_t more_entries) {
    Names links;
    machine_.for_each_link(from, to, [&](LinkId link) { links.push_back(link_name(link)); });
    links.push_back(delay(machine_.latency(from, to)));
    for (std::size_t i = 0; i < more_entries; ++i) links.push_back(delay(0));
    add_way(host(from), host(to), links);
  }

  using Reached = core::IdVector<RouterId, char>;

  void write_stages() {
    // What no host can reach must not be in the file: SimGrid 3.32 would take it for near.
    Reached reached(grid_.size(), 0);
    for (const NodeId node : machine_.compute_nodes()) reached[machine_.router(node)] = 1;
    add_stage(reached, 0);
    for (std::size_t stage = 0; stage < grid_.dimension_count(); ++stage) {
      reached = add_steps(reached, stage);
      add_stage(reached, stage + 1);
    }
    for (const NodeId node : machine_.compute_nodes()) join(node);
    if (machine_.description().failed_links.empty() && machine_.description().failed_routers.empty()) return;
    for_each_pair([&](NodeId from, NodeId to) {
      if (!works(machine_.router(from), machine_.router(to))) add_route(from, to, grid_.dimension_count() + 1);
    });
  }

  void add_stage(const Reached& reached, std::size_t stage) {
    for (const RouterId router : grid_.routers())
      if (reached[router] != 0) text_ += fmt::format("    <router id=\"{}\"/>\n", stage_name(router, stage));
  }

  /// The steps along the dimension that routes take at a stage, from the routers that are reached there. Returns those
  /// that are reached at the next.
  Reached add_steps(const Reached& reached, std::size_t stage) {
    const auto d = grid_.order()[stage];
    Reached next(reached.size(), 0);
    for (const RouterId from : grid_.routers()) {
      if (reached[from] == 0) continue;
      auto at = grid_.coordinates(from);
      for (at[d] = 0; at[d] < grid_.dimension(d).extent; ++at[d]) {
        const auto to = grid_.router_at(at);
        if (!works(from, to)) continue;
        Names links;
        grid_.for_each_link(from, to, [&](LinkId link) { links.push_back(link_name(link)); });
        links.push_back(delay(grid_.latency(from, to)));
        add_way(stage_name(from, stage), stage_name(to, stage + 1), links);
        next[to] = 1;
      }
    }
    return next;
  }

  /// Whether nothing failed on the dimension-order route.
  bool works(RouterId from, RouterId to) const {
    bool all = machine_.router_works(from) && machine_.router_works(to);
    grid_.for_each_link(from, to, [&](LinkId link) { all = all && machine_.link_exists(link); });
    return all;
  }

  /// A host to its router's first stage, and from the last one back.
  void join(NodeId node) {
    Names in{delay(machine_.parameters().base_latency)}, out{delay(0)};
    if (machine_.limits_injection()) in.push_back(link_name(machine_.injection_link(node)));
    if (machine_.limits_ejection()) out.push_back(link_name(machine_.ejection_link(node)));
    const auto router = machine_.router(node);
    add_way(host(node), stage_name(router, 0), in);
    add_way(stage_name(router, grid_.dimension_count()), host(node), out);
  }

  const Machine& machine_;
  const Grid& grid_;
  std::string text_, ways_;     ///< hosts, routers and links; what comes after them
  std::set<double> latencies_;  ///< the latencies of the links that delay
  std::int64_t entries_ = 0;
};

}  // namespace

std::string export_simgrid_xml(const Machine& machine) {
  std::string text(frame_start);
  text += is_cluster(machine) ? cluster(machine) : ZoneWriter(machine).run();
  return text += frame_end;
}

}  // namespace toroid::platforms
