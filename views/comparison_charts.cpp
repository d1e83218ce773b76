#include "views/comparison_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/units.hpp"
#include "views/axes.hpp"

namespace toroid::views {

using core::Json;

namespace {

constexpr const char* whiskers = "whiskers: shortest to longest run";

/// The lines of an engine's summary by machine, trace, allocator and mapper.
class Summary {
 public:
  Summary(const Json& comparison, std::string engine, const Json& lines)
      : engine_(std::move(engine)), manifest_(comparison["manifest"]), labels_(comparison["labels"]) {
    for (const auto& line : lines) lines_[{line["platform"], line["trace"], allocator_of(line), line["map"]}] = &line;
  }

  std::vector<std::string> names(const char* kind) const { return manifest_[kind]; }
  std::vector<std::string> labels(const char* kind) const { return labels_[kind]; }
  /// The lines of a machine and trace that have one of these allocators and one of these mappers.
  std::vector<const Json*> lines(const std::string& platform, const std::string& trace,
                                 const std::vector<std::string>& allocs, const std::vector<std::string>& maps) const {
    std::vector<const Json*> all;
    for (const auto& alloc : allocs)
      for (const auto& map : maps) all.push_back(lines_.at({platform, trace, alloc, map}));
    return all;
  }
  /// The title of a panel: names the engine if there are several.
  std::string titled(const std::string& what) const {
    return engine_.empty() || what.empty() ? what + engine_ : what + ", " + engine_;
  }

