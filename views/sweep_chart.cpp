#include "views/sweep_chart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace toroid::views {
namespace {

using core::Json;

std::string text_of(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

/// The different values of a key, `a, b`.
std::string all_of(const Json& summary, const char* key) {
  std::vector<std::string> found;
  for (const auto& entry : summary)
    if (const auto text = text_of(entry, key); std::find(found.begin(), found.end(), text) == found.end())
      found.push_back(text);
  return core::join(found);
}

}  // namespace

LineChart sweep_chart(const Json& sweep, const std::string& x, const std::string& y) {
  const auto& summary = sweep.at("summary");
  const auto platforms = all_of(summary, "platform"), schedulers = all_of(summary, "scheduler");
  LineChart chart{platforms + ", " + schedulers, all_of(summary, "workload"), x, y, {}};
  for (const auto& entry : summary) {
    auto name = text_of(entry, "alloc");
    if (text_of(entry, "scheduler") != schedulers) name += ", " + text_of(entry, "scheduler");
    if (text_of(entry, "platform") != platforms) name += ", " + text_of(entry, "platform");
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(), [&](const Line& l) { return l.name == name; });
    if (line == chart.lines.end()) line = chart.lines.insert(line, {name, {}});
    if (entry.at(x).is_null() || entry.at(y).is_null()) continue;
    const double at_x = entry.at(x).get<double>(), at_y = entry.at(y).get<double>();
    line->points.push_back(
        {at_x, at_y, fmt::format("{}, {}: {} {:.6g}, {} {:.6g}", name, text_of(entry, "workload"), x, at_x, y, at_y)});
  }
  return chart;
}

}  // namespace toroid::views
