#include "cosim/link_loads.hpp"

#include "toroid/netsim/result.hpp"

namespace toroid::cosim {
namespace {

using core::Json;

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

const core::Object<LinkLoadsOverTime::Window> window_object{
    "window",
    {{"begin_s", "seconds", "since the beginning of the log", &LinkLoadsOverTime::Window::begin},
     {"seconds", "seconds", "its length", &LinkLoadsOverTime::Window::seconds},
     {"bytes", "bytes", "of all links of the grid", &LinkLoadsOverTime::Window::bytes},
     {"mean_utilization", "share", "of what these links can carry", &LinkLoadsOverTime::Window::mean_utilization},
     {"max_utilization", "share", "of the busiest link", &LinkLoadsOverTime::Window::max_utilization},
     {"busiest", "text", "the name of that link",
      [](auto& w) { return w.busiest.empty() ? Json() : Json(w.busiest); }}}};

const core::Object<LinkLoadsOverTime::Link> loaded_link_object{
    "loaded link",
    {{"link", "count", "its number", &LinkLoadsOverTime::Link::link},
     {"name", "text", "its name", &LinkLoadsOverTime::Link::name},
     {"bytes", "bytes", "in all", &LinkLoadsOverTime::Link::bytes},
     {"bytes_by_window", "list of bytes", "in each window", &LinkLoadsOverTime::Link::bytes_by_window}}};

const core::Object<LinkLoadsOverTime> link_loads_object{
    "link loads",
    {{"window_s", "seconds", "the length of a window", &LinkLoadsOverTime::window},
     {"windows", "list of window", "from the beginning of the log on",
      [](auto& loads) { return window_object.list(loads.windows); }},
     {"links", "list of loaded link", "every link that carried anything",
      [](auto& loads) { return loaded_link_object.list(loads.links); }}}};

}  // namespace

LinkLoadsOverTime link_loads_over_time(const netsim::LinkUsage& usage, const platforms::Machine& machine,
                                       const netsim::Time& end) {
  const auto equal = usage.windows_until(end);
  LinkLoadsOverTime loads{equal.seconds, windows_of(equal, end.seconds()), {}};
  std::vector<Sums> sums(loads.windows.size());
  for (const LinkId link : machine.links()) {
    if (!machine.is_of_grid(link) || !machine.link_exists(link)) continue;
    auto bytes = usage.bytes_by_window(link, end);
    TOROID_ASSERT(bytes.size() == sums.size());
    for (std::size_t w = 0; w < sums.size(); ++w) {
      auto& window = loads.windows[w];
      TOROID_ASSERT(bytes[w] >= 0);
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
  return link_loads_object(loads);
}

std::vector<core::ObjectText> link_loads_objects() {
  return {link_loads_object, window_object, loaded_link_object};
}

}  // namespace toroid::cosim
