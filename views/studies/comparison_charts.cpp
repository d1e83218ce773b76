#include "views/studies/comparison_charts.hpp"

#include <cctype>
#include <numeric>
#include <ranges>

#include "core/units.hpp"

namespace toroid::views {
namespace {

using core::Json;
using Kind = StudyRuns::Kind;
using Place = StudyRuns::Place;

constexpr const char* whiskers = "whiskers: shortest to longest run";
constexpr const char* no_bar = "no run succeeded";

/// The runs at a place of a study.
struct RunsAtPlace {
  std::vector<double> times;
  std::size_t failed = 0;

  double mean() const {
    TOROID_ASSERT(!times.empty());
    return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
  }
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
    chart.title =
        fmt::format("{} by {}", kind, std::array{"machine", "program", "algorithms", "allocator", "mapping"}[series_]);
    chart.subtitle = subtitle();
    chart.axis = axis();
    chart.groups = is_of_programs ? std::vector<std::string>{""} : study_.labels[StudyRuns::trace];
    chart.series = study_.labels[series_];
    chart.gap = no_bar;
    if (is_one_mapper() || series_ != StudyRuns::platform) chart.remark = study_.failures();
    chart.cut = lengths_.cut;
    chart.has_one_axis = !lengths_.absolute || series_ <= StudyRuns::trace;
    add_panels({}, {}, chart);
    return chart;
  }

 private:
  /// Adds the panels at places that begin with these, which a title begins with.
  void add_panels(const std::vector<std::size_t>& begin, const std::vector<std::string>& title, BarChart& chart) const {
    constexpr std::array by{StudyRuns::platform, StudyRuns::collectives, StudyRuns::alloc, StudyRuns::engine};
    if (begin.size() == by.size()) {
      Place at{};
      for (std::size_t i = 0; i < by.size(); ++i) at[by[i]] = begin[i];
      chart.panels.push_back({core::join(title), groups(at)});
      return;
    }
    const auto kind = by[begin.size()];
    // What is compared has bars in a panel, as has what comes before it among the subjects of studies.
    const bool are_apart =
        kind == StudyRuns::engine || (kind == StudyRuns::platform ? series_ > StudyRuns::trace : kind < series_);
    for (std::size_t i = 0; i < (are_apart ? count(kind) : 1); ++i) {
      auto longer = begin;
      auto words = title;
      longer.push_back(i);
      if (are_apart && (kind == StudyRuns::platform || count(kind) > 1)) words.push_back(study_.labels[kind][i]);
      add_panels(longer, words, chart);
    }
  }

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

  /// The place itself, or where machines are compared the one with the lowest mean of all that differ in nothing else.
  Place best_of(Place at) const {
    if (series_ != StudyRuns::platform) return at;
    auto best = at;
    for (auto& c = at[StudyRuns::collectives] = 0; c < count(StudyRuns::collectives); ++c)
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
      for (const auto kind : {StudyRuns::collectives, StudyRuns::alloc})
        if (const auto told = name(kind); !told.empty()) names.insert(names.begin(), told);
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

}  // namespace

BarChart comparison_chart(const StudyRuns& study, StudyRuns::Kind series, const BarLengths& lengths) {
  return ComparisonBars(study, series, lengths).chart();
}

BarChart comparison_chart(const StudyRuns& study, const BarLengths& lengths) {
  return comparison_chart(study, study.subject, lengths);
}

}  // namespace toroid::views
