#include "cosim/link_loads.hpp"

#include <algorithm>

namespace toroid::cosim {
namespace {

using core::Json;
using platforms::LinkId;

/// What is added up for a window.
struct Sums {
  double capacity = 0, most = 0;
  LinkId busiest = LinkId::none();

  void add(LinkId link, double bytes, double link_capacity) {
    capacity += link_capacity;
    const double utilization = link_capacity > 0 ? bytes / link_capacity : 0;
    if (utilization <= most) return;
    most = utilization;
    busiest = link;
  }
};

std::vector<LinkLoadsOverTime::Window> windows_of(const netsim::LinkUsage::Windows& equal, double end) {
  std::vector<LinkLoadsOverTime::Window> windows;
  for (std::size_t w = 0; w < equal.count; ++w) {
    const double begin = equal.seconds * static_cast<double>(w);
    windows.push_back({begin, std::min(equal.seconds, end - begin)});
  }
  return windows;
}

}  // namespace

LinkLoadsOverTime link_loads_over_time(const netsim::LinkUsage& usage, const platforms::Machine& machine,
                                       const netsim::Time& end) {
  const auto equal = usage.windows_until(end);
  LinkLoadsOverTime loads{equal.seconds, windows_of(equal, end.seconds()), {}};
  std::vector<Sums> sums(loads.windows.size());
  for (const LinkId link : machine.links()) {
    if (!machine.is_of_grid(link) || !machine.link_exists(link)) continue;
    auto bytes = usage.bytes_by_window(link, end);
    for (std::size_t w = 0; w < sums.size(); ++w) {
      auto& window = loads.windows[w];
      window.bytes += bytes[w];
      sums[w].add(link, bytes[w], usage.capacity(link, window.begin, window.seconds));
    }
    if (const auto load = usage.load(link, end); load.bytes > 0)
      loads.links.push_back({link, machine.link_name(link), load.bytes, std::move(bytes)});
  }
  for (std::size_t w = 0; w < sums.size(); ++w) {
    auto& window = loads.windows[w];
    window.mean_utilization = sums[w].capacity > 0 ? window.bytes / sums[w].capacity : 0;
    window.max_utilization = std::min(1.0, sums[w].most);
    if (sums[w].busiest != LinkId::none()) window.busiest = machine.link_name(sums[w].busiest);
  }
  return loads;
}

Json link_loads_json(const LinkLoadsOverTime& loads) {
  Json windows = Json::array(), links = Json::array();
  for (const auto& window : loads.windows)
    windows.push_back({{"begin_s", window.begin},
                       {"seconds", window.seconds},
                       {"bytes", window.bytes},
                       {"mean_utilization", window.mean_utilization},
                       {"max_utilization", window.max_utilization},
                       {"busiest", window.busiest.empty() ? Json() : Json(window.busiest)}});
  for (const auto& link : loads.links)
    links.push_back({{"link", link.link.value()},
                     {"name", link.name},
                     {"bytes", link.bytes},
                     {"bytes_by_window", link.bytes_by_window}});
  return {{"window_s", loads.window}, {"windows", windows}, {"links", links}};
}

}  // namespace toroid::cosim
