#include "views/timelines/busy_links.hpp"

#include <algorithm>

namespace toroid::views {

std::vector<BusyLink> busy_links(const netsim::Machine& machine, const netsim::Result& result) {
  std::vector<BusyLink> all;
  const auto& w = result.link_windows;
  if (w.windows == 0) return all;
  for (const auto& busy : result.bottlenecks()) {
    const auto found = std::find_if(result.links.begin(), result.links.end(),
                                    [&](const auto& link) { return link.link == busy.link; });
    const auto position = static_cast<std::size_t>(found - result.links.begin());
    auto& link = all.emplace_back(BusyLink{machine.link_name(busy.link), {}});
    for (std::size_t window = 0; window < w.windows; ++window) {
      const double begin = static_cast<double>(window) * w.window;
      const double seconds = std::min(w.window, result.runtime - begin);
      if (!(seconds > 0)) break;
      const double bytes = w.bytes[position * w.windows + window];
      link.use.emplace_back(begin, bytes / (machine.link_bandwidth(busy.link) * seconds));
    }
    link.use.emplace_back(result.runtime, 0);
  }
  return all;
}

}  // namespace toroid::views
