#include "views/studies/comparison_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <ranges>

#include "core/text.hpp"
#include "core/units.hpp"
#include "netsim/metrics.hpp"
#include "views/charts/axes.hpp"

namespace toroid::views {
namespace {

using core::Json;
using Kind = StudyRuns::Kind;
using Place = StudyRuns::Place;

constexpr const char* whiskers = "whiskers: shortest to longest run";
constexpr const char* no_bar = "no run succeeded";

/// The runs of a mapper on a machine with a trace and an allocator, by one engine.
struct RunsAtPlace {
  std::vector<double> times;
  std::size_t failed = 0;

  double mean() const { return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size()); }
};

class ComparisonBars {
 public:
  ComparisonBars(const StudyRuns& study, Kind series, const BarLengths& lengths)
      : study_(study), series_(series), lengths_(lengths) {
    double longest = 0;
    for (const auto& run : study.runs) {
      groups_[run.of].times.push_back(run.runtime);
      longest = std::max(longest, run.runtime);
    }
    for (const auto& place : study.failed) ++groups_[place].failed;
    if (lengths.absolute || series == StudyRuns::trace) unit_ = time_unit(longest);
  }

  BarChart chart() const {
    const bool is_of_programs = series_ == StudyRuns::trace;
    BarChart chart;
    auto kind = std::string(study_.kind_of_time());
    kind[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(kind[0])));
    chart.title = fmt::format("{} by {}", kind, std::array{"machine", "program", "allocator", "mapping"}[series_]);
    chart.subtitle = subtitle();
    chart.axis = axis();
    chart.groups = is_of_programs ? std::vector<std::string>{""} : study_.labels[StudyRuns::trace];
    chart.series = study_.labels[series_];
    chart.gap = no_bar;
    if (is_one_mapper() || series_ != StudyRuns::platform) chart.remark = study_.failures();
    chart.cut = lengths_.cut;
    chart.has_one_axis = !lengths_.absolute || series_ <= StudyRuns::trace;
    const bool by_alloc = series_ == StudyRuns::map, by_platform = by_alloc || series_ == StudyRuns::alloc;
    Place at{};
    for (auto& p = at[StudyRuns::platform] = 0; p < (by_platform ? count(StudyRuns::platform) : 1); ++p)
      for (auto& a = at[StudyRuns::alloc] = 0; a < (by_alloc ? count(StudyRuns::alloc) : 1); ++a)
        for (auto& e = at[StudyRuns::engine] = 0; e < count(StudyRuns::engine); ++e) {
          std::vector<std::string> title;
          if (by_platform) title.push_back(study_.labels[StudyRuns::platform][p]);
          if (by_alloc && count(StudyRuns::alloc) > 1) title.push_back(study_.labels[StudyRuns::alloc][a]);
          if (count(StudyRuns::engine) > 1) title.push_back(study_.labels[StudyRuns::engine][e]);
          chart.panels.push_back({core::join(title), groups(at)});
        }
    return chart;
  }

 private:
  std::size_t count(Kind kind) const { return study_.labels[kind].size(); }
  bool is_one_mapper() const { return count(StudyRuns::map) == 1; }

  std::string subtitle() const {
    const auto& first_map = study_.labels[StudyRuns::map].front();
    if (series_ == StudyRuns::trace)
      return fmt::format("Mean on {} with mapper {}; {}", study_.labels[StudyRuns::platform].front(), first_map,
                         whiskers);
    if (series_ == StudyRuns::platform) {
      const auto* over = unit_ ? "" : ", over the best machine's";
      return is_one_mapper() ? fmt::format("Mean with mapper {}{}; {}", first_map, over, whiskers)
                             : fmt::format("Lowest mean of any mapping{}; {}", over, whiskers);
    }
    if (unit_) return fmt::format("Mean of each trace and machine; {}", whiskers);
    return fmt::format("Mean over the best mean of {}; {}",
                       count(StudyRuns::engine) > 1 ? "trace, machine and engine" : "the same trace and machine",
                       whiskers);
  }

