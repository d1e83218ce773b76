#include "views/link_loads_chart.hpp"

#include <fmt/format.h>

#include "views/axes.hpp"

namespace toroid::views {

LineChart link_loads_chart(const core::Json& link_loads, const std::string& title) {
  double last = 0;
  for (const auto& window : link_loads.at("windows"))
    last = window.at("begin_s").get<double>() + window.at("seconds").get<double>();
  const auto unit = time_unit(last);
  LineChart chart{
      title, "", fmt::format("time since the beginning of the log [{}]", unit.name), "utilisation of links [%]", {}};
  chart.lines = {{"all links", {}}, {"the busiest", {}}};
  const auto& windows = link_loads.at("windows");
  for (const auto& window : windows) {
    const double middle = window.at("begin_s").get<double>() + window.at("seconds").get<double>() / 2;
    const double mean = 100 * window.at("mean_utilization").get<double>();
    const double most = 100 * window.at("max_utilization").get<double>();
    const auto busiest = window.at("busiest").is_null() ? "" : ", " + window.at("busiest").get<std::string>();
    chart.lines[0].points.push_back({middle / unit.seconds, mean, fmt::format("{:.6g} s: {:.3g} %", middle, mean)});
    chart.lines[1].points.push_back(
        {middle / unit.seconds, most, fmt::format("{:.6g} s: {:.3g} %{}", middle, most, busiest)});
  }
  return chart;
}

}  // namespace toroid::views
