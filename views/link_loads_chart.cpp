#include "views/link_loads_chart.hpp"

#include <fmt/format.h>

namespace toroid::views {

LineChart link_loads_chart(const core::Json& link_loads, const std::string& title) {
  LineChart chart{title, "", "s since the beginning of the log", "utilisation of links in %", {}};
  chart.lines = {{"all links", {}}, {"the busiest", {}}};
  const auto& windows = link_loads.at("windows");
  for (const auto& window : windows) {
    const double middle = window.at("begin_s").get<double>() + window.at("seconds").get<double>() / 2;
    const double mean = 100 * window.at("mean_utilization").get<double>();
    const double most = 100 * window.at("max_utilization").get<double>();
    const auto busiest = window.at("busiest").is_null() ? "" : ", " + window.at("busiest").get<std::string>();
    chart.lines[0].points.push_back({middle, mean, fmt::format("{:.6g} s: {:.3g} %", middle, mean)});
    chart.lines[1].points.push_back({middle, most, fmt::format("{:.6g} s: {:.3g} %{}", middle, most, busiest)});
  }
  return chart;
}

}  // namespace toroid::views