  std::string axis() const {
    const auto* drawn = series_ == StudyRuns::platform && !is_one_mapper() ? "lowest mean" : "mean";
    if (unit_) return fmt::format("{} {} [{}]", drawn, study_.time_in_words(), unit_->name);
    if (series_ == StudyRuns::platform) return fmt::format("{} / best machine", drawn);
    return fmt::format("mean {} / best mean", study_.time_in_words());
  }

  /// The groups of the panel at a place: of all traces, or one of all programs.
  std::vector<std::vector<Bar>> groups(Place at) const {
    std::vector<std::vector<Bar>> all;
    for (std::size_t group = 0; group < (series_ == StudyRuns::trace ? 1 : count(StudyRuns::trace)); ++group) {
      at[StudyRuns::trace] = group;
      std::vector<Place> drawn;
      std::optional<double> least;
      for (auto& s = at[series_] = 0; s < count(series_); ++s) {
        drawn.push_back(best_of(at));
        if (const auto found = with_runs(drawn.back())) least = std::min(least.value_or(found->mean()), found->mean());
      }
      auto& bars = all.emplace_back();
      for (const auto& place : drawn) bars.push_back(bar(place, unit_ ? unit_->seconds : least.value_or(0)));
    }
    return all;
  }

  /// The runs at a place; none if no run succeeded.
  const RunsAtPlace* with_runs(const Place& at) const {
    const auto found = groups_.find(at);
    return found == groups_.end() || found->second.times.empty() ? nullptr : &found->second;
  }

  /// The place itself, or where machines are compared the one with the lowest mean of any mapper and allocator.
  Place best_of(Place at) const {
    if (series_ != StudyRuns::platform) return at;
    auto best = at;
    for (auto& a = at[StudyRuns::alloc] = 0; a < count(StudyRuns::alloc); ++a)
      for (auto& m = at[StudyRuns::map] = 0; m < count(StudyRuns::map); ++m)
        if (const auto* found = with_runs(at))
          if (const auto* other = with_runs(best); other == nullptr || found->mean() < other->mean()) best = at;
    return best;
  }

  Bar bar(const Place& at, double unit) const {
    const auto name = [&](Kind kind) { return study_.names[kind][at[kind]]; };
    const auto* runs = with_runs(at);
    std::vector<std::string> names{name(StudyRuns::trace), name(StudyRuns::platform)};
    if (runs != nullptr || series_ != StudyRuns::platform) {
      if (const auto alloc = name(StudyRuns::alloc); !alloc.empty()) names.insert(names.begin(), alloc);
      names.insert(names.begin(), name(StudyRuns::map));
    }
    if (runs == nullptr) return {std::nullopt, 0, 0, fmt::format("{}: {}", core::join(names), no_bar)};
    const auto& times = runs->times;
    const double best = std::ranges::min(times), worst = std::ranges::max(times);
    auto tooltip = fmt::format("{}: mean {}", core::join(names), core::format_duration(runs->mean()));
    if (times.size() > 1)
      tooltip +=
          fmt::format(" of {} runs, {} to {}", times.size(), core::format_duration(best), core::format_duration(worst));
    if (runs->failed > 0) tooltip += fmt::format("; {} more failed", runs->failed);
    if (unit <= 0) return {1, 1, 1, tooltip};  // nothing takes any time: all are as fast as the best
    return {runs->mean() / unit, best / unit, worst / unit, tooltip};
  }

  const StudyRuns& study_;
  Kind series_;
  const BarLengths& lengths_;
  std::map<Place, RunsAtPlace> groups_;
  std::optional<TimeUnit> unit_;  ///< the unit of lengths; none: lengths are multiples of the best mean
};

Json field(const char* name, const char* type) {
  return {{"field", name}, {"type", type}};
}

/// An encoding by a field of names, which stand in the order of `labels`, not in that of the alphabet.
Json named(const char* name, const char* title, const Json& labels) {
  auto encoding = field(name, "nominal");
  encoding["title"] = title;
  encoding["sort"] = labels;
  return encoding;
}

}  // namespace

