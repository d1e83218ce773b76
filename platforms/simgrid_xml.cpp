// A machine for plain SimGrid users: the TORUS cluster, where it fits.

#include <pugixml.hpp>
#include <sstream>

#include "core/error.hpp"
#include "platforms/machine.hpp"

namespace toroid::platforms {
namespace {

void require_plain_torus(const Machine& machine) {
  const auto& grid = machine.grid();
  const auto refuse = [&](std::string_view reason) {
    core::fail_input("'{}' does not fit SimGrid's torus cluster: {}", machine.name(), reason);
  };
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).wrap != Wrap::torus) refuse("dimension " + dimension_name(d) + " does not wrap both ways");
    if (grid.dimension(d).bandwidth != grid.dimension(0).bandwidth) refuse("bandwidths differ between dimensions");
    if (grid.dimension(d).latency != grid.dimension(0).latency) refuse("latencies differ between dimensions");
  }
  if (machine.limits_injection() || machine.limits_ejection()) refuse("its limiter would be charged on every hop");
  if (machine.parameters().base_latency > 0) refuse("it has no latency paid once per message");
}

}  // namespace

std::string export_simgrid_xml(const Machine& machine) {
  require_plain_torus(machine);
  const auto& grid = machine.grid();
  const auto& node = machine.parameters();
  std::string shape;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    shape += (d == 0 ? "" : ",") + std::to_string(grid.dimension(d).extent);

  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  document.append_child(pugi::node_doctype).set_value("platform SYSTEM \"https://simgrid.org/simgrid.dtd\"");
  auto platform = document.append_child("platform");
  platform.append_attribute("version") = "4.1";
  auto cluster = platform.append_child("cluster");
  const auto set = [&](const char* name, const std::string& value) { cluster.append_attribute(name) = value.c_str(); };
  set("id", "torus");
  set("prefix", "node-");
  set("suffix", "");
  set("radical", fmt::format("0-{}", machine.node_count() - 1));
  set("topology", "TORUS");
  set("topo_parameters", shape);
  set("speed", fmt::format("{}f", node.speed));
  set("core", std::to_string(node.cores));
  set("bw", fmt::format("{}Bps", grid.dimension(0).bandwidth));
  set("lat", fmt::format("{}s", grid.dimension(0).latency));
  set("sharing_policy", "SPLITDUPLEX");
  set("loopback_bw", fmt::format("{}Bps", node.loopback_bandwidth));
  set("loopback_lat", fmt::format("{}s", node.loopback_latency));
  std::ostringstream text;
  document.save(text, "  ");
  return text.str();
}

}  // namespace toroid::platforms