 private:
  std::string engine_;  ///< empty if there is one only
  const Json &manifest_, &labels_;
  std::map<std::array<std::string, 4>, const Json*> lines_;
};

/// The summaries of all engines, the comparison's own first.
std::vector<Summary> summaries(const Json& comparison) {
  const auto opinions = comparison.find("opinions");
  if (opinions == comparison.end()) return {Summary(comparison, "", comparison["summary"])};
  std::vector<Summary> all{Summary(comparison, comparison["manifest"]["engine"], comparison["summary"])};
  for (const auto& opinion : *opinions) all.emplace_back(comparison, opinion["engine"], opinion["summary"]);
  return all;
}

/// The line with the lowest mean; null if no run succeeded.
const Json* best_of(const std::vector<const Json*>& lines) {
  const Json* best = nullptr;
  for (const auto* line : lines)
    if (!(*line)["mean_s"].is_null() && (best == nullptr || (*line)["mean_s"] < (*best)["mean_s"])) best = line;
  return best;
}

std::string described(const Json& line) {
  const auto alloc = allocator_of(line);
  const auto name = fmt::format("{}, {}{}, {}", line["map"].get<std::string>(), alloc.empty() ? alloc : alloc + ", ",
                                line["trace"].get<std::string>(), line["platform"].get<std::string>());
  const std::size_t runs = line["runs"], failed = line["failed"];
  if (runs == 0) return name + ": no run succeeded";
  auto text = fmt::format("{}: mean {}", name, core::format_duration(line["mean_s"]));
  if (runs > 1)
    text += fmt::format(" of {} runs, {} to {}", runs, core::format_duration(line["best_s"]),
                        core::format_duration(line["worst_s"]));
  return failed == 0 ? text : text + fmt::format("; {} more failed", failed);
}

/// The line as a bar, its times as multiples of `unit` seconds.
Bar bar_of(const Json& line, double unit) {
  if (line["mean_s"].is_null()) return {std::nullopt, 0, 0, described(line)};
  if (unit <= 0) return {1, 1, 1, described(line)};  // nothing takes any time: all are as fast as the best
  const auto normalized = [&](const char* key) { return line[key].get<double>() / unit; };
  return {normalized("mean_s"), normalized("best_s"), normalized("worst_s"), described(line)};
}

std::string title_of(const Json& comparison, std::string_view by) {
  return fmt::format("{} time by {}", is_of_communication(comparison) ? "Communication" : "Run", by);
}

constexpr const char* gap = "no run succeeded";

/// The unit that suits the longest run of any engine.
TimeUnit unit_of(const Json& comparison) {
  double longest = 0;
  const auto look_at = [&](const Json& lines) {
    for (const auto& line : lines)
      if (!line["worst_s"].is_null()) longest = std::max(longest, line["worst_s"].get<double>());
  };
  look_at(comparison["summary"]);
  for (const auto& opinion : comparison.value("opinions", Json::array())) look_at(opinion["summary"]);
  return time_unit(longest);
}

std::string failures(const Json& comparison) {
  std::size_t runs = 0;
  for (const auto& line : comparison["summary"]) runs += line["failed"].get<std::size_t>();
  for (const auto& opinion : comparison.value("opinions", Json::array()))
    for (const auto& line : opinion["summary"]) runs += line["failed"].get<std::size_t>();
  if (runs == 0) return {};
  return fmt::format("{} run{} failed and {} left out", runs, runs == 1 ? "" : "s", runs == 1 ? "is" : "are");
}

/// A chart without panels, of means or of means over the best one on the same machine with the same trace.
BarChart chart_of_means(const Json& comparison, std::string_view by, const std::vector<std::string>& series,
                        const BarLengths& lengths) {
  const bool several_engines = comparison.contains("opinions");
  const auto time = time_in_words(comparison);
  return {title_of(comparison, by),
          lengths.absolute
              ? fmt::format("Mean of each trace and machine; {}", whiskers)
              : fmt::format("Mean over the best mean of {}; {}",
                            several_engines ? "trace, machine and engine" : "the same trace and machine", whiskers),
          lengths.absolute ? fmt::format("mean {} [{}]", time, unit_of(comparison).name)
                           : fmt::format("mean {} / best mean", time),
          comparison["labels"]["traces"],
          series,
          {},
          gap,
          failures(comparison),
          lengths.cut};
}

/// A panel of the machine by an engine: a group per trace, a bar for each pair of these allocators and mappers, in the
/// unit or, without one, in times of the best mean.
BarPanel panel_of(const Summary& summary, const std::string& title, const std::string& platform,
                  const std::vector<std::string>& allocs, const std::vector<std::string>& maps,
                  std::optional<TimeUnit> unit) {
  BarPanel panel{summary.titled(title), {}};
  for (const auto& trace : summary.names("traces")) {
    const auto lines = summary.lines(platform, trace, allocs, maps);
    const auto* best = best_of(lines);
    auto& group = panel.groups.emplace_back();
    const double length = unit ? unit->seconds : best == nullptr ? 0 : (*best)["mean_s"].get<double>();
    for (const auto* line : lines) group.push_back(bar_of(*line, length));
  }
  return panel;
}

}  // namespace

std::vector<std::string> allocator_names(const Json& comparison) {
  return comparison["manifest"].value("allocs", std::vector<std::string>(1));
}

std::vector<std::string> allocator_labels(const Json& comparison) {
  return comparison["labels"].value("allocs", std::vector<std::string>(1));
}

std::string allocator_of(const Json& one) {
  return one.value("alloc", std::string());
}

BarChart mappers_chart(const Json& comparison, const BarLengths& lengths) {
  const auto by_engine = summaries(comparison);
  const auto platforms = by_engine[0].names("platforms"), titles = by_engine[0].labels("platforms");
  const auto allocs = allocator_names(comparison), labels = allocator_labels(comparison);
  const auto unit = lengths.absolute ? std::optional(unit_of(comparison)) : std::nullopt;
  auto chart = chart_of_means(comparison, "mapping", by_engine[0].labels("maps"), lengths);
  for (std::size_t p = 0; p < platforms.size(); ++p)
    for (std::size_t a = 0; a < allocs.size(); ++a)
      for (const auto& summary : by_engine)
        chart.panels.push_back(panel_of(summary, allocs.size() > 1 ? titles[p] + ", " + labels[a] : titles[p],
                                        platforms[p], {allocs[a]}, summary.names("maps"), unit));
  return chart;
}

BarChart allocators_chart(const Json& comparison, const BarLengths& lengths) {
  const auto by_engine = summaries(comparison);
  const auto platforms = by_engine[0].names("platforms"), titles = by_engine[0].labels("platforms");
  const auto unit = lengths.absolute ? std::optional(unit_of(comparison)) : std::nullopt;
  auto chart = chart_of_means(comparison, "allocator", allocator_labels(comparison), lengths);
  for (std::size_t p = 0; p < platforms.size(); ++p)
    for (const auto& summary : by_engine)
      chart.panels.push_back(
          panel_of(summary, titles[p], platforms[p], allocator_names(comparison), summary.names("maps"), unit));
  return chart;
}

BarChart machines_chart(const Json& comparison, const BarLengths& lengths) {
  const auto by_engine = summaries(comparison);
  const auto& first = by_engine[0];
  const auto traces = first.names("traces"), platforms = first.names("platforms");
  const auto maps = first.labels("maps");
  const auto unit = unit_of(comparison);
  const auto* over = lengths.absolute ? "" : ", over the best machine's";
  const std::string drawn = maps.size() == 1 ? "mean" : "lowest mean";
  const auto best_on = [&](const Summary& summary, const std::string& platform, const std::string& trace) {
    return best_of(summary.lines(platform, trace, allocator_names(comparison), first.names("maps")));
  };
  BarChart chart{title_of(comparison, "machine"),
                 maps.size() == 1 ? fmt::format("Mean with mapper {}{}; {}", maps[0], over, whiskers)
                                  : fmt::format("Lowest mean of any mapping{}; {}", over, whiskers),
                 lengths.absolute ? fmt::format("{} {} [{}]", drawn, time_in_words(comparison), unit.name)
                                  : drawn + " / best machine",
                 first.labels("traces"),
                 first.labels("platforms"),
                 {},
                 gap,
                 maps.size() == 1 ? failures(comparison) : "",
                 lengths.cut};
  for (const auto& summary : by_engine) {
    BarPanel panel{summary.titled(""), {}};
    for (const auto& trace : traces) {
      double least = 0;
      for (const auto& platform : platforms)
        if (const auto* best = best_on(summary, platform, trace); best != nullptr) {
          const double mean = (*best)["mean_s"];
          least = least > 0 ? std::min(least, mean) : mean;
        }
      auto& group = panel.groups.emplace_back();
      for (const auto& platform : platforms) {
        const auto* best = best_on(summary, platform, trace);
        group.push_back(best != nullptr
                            ? bar_of(*best, lengths.absolute ? unit.seconds : least)
                            : Bar{std::nullopt, 0, 0, fmt::format("{}, {}: no run succeeded", trace, platform)});
      }
    }
    chart.panels.push_back(panel);
  }
  return chart;
}

BarChart programs_chart(const Json& comparison, const BarLengths& lengths) {
  const auto by_engine = summaries(comparison);
  const auto& first = by_engine[0];
  const auto platform = first.names("platforms")[0];
  const auto traces = first.names("traces"), maps = first.names("maps"), allocs = allocator_names(comparison);
  double longest = 0;
  for (const auto& summary : by_engine)
    for (const auto& trace : traces)
      if (const auto& line = *summary.lines(platform, trace, allocs, maps)[0]; !line["worst_s"].is_null())
        longest = std::max(longest, time_factor(comparison, trace) * line["worst_s"].get<double>());
  const auto unit = time_unit(longest);
  const auto tokens = equal_tokens(comparison);
  BarChart chart{
      title_of(comparison, "program"),
      fmt::format("Mean on {} with mapper {}; {}", first.labels("platforms")[0], first.labels("maps")[0], whiskers),
      fmt::format("mean {}{} [{}]", time_in_words(comparison), tokens ? fmt::format(" for {:.0f} tokens", *tokens) : "",
                  unit.name),
      {""},
      first.labels("traces"),
      {},
      gap,
      failures(comparison),
      lengths.cut};
  for (const auto& summary : by_engine) {
    BarPanel panel{summary.titled(""), {{}}};
    for (const auto& trace : traces)
      panel.groups[0].push_back(
          bar_of(*summary.lines(platform, trace, allocs, maps)[0], unit.seconds / time_factor(comparison, trace)));
    chart.panels.push_back(panel);
  }
  return chart;
}

bool compares_programs(const Json& comparison) {
  return comparison["subject"] == "trace";
}

bool compares_allocators(const Json& comparison) {
  return comparison["subject"] == "alloc";
}

bool compares_machines(const Json& comparison) {
  return comparison["subject"] == "platform";
}

bool is_of_communication(const Json& comparison) {
  const auto& cases = comparison["computation"];
  return std::all_of(cases.begin(), cases.end(), [](const Json& one) { return one["left_out"].get<bool>(); });
}

std::optional<double> equal_tokens(const Json& comparison) {
  const auto programs = comparison.value("programs", Json());
  return programs.contains("tokens") ? std::optional(programs["tokens"].get<double>()) : std::nullopt;
}

double time_factor(const Json& comparison, const std::string& trace) {
  return equal_tokens(comparison) ? comparison["programs"]["time_factors"][trace].get<double>() : 1;
}

std::set<std::string> purposes_of(const Json& summary) {
  std::set<std::string> purposes;
  for (const auto& line : summary) {
    const auto waits = line.value("exposed_s", Json::object());
    for (const auto& [purpose, seconds] : waits.items()) purposes.insert(purpose);
  }
  return purposes;
}

std::string_view time_in_words(const Json& comparison) {
  return is_of_communication(comparison) ? "communication time" : "run time";
}

}  // namespace toroid::views
