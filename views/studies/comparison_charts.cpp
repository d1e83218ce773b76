#include "views/studies/comparison_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.hpp"
#include "views/charts/axes.hpp"

namespace toroid::views {
namespace {

using Group = ComparedTimes::Group;
using Engine = ComparedTimes::Engine;

constexpr const char* whiskers = "whiskers: shortest to longest run";
constexpr const char* no_bar = "no run succeeded";

/// The number of a group, or none.
using GroupNumber = std::optional<std::size_t>;

/// The numbers from 0 on, below `count`.
std::vector<std::size_t> numbers(std::size_t count) {
  std::vector<std::size_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = i;
  return all;
}

/// The groups of a machine and trace that have one of these allocators and any mapper.
std::vector<std::size_t> groups_of(const ComparedTimes& times, std::size_t platform, std::size_t trace,
                                   const std::vector<std::size_t>& allocs) {
  std::vector<std::size_t> all;
  for (const auto alloc : allocs)
    for (std::size_t map = 0; map < times.maps.size(); ++map)
      all.push_back(times.number({platform, trace, alloc, map}));
  return all;
}

/// The group with the lowest mean; none if no run succeeded.
GroupNumber best_of(const Engine& engine, const std::vector<std::size_t>& groups) {
  GroupNumber best;
  for (const auto group : groups)
    if (const auto mean = engine.groups[group].mean_s; mean && (!best || *mean < *engine.groups[*best].mean_s))
      best = group;
  return best;
}

/// The title of a panel: names the engine if there are several.
std::string titled(const ComparedTimes& times, const Engine& engine, const std::string& what) {
  if (times.engines.size() == 1) return what;
  return what.empty() ? engine.name : what + ", " + engine.name;
}

std::string described(const ComparedTimes& times, const Engine& engine, std::size_t number) {
  const auto& group = engine.groups[number];
  const auto [platform, trace, alloc, map] = times.place(number);
  const auto name =
      fmt::format("{}, {}{}, {}", times.maps[map].name, times.has_allocs ? times.allocs[alloc].name + ", " : "",
                  times.traces[trace].name, times.platforms[platform].name);
  if (!group.mean_s) return name + ": no run succeeded";
  auto text = fmt::format("{}: mean {}", name, core::format_duration(*group.mean_s));
  if (group.runs.size() > 1)
    text += fmt::format(" of {} runs, {} to {}", group.runs.size(), core::format_duration(group.best_s()),
                        core::format_duration(group.worst_s()));
  return group.failed == 0 ? text : text + fmt::format("; {} more failed", group.failed);
}

/// The group as a bar, its times as multiples of `unit` seconds.
Bar bar_of(const ComparedTimes& times, const Engine& engine, std::size_t number, double unit) {
  const auto& group = engine.groups[number];
  const auto tooltip = described(times, engine, number);
  if (!group.mean_s) return {std::nullopt, 0, 0, tooltip};
  if (unit <= 0) return {1, 1, 1, tooltip};  // nothing takes any time: all are as fast as the best
  return {*group.mean_s / unit, group.best_s() / unit, group.worst_s() / unit, tooltip};
}

std::string title_of(const ComparedTimes& times, std::string_view by) {
  return fmt::format("{} time by {}", times.of_communication ? "Communication" : "Run", by);
}

/// The unit that suits the longest run of any engine as it is judged.
TimeUnit unit_of(const ComparedTimes& times) {
  double longest = 0;
  for (const auto& engine : times.engines)
    for (std::size_t i = 0; i < engine.groups.size(); ++i)
      if (const auto& group = engine.groups[i]; group.mean_s)
        longest = std::max(longest, times.time_factors[times.place(i).trace] * group.worst_s());
  return time_unit(longest);
}

std::string failures(const ComparedTimes& times) {
  std::size_t runs = 0;
  for (const auto& engine : times.engines)
    for (const auto& group : engine.groups) runs += group.failed;
  if (runs == 0) return {};
  return fmt::format("{} run{} failed and {} left out", runs, runs == 1 ? "" : "s", runs == 1 ? "is" : "are");
}

/// A chart without panels, of means or of means over the best one on the same machine with the same trace.
BarChart chart_of_means(const ComparedTimes& times, std::string_view by, std::vector<std::string> series,
                        const BarLengths& lengths) {
  const auto time = time_in_words(times);
  return {title_of(times, by),
          lengths.absolute
              ? fmt::format("Mean of each trace and machine; {}", whiskers)
              : fmt::format("Mean over the best mean of {}; {}",
                            times.engines.size() > 1 ? "trace, machine and engine" : "the same trace and machine",
                            whiskers),
          lengths.absolute ? fmt::format("mean {} [{}]", time, unit_of(times).name)
                           : fmt::format("mean {} / best mean", time),
          labels_of(times.traces),
          std::move(series),
          {},
          no_bar,
          failures(times),
          lengths.cut,
          !lengths.absolute};
}

/// A panel of the machine by an engine: a group per trace, a bar for each pair of these allocators and any mapper,
/// in the unit or, without one, in times of the best mean.
BarPanel panel_of(const ComparedTimes& times, const Engine& engine, const std::string& title, std::size_t platform,
                  const std::vector<std::size_t>& allocs, std::optional<TimeUnit> unit) {
  BarPanel panel{titled(times, engine, title), {}};
  for (std::size_t trace = 0; trace < times.traces.size(); ++trace) {
    const auto groups = groups_of(times, platform, trace, allocs);
    const auto best = best_of(engine, groups);
    const double length = unit ? unit->seconds : best ? *engine.groups[*best].mean_s : 0;
    auto& bars = panel.groups.emplace_back();
    for (const auto group : groups) bars.push_back(bar_of(times, engine, group, length));
  }
  return panel;
}

/// The panel of machines by an engine: for each trace the best group of each machine, in the unit or, without one, in
/// times of the best machine.
BarPanel machines_panel(const ComparedTimes& times, const Engine& engine, std::optional<TimeUnit> unit) {
  BarPanel panel{titled(times, engine, ""), {}};
  for (std::size_t trace = 0; trace < times.traces.size(); ++trace) {
    std::vector<GroupNumber> best;
    double least = 0;
    for (std::size_t platform = 0; platform < times.platforms.size(); ++platform) {
      best.push_back(best_of(engine, groups_of(times, platform, trace, numbers(times.allocs.size()))));
      if (!best.back()) continue;
      const double mean = *engine.groups[*best.back()].mean_s;
      least = least > 0 ? std::min(least, mean) : mean;
    }
    auto& bars = panel.groups.emplace_back();
    for (std::size_t platform = 0; platform < best.size(); ++platform)
      bars.push_back(best[platform] ? bar_of(times, engine, *best[platform], unit ? unit->seconds : least)
                                    : Bar{std::nullopt, 0, 0,
                                          fmt::format("{}, {}: no run succeeded", times.traces[trace].name,
                                                      times.platforms[platform].name)});
  }
  return panel;
}

}  // namespace

BarChart mappers_chart(const ComparedTimes& times, const BarLengths& lengths) {
  const auto unit = lengths.absolute ? std::optional(unit_of(times)) : std::nullopt;
  auto chart = chart_of_means(times, "mapping", labels_of(times.maps), lengths);
  for (std::size_t p = 0; p < times.platforms.size(); ++p)
    for (std::size_t a = 0; a < times.allocs.size(); ++a) {
      const auto& title = times.platforms[p].label;
      for (const auto& engine : times.engines)
        chart.panels.push_back(panel_of(
            times, engine, times.allocs.size() > 1 ? title + ", " + times.allocs[a].label : title, p, {a}, unit));
    }
  return chart;
}

BarChart allocators_chart(const ComparedTimes& times, const BarLengths& lengths) {
  const auto unit = lengths.absolute ? std::optional(unit_of(times)) : std::nullopt;
  auto chart = chart_of_means(times, "allocator", labels_of(times.allocs), lengths);
  for (std::size_t p = 0; p < times.platforms.size(); ++p)
    for (const auto& engine : times.engines)
      chart.panels.push_back(panel_of(times, engine, times.platforms[p].label, p, numbers(times.allocs.size()), unit));
  return chart;
}

BarChart machines_chart(const ComparedTimes& times, const BarLengths& lengths) {
  const bool one_map = times.maps.size() == 1;
  const auto unit = lengths.absolute ? std::optional(unit_of(times)) : std::nullopt;
  const auto* over = unit ? "" : ", over the best machine's";
  const std::string drawn = one_map ? "mean" : "lowest mean";
  BarChart chart{title_of(times, "machine"),
                 one_map ? fmt::format("Mean with mapper {}{}; {}", times.maps[0].label, over, whiskers)
                         : fmt::format("Lowest mean of any mapping{}; {}", over, whiskers),
                 unit ? fmt::format("{} {} [{}]", drawn, time_in_words(times), unit->name) : drawn + " / best machine",
                 labels_of(times.traces),
                 labels_of(times.platforms),
                 {},
                 no_bar,
                 one_map ? failures(times) : "",
                 lengths.cut,
                 true};
  for (const auto& engine : times.engines) chart.panels.push_back(machines_panel(times, engine, unit));
  return chart;
}

BarChart programs_chart(const ComparedTimes& times, const BarLengths& lengths) {
  const auto unit = unit_of(times);
  BarChart chart{title_of(times, "program"),
                 fmt::format("Mean on {} with mapper {}; {}", times.platforms[0].label, times.maps[0].label, whiskers),
                 fmt::format("mean {}{} [{}]", time_in_words(times),
                             times.tokens ? fmt::format(" for {:.0f} tokens", *times.tokens) : "", unit.name),
                 {""},
                 labels_of(times.traces),
                 {},
                 no_bar,
                 failures(times),
                 lengths.cut,
                 true};
  for (const auto& engine : times.engines) {
    BarPanel panel{titled(times, engine, ""), {{}}};
    for (std::size_t trace = 0; trace < times.traces.size(); ++trace)
      panel.groups[0].push_back(
          bar_of(times, engine, times.number({0, trace, 0, 0}), unit.seconds / times.time_factors[trace]));
    chart.panels.push_back(panel);
  }
  return chart;
}

BarChart comparison_chart(const ComparedTimes& times, const BarLengths& lengths) {
  switch (times.subject) {
    case ComparedTimes::Subject::maps:
      return mappers_chart(times, lengths);
    case ComparedTimes::Subject::allocs:
      return allocators_chart(times, lengths);
    case ComparedTimes::Subject::platforms:
      return machines_chart(times, lengths);
    case ComparedTimes::Subject::traces:
      return programs_chart(times, lengths);
  }
  return {};
}

}  // namespace toroid::views
