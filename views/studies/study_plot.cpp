#include "views/studies/study_plot.hpp"

#include <numeric>
#include <set>

#include "core/units.hpp"
#include "toroid/netsim/results/metrics.hpp"
#include "views/charts/charts.hpp"
#include "views/charts/frame.hpp"

namespace toroid::views {
namespace {

double mean(const std::vector<double>& values) {
  TOROID_ASSERT(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// How times of a panel are drawn: divided by what, and what that is called.
struct Scale {
  double unit = 1;  ///< seconds
  std::string axis;
};

/// The runs of one panel by one engine.
class Cell {
 public:
  Cell(const StudyRuns& study, std::size_t panel, std::size_t engine) : times_(study.contenders()) {
    for (const auto& run : study.runs)
      if (study.panel_of(run) == panel && run.of[StudyRuns::engine] == engine) {
        runs_.push_back(&run);
        TOROID_ASSERT(run.of[study.subject] < times_.size());
        times_[run.of[study.subject]].push_back(run.runtime);
      }
  }
  const std::vector<const StudyRuns::Run*>& runs() const { return runs_; }
  const std::vector<std::vector<double>>& times() const { return times_; }

  /// The contender with the lowest mean; nothing without runs.
  std::optional<std::size_t> best() const {
    std::optional<std::size_t> found;
    for (std::size_t c = 0; c < times_.size(); ++c)
      if (!times_[c].empty() && (!found || mean(times_[c]) < mean(times_[*found]))) found = c;
    return found;
  }
  double longest() const {
    double longest = 0;
    for (const auto* run : runs_) longest = std::max(longest, run->runtime);
    return longest;
  }

 private:
  std::vector<const StudyRuns::Run*> runs_;
  std::vector<std::vector<double>> times_;  ///< run times by contender
};

class Plotting {
 public:
  Plotting(const StudyRuns& study, const StudyPlotOptions& options)
      : study_(study),
        options_(options),
        absolute_(options.absolute || study.subject == StudyRuns::trace),
        engines_(std::max<std::size_t>(1, study.labels[StudyRuns::engine].size())) {}

  std::string runs() {
    RunsPlot plot{title(),  study_.labels[study_.subject],   {},
                  {},       pixels_of_mm(options_.width_mm), options_.boxes ? 5 : none,
                  spacing()};
    for (std::size_t panel = 0; panel < study_.panels(); ++panel) {
      std::vector<Cell> cells;
      double longest = 0;
      for (std::size_t engine = 0; engine < engines_; ++engine) {
        cells.emplace_back(study_, panel, engine);
        longest = std::max(longest, cells.back().longest());
      }
      RunsLine line{study_.name_of_panel(panel), scale(cells[0], longest).axis, {}};
      for (std::size_t engine = 0; engine < engines_; ++engine)
        line.panels.push_back(panel_of(cells[engine], panel, engine, scale(cells[engine], longest)));
      plot.lines.push_back(std::move(line));
    }
    plot.notes = notes();
    plot.has_one_axis = !absolute_;
    return runs_plot_svg(std::move(plot));
  }

  std::string scatter() const {
    ScatterPlot plot{title(), study_.labels[study_.subject], {}, {}, pixels_of_mm(options_.width_mm), spacing()};
    for (std::size_t panel = 0; panel < study_.panels(); ++panel)
      for (std::size_t engine = 0; engine < engines_; ++engine) {
        const Cell cell(study_, panel, engine);
        const auto times = scale(cell, cell.longest());
        ScatterLine line{
            study_.name_of_panel(panel) + (engines_ > 1 ? ", " + engine_name(engine) : ""), times.axis, {}};
        for (const auto& metric : options_.against)
          line.panels.push_back(scatter_panel(cell, metric, panel, engine, times.unit));
        plot.lines.push_back(std::move(line));
      }
    if (!study_.correlations.empty())
      plot.notes.emplace_back("\u03c1: rank correlation (Spearman) over all runs of a panel");
    if (options_.log_scale) plot.notes.emplace_back(log_note);
    plot.notes.push_back(study_.failures());
    return scatter_plot_svg(plot);
  }

 private:
  static constexpr auto none = std::numeric_limits<std::size_t>::max();
  static constexpr auto log_note = "Times stand on a logarithmic axis";

  Spacing spacing() const { return options_.log_scale ? Spacing::logarithmic : Spacing::linear; }

  std::string title() const { return fmt::format("{} of {} runs", study_.time_in_words(), study_.runs.size()); }
  const std::string& engine_name(std::size_t engine) const { return study_.labels[StudyRuns::engine][engine]; }
  Scale scale(const Cell& cell, double longest) const {
    if (absolute_) {
      const auto unit = time_unit(longest);
      return {unit.seconds, fmt::format("{} [{}]", study_.time_in_words(), unit.name)};
    }
    const auto best = cell.best();
    const double least = best ? mean(cell.times()[*best]) : 0;
    return {least > 0 ? least : 1, fmt::format("{} / best mean", study_.time_in_words())};
  }

  RunsPanel panel_of(const Cell& cell, std::size_t panel, std::size_t engine, const Scale& scale) {
    RunsPanel drawn{engines_ > 1 ? engine_name(engine) : "", {}};
    const auto& names = study_.labels[study_.subject];
    for (std::size_t c = 0; c < cell.times().size(); ++c) {
      auto& runs = drawn.contenders.emplace_back();
      runs.tooltip = names[c] + ": no run succeeded";
      if (cell.times()[c].empty()) continue;
      for (const double time : cell.times()[c]) runs.values.push_back(time / scale.unit);
      runs.tooltip = fmt::format("{}: {} runs, mean {}", names[c], cell.times()[c].size(),
                                 core::format_duration(mean(cell.times()[c])));
    }
    add_marks(drawn, cell, panel, engine);
    return drawn;
  }

  /// Marks the contenders that were tested beside the baseline, or else beside the lowest mean.
  void add_marks(RunsPanel& drawn, const Cell& cell, std::size_t panel, std::size_t engine) {
    const auto is_here = [&](const StudyRuns::Pair& pair) { return pair.panel == panel && pair.engine == engine; };
    auto reference = cell.best();
    // With a baseline all pairs are with the baseline.
    std::set<std::size_t> others;
    for (const auto& pair : study_.pairs)
      if (is_here(pair)) others.insert(pair.other);
    const bool has_baseline = others.size() == 1 && cell.times().size() > 2;
    if (has_baseline) reference = *others.begin();
    for (const auto& pair : study_.pairs) {
      if (!is_here(pair) || !reference || (pair.one != *reference && pair.other != *reference)) continue;
      const auto contender = pair.one == *reference ? pair.other : pair.one;
      auto& one = drawn.contenders[contender];
      one.mark = mark_of(pair);
      one.tooltip += fmt::format("; beside {}: {}{}", study_.labels[study_.subject][*reference],
                                 conclusion_on(contender, pair), pair.p ? fmt::format(", p = {:.2g}", *pair.p) : "");
      used_.insert(one.mark);
      drawn.reference = reference;
    }
    beside_baseline_ |= has_baseline;
  }

  static bool differs(const StudyRuns::Pair& pair) {
    return pair.conclusion == "faster" || pair.conclusion == "slower";
  }

  /// What a pair says of one of the two.
  static std::string conclusion_on(std::size_t contender, const StudyRuns::Pair& pair) {
    if (pair.one == contender || !differs(pair)) return pair.conclusion;
    return pair.conclusion == "faster" ? "slower" : "faster";
  }

  static std::string mark_of(const StudyRuns::Pair& pair) {
    if (pair.conclusion == "too few runs") return "few";
    if (pair.conclusion == "equal") return "=";
    if (!differs(pair)) return "ns";
    if (!pair.p) return "\u2260";
    return *pair.p < 0.001 ? "***" : *pair.p < 0.01 ? "**" : "*";
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> all;
    if (options_.boxes)
      all.emplace_back(
          "Box: quartiles and median of five runs or more, whiskers to the ends; short line: mean of fewer runs");
    std::vector<std::string> meanings;
    const std::array<std::pair<const char*, std::string>, 7> marks{{{"***", "p < 0.001"},
                                                                    {"**", "p < 0.01"},
                                                                    {"*", fmt::format("p < {}", study_.alpha)},
                                                                    {"ns", "not distinguishable"},
                                                                    {"few", "too few runs to show a difference"},
                                                                    {"\u2260", "different, without chance"},
                                                                    {"=", "equal"}}};
    for (const auto& [mark, meaning] : marks)
      if (used_.contains(mark)) meanings.push_back(fmt::format("{} {}", mark, meaning));
    if (!meanings.empty())
      all.push_back(fmt::format("Bracket: beside the {} (dot), corrected by Holm: {}",
                                beside_baseline_ ? "baseline" : "lowest mean", core::join(meanings)));
    if (options_.log_scale) all.emplace_back(log_note);
    all.push_back(study_.failures());
    return all;
  }

  ScatterPanel scatter_panel(const Cell& cell, const std::string& metric, std::size_t panel, std::size_t engine,
                             double unit_of_time) const {
    double largest = 0;
    for (const auto* run : cell.runs())
      if (const auto value = run->metrics.find(metric); value != run->metrics.end())
        largest = std::max(largest, value->second.get<double>());
    const auto [unit, name] = axis_of(metric, largest);
    ScatterPanel drawn{name, "", {}};
    for (const auto* run : cell.runs())
      if (const auto value = run->metrics.find(metric); value != run->metrics.end())
        drawn.points.push_back(
            {run->of[study_.subject], value->second.get<double>() / unit, run->runtime / unit_of_time});
    for (const auto& c : study_.correlations)
      if (c.panel == panel && c.engine == engine && c.metric == metric)
        drawn.title = fmt::format("\u03c1 = {:.2f}", c.spearman);
    return drawn;
  }

  /// The name of a metric with a unit that suits values up to `largest`, and that unit.
  static std::pair<double, std::string> axis_of(const std::string& metric, double largest) {
    const auto* known = netsim::find_metric(metric);  // the others are what else rows have: seeds, parts of the time
    const auto name = known == nullptr ? metric : std::string(known->in_words);
    if (known == nullptr ? metric.ends_with("_s") : known->type == "seconds") {
      const auto unit = time_unit(largest);
      return {unit.seconds, fmt::format("{} [{}]", name, unit.name)};
    }
    if (known == nullptr ? !metric.ends_with("bytes") : known->type != "bytes") return {1, name};
    double unit = 1;
    std::string_view prefix;
    for (const auto& [size, letter] : {std::pair(1e3, "k"), {1e6, "M"}, {1e9, "G"}, {1e12, "T"}})
      if (largest >= 3 * size) {
        unit = size;
        prefix = letter;
      }
    return {unit, fmt::format("{} [{}B]", name, prefix)};
  }

  const StudyRuns& study_;
  const StudyPlotOptions& options_;
  bool absolute_;
  std::size_t engines_;
  std::set<std::string> used_;  ///< marks that the plot has
  bool beside_baseline_ = false;
};

/// Throws InputError unless some run has each metric.
void check(const StudyRuns& study, const std::vector<std::string>& metrics) {
  std::set<std::string> known;
  for (const auto& run : study.runs)
    for (const auto& [name, value] : run.metrics) known.insert(name);
  for (const auto& metric : metrics)
    if (!known.contains(metric))
      core::fail_input("--against {}: expected a number of the runs: {}", metric,
                       core::join(std::vector<std::string>(known.begin(), known.end())));
}

}  // namespace

std::string study_plot_svg(const StudyRuns& study, const StudyPlotOptions& options) {
  check(study, options.against);
  const auto takes_nothing = [](const auto& run) { return !(run.runtime > 0); };
  if (options.log_scale && std::ranges::any_of(study.runs, takes_nothing))
    core::fail_input("--log: found a run that takes no time, expected times above 0");
  Plotting plotting(study, options);
  return options.against.empty() ? plotting.runs() : plotting.scatter();
}

}  // namespace toroid::views
