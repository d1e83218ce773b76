#include "cosim/link_loads.hpp"

#include <algorithm>

namespace toroid::cosim {
namespace {

using core::Json;
using platforms::LinkId;

/// A part of the run.
struct Window {
  double begin, seconds;
  double bytes = 0, capacity = 0, max_utilization = 0;
  LinkId busiest = LinkId::none();

  void add(LinkId link, double link_bytes, double link_capacity) {
    bytes += link_bytes;
    capacity += link_capacity;
    const double utilization = link_capacity > 0 ? link_bytes / link_capacity : 0;
    if (utilization <= max_utilization) return;
    max_utilization = utilization;
    busiest = link;
  }
};

std::vector<Window> windows_of(const netsim::LinkUsage::Windows& equal, double end) {
  std::vector<Window> windows;
  for (std::size_t w = 0; w < equal.count; ++w) {
    const double begin = equal.seconds * static_cast<double>(w);
    windows.push_back({begin, std::min(equal.seconds, end - begin)});
  }
  return windows;
}

Json windows_json(const std::vector<Window>& windows, const platforms::Machine& machine) {
  Json json = Json::array();
  for (const auto& window : windows)
    json.push_back({{"begin_s", window.begin},
                    {"seconds", window.seconds},
                    {"bytes", window.bytes},
                    {"mean_utilization", window.capacity > 0 ? window.bytes / window.capacity : 0},
                    {"max_utilization", std::min(1.0, window.max_utilization)},
                    {"busiest", window.busiest == LinkId::none() ? Json() : Json(machine.link_name(window.busiest))}});
  return json;
}

}  // namespace

Json link_loads_json(const netsim::LinkUsage& usage, const platforms::Machine& machine, const netsim::Time& end) {
  const auto equal = usage.windows_until(end);
  auto windows = windows_of(equal, end.seconds());
  Json links = Json::array();
  for (const LinkId link : machine.links()) {
    if (!machine.is_of_grid(link) || !machine.link_exists(link)) continue;
    const auto bytes = usage.bytes_by_window(link, end);
    for (std::size_t w = 0; w < windows.size(); ++w)
      windows[w].add(link, bytes[w], usage.capacity(link, windows[w].begin, windows[w].seconds));
    if (const auto load = usage.load(link, end); load.bytes > 0)
      links.push_back({{"link", link.value()},
                       {"name", machine.link_name(link)},
                       {"bytes", load.bytes},
                       {"bytes_by_window", bytes}});
  }
  return {{"window_s", equal.seconds}, {"windows", windows_json(windows, machine)}, {"links", links}};
}

}  // namespace toroid::cosim
