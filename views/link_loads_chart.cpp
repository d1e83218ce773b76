#include "views/link_loads_chart.hpp"

#include <fmt/format.h>

#include "views/axes.hpp"

namespace toroid::views {

LineChart link_loads_chart(const cosim::LinkLoadsOverTime& loads, const std::string& title) {
  const double last = loads.windows.empty() ? 0 : loads.windows.back().begin + loads.windows.back().seconds;
  const auto unit = time_unit(last);
  LineChart chart{
      title, "", fmt::format("time since the beginning of the log [{}]", unit.name), "utilisation of links [%]", {}};
  chart.lines = {{"all links", {}}, {"the busiest", {}}};
  for (const auto& window : loads.windows) {
    const double middle = window.begin + window.seconds / 2;
    const double mean = 100 * window.mean_utilization, most = 100 * window.max_utilization;
    const auto busiest = window.busiest.empty() ? "" : ", " + window.busiest;
    chart.lines[0].points.push_back({middle / unit.seconds, mean, fmt::format("{:.6g} s: {:.3g} %", middle, mean)});
    chart.lines[1].points.push_back(
        {middle / unit.seconds, most, fmt::format("{:.6g} s: {:.3g} %{}", middle, most, busiest)});
  }
  return chart;
}

}  // namespace toroid::views
