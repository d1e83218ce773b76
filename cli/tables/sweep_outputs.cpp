#include "cli/tables/sweep_outputs.hpp"

#include "core/units.hpp"
#include "views/documents/page.hpp"

namespace toroid::cli {

std::string left_out_line(double seconds) {
  if (seconds <= 0) return {};
  return fmt::format(
      "left out       {} of computation by the busiest rank of a job, on average: run times are communication times; "
      "--compute trace includes it\n",
      core::format_duration(seconds));
}

namespace {

/// The means of a metric by group; times in the unit that suits them all.
class MeansColumn {
 public:
  MeansColumn(const cosim::ScheduleMetric& metric, const std::vector<study::SweepGroup>& groups) : metric_(metric) {
    if (metric.type == "seconds") unit_.emplace(means(groups));
  }
  std::string title() const {
    return unit_ ? fmt::format("{} [{}]", metric_.title, unit_->name()) : std::string(metric_.title);
  }
  std::string cell(const study::SweepGroup& group) const {
    if (group.rows.empty()) return "-";
    const double mean = group.mean(metric_.name);
    if (unit_) return unit_->format(mean);
    if (metric_.type == "share") return fmt::format("{:.2f} %", 100 * mean);
    return fmt::format(fmt::runtime(metric_.format), mean);
  }

