#include "views/studies/sweep_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/text.hpp"
#include "cosim/schedule_metrics.hpp"
#include "views/charts/axes.hpp"
#include "views/charts/bar_chart.hpp"

namespace toroid::views {

namespace {

/// A metric of a sweep as charts draw it: with a name and a unit that suits its values.
class SweepQuantity {
 public:
  /// The metric of cosim::schedule_metrics() that has this name, which must be one of theirs.
  SweepQuantity(const SweptContenders& contenders, std::string_view name);

  /// Its name with its unit: `mean wait [s]`.
  std::string axis() const;
  /// Whether a contender has it; the others may be asked of such alone.
  bool is_in(const SweptContender& one) const { return one.means.contains(metric_.name); }
  double of(const SweptContender& one) const { return mean_of(one).value / unit_.seconds; }
  /// The 95 % confidence interval of the mean; nothing for one run.
  std::optional<Span> bar(const SweptContender& one) const;
  /// The metric with its value and interval, in the metric's own unit.
  std::string told(const SweptContender& one) const;

 private:
  double longest(const SweptContenders& contenders) const;
  const SweptMean& mean_of(const SweptContender& one) const { return one.means.find(metric_.name)->second; }

  const cosim::ScheduleMetric& metric_;
  TimeUnit unit_{1, ""};  ///< or another one: a hundredth is a per cent
};

}  // namespace

SweepQuantity::SweepQuantity(const SweptContenders& contenders, std::string_view name)
    : metric_(cosim::schedule_metric(name)) {
  if (metric_.type == "share") unit_ = {0.01, "%"};
  if (metric_.type == "seconds") unit_ = time_unit(longest(contenders));
}

std::string SweepQuantity::axis() const {
  return unit_.name.empty() ? std::string(metric_.in_words) : fmt::format("{} [{}]", metric_.in_words, unit_.name);
}

std::optional<Span> SweepQuantity::bar(const SweptContender& one) const {
  const auto& interval = mean_of(one).interval;
  if (!interval) return std::nullopt;
  return Span{interval->low / unit_.seconds, interval->high / unit_.seconds};
}

std::string SweepQuantity::told(const SweptContender& one) const {
  const auto& mean = mean_of(one);
  auto text = fmt::format("{} {:.6g}", metric_.name, mean.value);
  if (mean.interval) text += fmt::format(" ({:.6g} to {:.6g})", mean.interval->low, mean.interval->high);
  return text;
}

double SweepQuantity::longest(const SweptContenders& contenders) const {
  double longest = 0;
  for (const auto& one : contenders)
    if (is_in(one)) longest = std::max(longest, mean_of(one).value);
  return longest;
}

namespace {

/// The different texts in a part of the contenders' names.
std::vector<std::string> all_of(const SweptContenders& contenders, std::string SweptContender::*part) {
  std::vector<std::string> found;
  for (const auto& one : contenders)
    if (const auto& text = one.*part; std::find(found.begin(), found.end(), text) == found.end()) found.push_back(text);
  return found;
}

bool has_one_map(const SweptContenders& contenders) {
  return std::ranges::all_of(contenders, [&](const auto& one) { return one.map == contenders.front().map; });
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

std::string name_of(const SweptContender& one, bool one_map, bool one_scheduler, bool one_platform) {
  auto name = one.alloc;
  if (!one_map) name += ", " + *one.map;
  if (!one_scheduler) name += ", " + one.scheduler;
  if (!one_platform) name += ", " + one.platform;
  return name;
}

/// The place of a text among others.
std::size_t place_of(const std::string& text, const std::vector<std::string>& all) {
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), text) - all.begin());
}

}  // namespace

LineChart sweep_chart(const SweptContenders& contenders, const std::string& x, const std::string& y) {
  const auto platforms = all_of(contenders, &SweptContender::platform),
             schedulers = all_of(contenders, &SweptContender::scheduler);
  const SweepQuantity along_x(contenders, x), along_y(contenders, y);
  LineChart chart{core::join(platforms) + ", " + core::join(schedulers),
                  listed(all_of(contenders, &SweptContender::workload)),
                  along_x.axis(),
                  along_y.axis(),
                  {}};
  const bool one_map = has_one_map(contenders);
  bool has_bars = false;
  for (const auto& one : contenders) {
    const auto name = name_of(one, one_map, schedulers.size() == 1, platforms.size() == 1);
    auto line = std::find_if(chart.lines.begin(), chart.lines.end(), [&](const Line& l) { return l.name == name; });
    if (line == chart.lines.end()) line = chart.lines.insert(line, {name, {}});
    if (!along_x.is_in(one) || !along_y.is_in(one)) continue;
    line->points.push_back({along_x.of(one), along_y.of(one),
                            fmt::format("{}, {}: {}, {}", name, one.workload, along_x.told(one), along_y.told(one)),
                            along_x.bar(one), along_y.bar(one)});
    has_bars = has_bars || line->points.back().y_bar;
  }
  for (auto& line : chart.lines)
    std::stable_sort(line.points.begin(), line.points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
  if (has_bars) chart.note = "Bars: 95 % confidence intervals of the means";
  return chart;
}

BarChart sweep_bars(const SweptContenders& contenders, const std::vector<std::string>& fields) {
  const auto platforms = all_of(contenders, &SweptContender::platform),
             schedulers = all_of(contenders, &SweptContender::scheduler);
  const bool one_map = has_one_map(contenders);
  const bool one_allocator = all_of(contenders, &SweptContender::alloc).size() == 1;
  // Allocators are told apart by colour; where there is one, schedulers are.
  const auto series_of = [&](const SweptContender& one) {
    auto name = one_allocator ? one.scheduler : one.alloc;
    return one_map ? name : name + ", " + *one.map;
  };
  const auto group_of = [&](const SweptContender& one) {
    std::vector<std::string> names;
    if (!one_allocator) names.push_back(one.scheduler);
    if (platforms.size() > 1) names.push_back(one.platform);
    return core::join(names);
  };
  BarChart chart;
  const auto add_new = [](std::vector<std::string>& all, std::string name) {
    if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(std::move(name));
  };
  for (const auto& one : contenders) {
    add_new(chart.groups, group_of(one));
    add_new(chart.series, series_of(one));
  }
  chart.title = core::join(platforms) + ", " + (one_allocator ? contenders.at(0).alloc : core::join(schedulers));
  chart.subtitle = listed(all_of(contenders, &SweptContender::workload));
  chart.axis = "mean";
  chart.gap = "all runs failed";
  for (const auto& field : fields) {
    const SweepQuantity quantity(contenders, field);
    BarPanel panel{quantity.axis(), {}};
    panel.groups.assign(chart.groups.size(), std::vector<Bar>(chart.series.size()));
    for (const auto& one : contenders) {
      if (!quantity.is_in(one)) continue;
      auto& bar = panel.groups[place_of(group_of(one), chart.groups)][place_of(series_of(one), chart.series)];
      bar.value = quantity.of(one);
      if (const auto interval = quantity.bar(one)) {
        bar.low = std::max(0.0, interval->low);
        bar.high = interval->high;
        chart.remark = "Whiskers: 95 % confidence intervals of the means";
      }
      bar.tooltip = series_of(one) + ": " + quantity.told(one);
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::string sweep_svg(const SweptContenders& contenders, const std::string& x, const std::string& y) {
  if (all_of(contenders, &SweptContender::workload).size() > 1) return line_chart_svg(sweep_chart(contenders, x, y));
  return bar_chart_svg(sweep_bars(contenders, {x, y}));
}

}  // namespace toroid::views
