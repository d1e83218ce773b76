#include "views/studies/sweep_chart.hpp"

#include "toroid/cosim/schedule_metrics.hpp"
#include "views/documents/numbering.hpp"

namespace toroid::views {
namespace {

/// A metric of a sweep as charts draw it: with a name and a unit that suits its values.
class SweepQuantity {
 public:
  /// The metric of cosim::schedule_metrics() that has this name, which must be one of theirs.
  SweepQuantity(const SweptContenders& contenders, std::string_view name) : metric_(cosim::schedule_metric(name)) {
    double longest = 0;
    for (const auto& one : contenders)
      if (is_in(one)) longest = std::max(longest, mean_of(one).value);
    if (metric_.type == "share") unit_ = {0.01, "%"};
    if (metric_.type == "seconds") unit_ = time_unit(longest);
  }

  /// Its name with its unit: `mean wait [s]`.
  std::string axis() const {
    return unit_.name.empty() ? std::string(metric_.in_words) : fmt::format("{} [{}]", metric_.in_words, unit_.name);
  }
  /// Whether a contender has it; the others may be asked of such alone.
  bool is_in(const SweptContender& one) const { return one.means.contains(metric_.name); }
  double of(const SweptContender& one) const { return mean_of(one).value / unit_.seconds; }
  /// The 95 % confidence interval of the mean; nothing for one run.
  std::optional<Span> bar(const SweptContender& one) const {
    const auto& interval = mean_of(one).interval;
    return interval ? std::optional(Span{interval->low / unit_.seconds, interval->high / unit_.seconds}) : std::nullopt;
  }
  /// The metric with its value and interval, in the metric's own unit.
  std::string told(const SweptContender& one) const {
    const auto& [value, interval] = mean_of(one);
    auto text = fmt::format("{} {:.6g}", metric_.name, value);
    return interval ? text + fmt::format(" ({:.6g} to {:.6g})", interval->low, interval->high) : text;
  }

 private:
  const SweptMean& mean_of(const SweptContender& one) const {
    TOROID_ASSERT(is_in(one));
    return one.means.find(metric_.name)->second;
  }

  const cosim::ScheduleMetric& metric_;
  TimeUnit unit_{1, ""};  ///< the unit of the axis: a hundredth is a per cent
};

/// What all names begin with, up to a `:` or `,` or an end.
std::string common_start(const std::vector<std::string>& names) {
  auto start = names.at(0);
  const auto is_start_of = [&](const std::string& name) {
    return name.starts_with(start) &&
           (name.size() == start.size() || name[start.size()] == ':' || name[start.size()] == ',');
  };
  while (!start.empty() && !std::ranges::all_of(names, is_start_of))
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

struct Differences {
  Numbering<std::string> platforms, workloads, schedulers, allocators;
  bool has_one_map = true;

  explicit Differences(const SweptContenders& contenders) {
    for (const auto& one : contenders) {
      platforms.add(one.platform);
      workloads.add(one.workload);
      schedulers.add(one.scheduler);
      allocators.add(one.alloc);
      has_one_map = has_one_map && one.map == contenders.front().map;
    }
  }
  /// A name with the mapper, if there are several.
  std::string with_map(const std::string& name, const SweptContender& one) const {
    return has_one_map ? name : name + ", " + *one.map;
  }
};

}  // namespace

LineChart sweep_chart(const SweptContenders& contenders, const std::string& x, const std::string& y) {
  const Differences differ(contenders);
  const SweepQuantity along_x(contenders, x), along_y(contenders, y);
  LineChart chart{core::join(differ.platforms.all()) + ", " + core::join(differ.schedulers.all()),
                  listed(differ.workloads.all()),
                  along_x.axis(),
                  along_y.axis(),
                  {}};
  Numbering<std::string> lines;
  for (const auto& one : contenders) {
    auto name = differ.with_map(one.alloc, one);
    if (differ.schedulers.all().size() > 1) name += ", " + one.scheduler;
    if (differ.platforms.all().size() > 1) name += ", " + one.platform;
    const auto [line, is_new] = lines.add(name);
    if (is_new) chart.lines.push_back({name, {}});
    if (!along_x.is_in(one) || !along_y.is_in(one)) continue;
    auto& points = chart.lines[line].points;
    points.push_back({along_x.of(one), along_y.of(one),
                      fmt::format("{}, {}: {}, {}", name, one.workload, along_x.told(one), along_y.told(one)),
                      along_x.bar(one), along_y.bar(one)});
    if (points.back().y_bar) chart.note = "Bars: 95 % confidence intervals of the means";
  }
  for (auto& line : chart.lines) std::ranges::stable_sort(line.points, {}, &LinePoint::x);
  return chart;
}

BarChart sweep_bars(const SweptContenders& contenders, const std::vector<std::string>& fields) {
  const Differences differ(contenders);
  // Allocators are told apart by colour; where there is one, schedulers are.
  const bool one_allocator = differ.allocators.all().size() == 1;
  BarChart chart;
  Numbering<std::string> groups, series;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // groups and series by contender
  for (const auto& one : contenders) {
    std::vector<std::string> group;
    if (!one_allocator) group.push_back(one.scheduler);
    if (differ.platforms.all().size() > 1) group.push_back(one.platform);
    places.emplace_back(groups.number(core::join(group)),
                        series.number(differ.with_map(one_allocator ? one.scheduler : one.alloc, one)));
  }
  chart.groups = groups.all();
  chart.series = series.all();
  chart.title = core::join(differ.platforms.all()) + ", " +
                (one_allocator ? contenders.at(0).alloc : core::join(differ.schedulers.all()));
  chart.subtitle = listed(differ.workloads.all());
  chart.axis = "mean";
  chart.gap = "all runs failed";
  for (const auto& field : fields) {
    const SweepQuantity quantity(contenders, field);
    BarPanel panel{quantity.axis(), {}};
    panel.groups.assign(chart.groups.size(), std::vector<Bar>(chart.series.size()));
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      const auto& one = contenders[i];
      if (!quantity.is_in(one)) continue;
      auto& bar = panel.groups[places[i].first][places[i].second];
      bar.value = quantity.of(one);
      if (const auto interval = quantity.bar(one)) {
        bar.low = std::max(0.0, interval->low);
        bar.high = interval->high;
        chart.remark = "Whiskers: 95 % confidence intervals of the means";
      }
      bar.tooltip = chart.series[places[i].second] + ": " + quantity.told(one);
    }
    chart.panels.push_back(std::move(panel));
  }
  return chart;
}

std::string sweep_svg(const SweptContenders& contenders, const std::string& x, const std::string& y) {
  const bool has_one_workload = Differences(contenders).workloads.all().size() <= 1;
  return has_one_workload ? bar_chart_svg(sweep_bars(contenders, {x, y}))
                          : line_chart_svg(sweep_chart(contenders, x, y));
}

}  // namespace toroid::views
