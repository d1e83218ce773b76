#include "views/sweep_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "views/bar_chart.hpp"
#include "views/sweep_quantity.hpp"

namespace toroid::views {
namespace {

using core::Json;

std::string text_of(const Json& entry, const char* key) {
  return entry.at(key).get<std::string>();
}

/// The summary with the labels of a sweep in the place of names.
Json labelled_summary(const Json& sweep) {
  return with_labels(sweep.at("summary"), sweep.value("labels", Json::object()));
}

/// The different values of a key.
std::vector<std::string> all_of(const Json& summary, const char* key) {
  std::vector<std::string> found;
  for (const auto& entry : summary)
    if (const auto text = text_of(entry, key); std::find(found.begin(), found.end(), text) == found.end())
      found.push_back(text);
  return found;
}

/// What all names begin with, up to a `:` or `,` or an end.
std::string common_start(const std::vector<std::string>& names) {
  auto start = names.at(0);
  const auto is_start_of = [&](const std::string& name) {
    return name.starts_with(start) &&
           (name.size() == start.size() || name[start.size()] == ':' || name[start.size()] == ',');
  };
  while (!start.empty() && !std::all_of(names.begin(), names.end(), is_start_of))
    start.resize(start.find_last_of(":,") == std::string::npos ? 0 : start.find_last_of(":,"));
  return start;
}

/// `a, b`, or, where all begin alike, `log; arrivals=1.2, 1, 0.85`.
std::string listed(const std::vector<std::string>& names) {
  if (names.size() < 2) return core::join(names);
  const auto start = common_start(names);
  if (start.empty()) return core::join(names);
  std::vector<std::string> rest;
  std::string last_key;
  for (const auto& name : names) {
    auto own = name.size() > start.size() ? name.substr(start.size() + 1) : "as it is";
    const auto key = own.substr(0, own.find('=') + 1);
    const bool is_one_key = !key.empty() && own.find(',') == std::string::npos;
    if (is_one_key && key == last_key) own.erase(0, key.size());
    last_key = is_one_key ? key : "";
    rest.push_back(std::move(own));
  }
  return start + "; " + core::join(rest);
}

/// Of one summary's line.
std::string name_of(const Json& entry, bool one_map, bool one_scheduler, bool one_platform) {
  auto name = text_of(entry, "alloc");
  if (!one_map) name += ", " + text_of(entry, "map");
  if (!one_scheduler) name += ", " + text_of(entry, "scheduler");
  if (!one_platform) name += ", " + text_of(entry, "platform");
  return name;
}

/// The place of a text among others.
std::size_t place_of(const std::string& text, const std::vector<std::string>& all) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), text) - all.begin());
}

}  // namespace

Json with_labels(Json list, const Json& labels) {
  for (auto& entry : list)
    for (const auto& [field, all] : labels.items())
      for (const auto& one : all)
        if (entry.contains(field) && one["name"] == entry[field]) {
          entry[field] = one["label"];
          break;
        }
  return list;
}

LineChart sweep_chart(const Json& sweep, const std::string& x, const std::string& y) {
  const auto summary = labelled_summary(sweep);
  const auto platforms = all_of(summary, "platform"), schedulers = all_of(summary, "scheduler");
  const SweepQuantity along_x(summary, x), along_y(summary, y);
  LineChart chart{core::join(platforms) + ", " + core::join(schedulers),
                  listed(all_of(summary, "workload")),
                  along_x.axis(),
                  along_y.axis(),
                  {}};
  // Jobs have a mapper where they have programs.
  const bool one_map = !summary.at(0).contains("map") || all_of(summary, "map").size() == 1;
  bool has_bars = false;
  for (const auto& entry : summary) {
    const auto name = name_of(entry, one_map, schedulers.size() == 1, platforms.size() == 1);
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(), [&](const Line& l) { return l.name == name; });
    if (line == chart.lines.end()) line = chart.lines.insert(line, {name, {}});
    if (!along_x.is_in(entry) || !along_y.is_in(entry)) continue;
    line->points.push_back(
        {along_x.of(entry), along_y.of(entry),
         fmt::format("{}, {}: {}, {}", name, text_of(entry, "workload"), along_x.told(entry), along_y.told(entry)),
         along_x.bar(entry), along_y.bar(entry)});
    has_bars = has_bars || line->points.back().y_bar;
  }
  for (auto& line : chart.lines)
    std::stable_sort(line.points.begin(), line.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  if (has_bars) chart.note = "Bars: 95 % confidence intervals of the means";
  return chart;
}

BarChart sweep_bars(const Json& summary, const std::vector<std::string>& fields) {
  const auto platforms = all_of(summary, "platform"), schedulers = all_of(summary, "scheduler");
  const bool one_map = !summary.at(0).contains("map") || all_of(summary, "map").size() == 1;
  const bool one_allocator = all_of(summary, "alloc").size() == 1;
  // Allocators are told apart by colour; where there is one, schedulers are.
  const auto series_of = [&](const Json& entry) {
    auto name = text_of(entry, one_allocator ? "scheduler" : "alloc");
    return one_map ? name : name + ", " + text_of(entry, "map");
  };
  const auto group_of = [&](const Json& entry) {
    std::vector<std::string> names;
    if (!one_allocator) names.push_back(text_of(entry, "scheduler"));
    if (platforms.size() > 1) names.push_back(text_of(entry, "platform"));
    return core::join(names);
  };
  BarChart chart;
  const auto add_new = [](std::vector<std::string>& all, std::string name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
  };
  for (const auto& entry : summary) {
    add_new(chart.groups, group_of(entry));
    add_new(chart.series, series_of(entry));
  }
  chart.title =
      core::join(platforms) + ", " + (one_allocator ? text_of(summary.at(0), "alloc") : core::join(schedulers));
  chart.subtitle = listed(all_of(summary, "workload"));
  chart.axis = "mean";
  chart.gap = "all runs failed";
  for (const auto& field : fields) {
    const SweepQuantity quantity(summary, field);
    BarPanel panel{quantity.axis(), {}};
    panel.groups.assign(chart.groups.size(), std::vector<Bar>(chart.series.size()));
    for (const auto& entry : summary) {
      if (!quantity.is_in(entry)) continue;
      auto& bar = panel.groups[place_of(group_of(entry), chart.groups)][place_of(series_of(entry), chart.series)];
      bar.value = quantity.of(entry);
      if (const auto interval = quantity.bar(entry)) {
        bar.low = std::max(0.0, interval->low);
        bar.high = interval->high;
        chart.remark = "Whiskers: 95 % confidence intervals of the means";
      }
      bar.tooltip = series_of(entry) + ": " + quantity.told(entry);
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::string sweep_svg(const Json& sweep, const std::string& x, const std::string& y) {
  const auto summary = labelled_summary(sweep);
  if (all_of(summary, "workload").size() > 1) return line_chart_svg(sweep_chart(sweep, x, y));
  return bar_chart_svg(sweep_bars(summary, {x, y}));
}

}  // namespace toroid::views