BarChart comparison_chart(const StudyRuns& study, StudyRuns::Kind series, const BarLengths& lengths) {
  return ComparisonBars(study, series, lengths).chart();
}

BarChart comparison_chart(const StudyRuns& study, const BarLengths& lengths) {
  return comparison_chart(study, study.subject, lengths);
}

std::string comparison_vega(const StudyRuns& study) {
  const auto &platforms = study.labels[StudyRuns::platform], &traces = study.labels[StudyRuns::trace],
             &allocs = study.labels[StudyRuns::alloc], &maps = study.labels[StudyRuns::map],
             &engines = study.labels[StudyRuns::engine];
  const bool of_allocs = study.subject == StudyRuns::alloc;
  // Where mappers are compared by several allocators, each machine has a row of plots by each.
  const bool by_alloc = allocs.size() > 1 && !of_allocs;
  const auto row_of = [&](std::size_t platform, std::size_t alloc) {
    return by_alloc ? platforms[platform] + ", " + allocs[alloc] : platforms[platform];
  };
  auto rows = Json::array(), values = Json::array();
  for (std::size_t p = 0; p < platforms.size(); ++p)
    for (std::size_t a = 0; a < (by_alloc ? allocs.size() : 1); ++a) rows.push_back(row_of(p, a));
  for (const auto& run : study.runs) {
    const auto& [platform, trace, alloc, map, engine] = run.of;
    const auto seed = run.metrics.find("seed");
    Json value{{"machine", row_of(platform, alloc)},
               {"trace", traces[trace]},
               {"map", maps[map]},
               {"engine", engines[engine]},
               {"seed", seed == run.metrics.end() ? Json() : seed->second},
               {"runtime_s", run.row_time}};
    for (const auto& metric : netsim::proxies())
      if (metric.use == netsim::Metric::Use::tooltip)
        if (const auto found = run.metrics.find(metric.name); found != run.metrics.end())
          value[std::string(metric.name)] = found->second;
    if (!allocs[alloc].empty()) value["alloc"] = allocs[alloc];
    values.push_back(std::move(value));
  }
  auto time = field("runtime_s", "quantitative");
  time["title"] = fmt::format("{} [s]", study.kind_of_time());
  auto mean = time;
  mean["aggregate"] = "mean";
  const auto* along = of_allocs ? "alloc" : "map";
  // Several engines stand side by side above each mapper, each in its colour.
  Json place{{"x", named(along, along, of_allocs ? allocs : maps)}}, colour{{"field", along}, {"legend", nullptr}};
  if (engines.size() > 1) {
    colour = named("engine", "engine", engines);
    place["xOffset"] = {{"field", "engine"}, {"sort", engines}};
  }
  auto of_means = place, of_runs = place;
  of_means["y"] = mean;
  of_means["color"] = colour;
  of_runs["y"] = time;
  // Bars are the means, lines their 95 % confidence intervals by bootstrap, points the runs.
  const Json bars{{"mark", {{"type", "bar"}, {"opacity", 0.6}}}, {"encoding", of_means}};
  const Json intervals{{"mark", {{"type", "errorbar"}, {"extent", "ci"}}}, {"encoding", of_runs}};
  const Json points{{"mark", {{"type", "point"}, {"size", 12}, {"tooltip", {{"content", "data"}}}}},
                    {"encoding", of_runs}};
  const Json spec{
      {"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
      {"description", "Times that toroid compare predicted: means, 95 % confidence intervals, and each run"},
      {"data", {{"values", values}}},
      {"facet", {{"row", named("machine", "machine", rows)}, {"column", named("trace", "trace", traces)}}},
      {"resolve", {{"scale", {{"y", "independent"}}}}},
      {"spec", {{"layer", Json::array({bars, intervals, points})}}}};
  return core::json_text(spec, 1) + "\n";
}

}  // namespace toroid::views