 private:
  std::vector<double> means(const std::vector<study::SweepGroup>& groups) const {
    std::vector<double> found;
    for (const auto& group : groups)
      if (!group.rows.empty()) found.push_back(group.mean(metric_.name));
    return found;
  }
  cosim::ScheduleMetric metric_;
  std::optional<core::DurationUnit> unit_;
};

using views::Bar;
using views::BarChart;
using views::BarPanel;

std::optional<views::Span> span_of(const std::optional<study::Interval>& interval) {
  if (!interval) return std::nullopt;
  return views::Span{interval->low, interval->high};
}

std::string bars_svg(const study::JudgedSweep& judged) {
  std::vector<std::string> drawn;
  for (const auto& criterion : study::criteria(*judged.sweep))
    if (criterion.is_drawn) drawn.emplace_back(criterion.name);
  return bar_chart_svg(sweep_bars(swept_contenders(judged), drawn));
}

/// A group of bars for each assumption, a bar for each allocator that ran the log.
BarChart log_advice_chart(const study::LogAdvice& advice, const std::string& title, const std::string& axis,
                          const std::function<Bar(const study::AllocatorCosts&, const study::AssumedRuns&)>& bar_of) {
  BarChart chart;
  chart.title = title;
  chart.axis = axis;
  chart.gap = "not known";
  chart.series = advice.spec().labels.allocs;
  BarPanel panel{"", {}};
  for (const auto& runs : advice.assumed) {
    chart.groups.push_back(study::assumption_text(advice, runs));
    auto& bars = panel.groups.emplace_back();
    for (const auto& costs : runs.costs)
      bars.push_back(runs.standings[0].over_least[costs.allocator] ? bar_of(costs, runs) : Bar());
  }
  chart.panels.push_back(std::move(panel));
  return chart;
}

Bar bar_of(double value, const std::string& name) {
  Bar bar;
  bar.value = value;
  bar.tooltip = fmt::format("{}: {:.4g}", name, value);
  return bar;
}

/// The end of a page: the tables of the screen, and what it was made from.
std::string numbers_and_manifest(views::HtmlPage& page, const std::string& text, const core::Json& manifest) {
  page.heading("In numbers");
  page.preformatted(text);
  page.heading("What it was made from");
  page.preformatted(core::json_text(manifest, 1));
  return page.finish();
}

}  // namespace

std::string sweep_table(const study::JudgedSweep& judged) {
  const auto& groups = judged.groups;
  const auto& labels = judged.sweep->spec().labels;
  const bool maps = judged.sweep->spec().has_programs();
  std::vector<MeansColumn> columns;
  for (const auto& metric : cosim::placed_metrics(&cosim::ScheduleMetric::column, maps))
    columns.emplace_back(metric, groups);
  std::vector<std::string> header{"machine", "jobs", "scheduler", "allocator"};
  if (maps) header.emplace_back("map");
  const auto& events = labels.events;
  if (!events.empty()) header.emplace_back("events");
  header.emplace_back("runs");
  for (const auto& column : columns) header.push_back(column.title());
  core::Table table(header);
  double left_out = 0;
  for (const auto& group : groups) {
    const auto& run = group.run;
    std::vector<std::string> row{labels.platforms[run.platform], labels.workloads[run.workload],
                                 labels.schedulers[run.scheduler], labels.allocs[run.alloc]};
    if (maps) row.push_back(labels.maps[run.map]);
    if (!events.empty()) row.push_back(events[run.events]);
    row.push_back(std::to_string(group.rows.size()));
    for (const auto& column : columns) row.push_back(column.cell(group));
    table.add(row);
    if (maps && !group.rows.empty()) left_out = std::max(left_out, group.mean("mean_computation_left_out_s"));
  }
  const auto line = left_out_line(left_out);
  return table.text() + (line.empty() ? "" : "\n" + line);
}

std::string sweep_verdicts(const study::JudgedSweep& judged) {
  std::string text;
  for (const auto& found : judged.trade_offs) {
    const auto said = study::verdict_text(*judged.sweep, judged.groups, found);
    if (said.empty()) continue;
    const auto& labels = judged.sweep->spec().labels;
    const auto& run = judged.groups[found.groups[0]].run;
    text += '\n';
    if (judged.trade_offs.size() > 1)
      text += fmt::format("{:<15}{} on {}\n", "jobs", labels.workloads[run.workload], labels.platforms[run.platform]);
    text += said;
  }
  return text;
}

views::SweptContenders swept_contenders(const study::JudgedSweep& judged) {
  const auto& labels = judged.sweep->spec().labels;
  views::SweptContenders contenders;
  for (const auto& group : judged.groups) {
    const auto& run = group.run;
    auto& one = contenders.emplace_back();
    one.platform = labels.platforms[run.platform];
    one.workload = labels.workloads[run.workload];
    one.scheduler = labels.schedulers[run.scheduler];
    one.alloc = labels.allocs[run.alloc];
    if (!labels.events.empty()) one.alloc += ", " + labels.events[run.events];
    if (judged.sweep->spec().has_programs()) one.map = labels.maps[run.map];
    if (group.rows.empty()) continue;
    for (const auto& metric : cosim::schedule_metrics())
      one.means.emplace(metric.name, views::SweptMean{group.mean(metric.name),
                                                      span_of(study::interval_of_mean(group.values(metric.name)))});
  }
  return contenders;
}

std::string log_advice_page(const study::LogAdvice& advice, const std::string& when, const std::string& text,
                            const core::Json& manifest) {
  const auto name = [&](const study::AllocatorCosts& costs) { return advice.spec().labels.allocs[costs.allocator]; };
  views::HtmlPage page("Advice on a job log");
  page.paragraph(fmt::format("{} on {}, toroid {}.", when, advice.spec().labels.platforms[0],
                             manifest["toroid"].get<std::string>()));
  page.heading("Verdict");
  for (const auto& [label, said] : study::verdict_lines(advice)) page.paragraph(fmt::format("{}: {}.", label, said));
  page.heading("Allocators");
  constexpr double hour = 3600;
  page.picture(bar_chart_svg(log_advice_chart(advice, "Mean response", "hours", [&](const auto& costs, const auto&) {
    return bar_of(costs.response / hour, name(costs));
  })));
  page.picture(bar_chart_svg(log_advice_chart(
      advice, "Run time, by own nodes and neighbours", "over the run time in the log",
      [&](const auto& costs, const auto&) { return bar_of(1 + costs.own + costs.neighbours, name(costs)); })));
  if (advice.schedulers.sweep) {
    page.heading("Schedulers");
    page.picture(bars_svg(advice.schedulers));
  }
  return numbers_and_manifest(page, text, manifest);
}

std::string sweep_page(const study::JudgedSweep& judged, const std::string& without_effect,
                       const core::Json& manifest) {
  const auto& labels = judged.sweep->spec().labels;
  views::HtmlPage page("Schedules compared");
  page.paragraph(fmt::format("{} on {}, toroid {}.", core::join(labels.workloads), core::join(labels.platforms),
                             manifest["toroid"].get<std::string>()));
  page.heading("Verdict");
  page.preformatted(sweep_verdicts(judged) + without_effect);
  if (labels.workloads.size() == 1) page.picture(bars_svg(judged));
  return numbers_and_manifest(page, sweep_table(judged), manifest);
}

}  // namespace toroid::cli
