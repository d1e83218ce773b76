#include "cli/sweep_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/table.hpp"
#include "core/units.hpp"
#include "cosim/schedule_metrics.hpp"
#include "views/charts/bar_chart.hpp"
#include "views/documents/page.hpp"
#include "views/studies/sweep_chart.hpp"

namespace toroid::cli {

std::string left_out_line(double seconds) {
  if (seconds <= 0) return {};
  return fmt::format(
      "left out       {} of computation by the busiest rank of a job, on average: run times are communication times; "
      "--compute trace includes it\n",
      core::format_duration(seconds));
}

std::string averaged_line(const std::optional<double>& most_variation) {
  if (!most_variation) return {};
  if (*most_variation == 0)
    return "averaged       nothing: no iterations of recorded programs compute differently; as by --compute trace\n";
  return fmt::format(
      "averaged       the computation of recorded programs, which varied from iteration to iteration by {:.1f} % at "
      "most (standard deviation over mean)\n",
      100 * *most_variation);
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
  header.emplace_back("runs");
  for (const auto& column : columns) header.push_back(column.title());
  core::Table table(header);
  double left_out = 0;
  std::optional<double> variation;  // no number is less than any
  for (const auto& group : groups) {
    const auto& run = group.run;
    std::vector<std::string> row{labels.platforms[run.platform], labels.workloads[run.workload],
                                 labels.schedulers[run.scheduler], labels.allocs[run.alloc]};
    if (maps) row.push_back(labels.maps[run.map]);
    row.push_back(std::to_string(group.rows.size()));
    for (const auto& column : columns) row.push_back(column.cell(group));
    table.add(row);
    if (maps && !group.rows.empty()) left_out = std::max(left_out, group.mean("mean_computation_left_out_s"));
    for (const auto* row_of_run : group.rows)
      if (const auto found = row_of_run->result.find("max_computation_variation");
          found != row_of_run->result.end() && !found->is_null())
        variation = std::max(variation, std::optional(found->get<double>()));
  }
  const auto line = left_out_line(left_out) + averaged_line(variation);
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

namespace {

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

class LogAdviceCharts {
 public:
  explicit LogAdviceCharts(const study::LogAdvice& advice) : advice_(advice) {}

  /// How much longer jobs take beside each other: a group for each assumed share of communication, a bar for each
  /// allocator.
  BarChart neighbours(const std::vector<double>& shares) const {
    BarChart chart;
    chart.title = "What neighbours cost";
    chart.subtitle = fmt::format("jobs that hold nodes at {} instants, beside each other and alone", advice_.instants);
    chart.axis = "longer than alone [%]";
    chart.gap = "not known";
    chart.series = names();
    BarPanel panel{"by the share of their time in which jobs communicate", {}};
    for (std::size_t share = 0; share < shares.size(); ++share) {
      chart.groups.push_back(fmt::format("{:g} %", 100 * shares[share]));
      auto& bars = panel.groups.emplace_back();
      for (const auto& costs : advice_.costs) {
        auto& bar = bars.emplace_back();
        if (share >= costs.neighbours.size()) continue;
        bar = neighbour_bar(name(costs), costs.neighbours[share]);
        if (costs.neighbours[share].interval)
          chart.remark = "Whiskers: 95 % confidence intervals of the means over instants";
      }
    }
    chart.panels.push_back(std::move(panel));
    return chart;
  }

  /// The shares of an allocator: of the free nodes that lie in pieces, and of the jobs that waited for a shape.
  BarChart shapes() const {
    BarChart chart;
    chart.title = "What shapes cost";
    chart.axis = "share [%]";
    chart.gap = "not known";
    chart.subtitle =
        "free nodes outside the largest free region, over time; jobs that waited although enough were free";
    chart.groups = {"free nodes in pieces", "jobs that waited"};
    chart.series = names();
    BarPanel panel{"", {{}, {}}};
    for (const auto& costs : advice_.costs) {
      panel.groups[0].push_back(share_bar(name(costs), costs.outside));
      panel.groups[1].push_back(share_bar(name(costs), costs.delayed));
    }
    chart.panels.push_back(std::move(panel));
    return chart;
  }

 private:
  static Bar neighbour_bar(const std::string& name, const study::NeighbourCosts& cost) {
    Bar bar;
    bar.value = std::max(0.0, 100 * cost.longer);
    if (cost.interval) {
      bar.low = std::max(0.0, 100 * cost.interval->low);
      bar.high = std::max(0.0, 100 * cost.interval->high);
    }
    bar.tooltip = fmt::format("{}: {:.2f} % on average, {:.2f} % at most", name, *bar.value, 100 * cost.longest);
    return bar;
  }
  static Bar share_bar(const std::string& name, const std::optional<double>& share) {
    Bar bar;
    if (!share) return bar;
    bar.value = 100 * *share;
    bar.tooltip = fmt::format("{}: {:.2f} %", name, *bar.value);
    return bar;
  }

  const std::string& name(const study::AllocatorCosts& costs) const {
    return advice_.allocators.sweep->spec().labels.allocs[costs.allocator];
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& costs : advice_.costs) all.push_back(name(costs));
    return all;
  }

  const study::LogAdvice& advice_;
};

}  // namespace

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
    if (judged.sweep->spec().has_programs()) one.map = labels.maps[run.map];
    if (group.rows.empty()) continue;
    for (const auto& metric : cosim::schedule_metrics())
      one.means.emplace(metric.name, views::SweptMean{group.mean(metric.name),
                                                      span_of(study::interval_of_mean(group.values(metric.name)))});
  }
  return contenders;
}

std::string log_advice_page(const study::LogAdvice& advice, const std::vector<double>& shares, const std::string& text,
                            const core::Json& manifest) {
  const LogAdviceCharts charts(advice);
  views::HtmlPage page("Advice on a job log");
  page.paragraph(fmt::format("{} on {}, toroid {}.", manifest["jobs"].get<std::string>(),
                             manifest["platform"].get<std::string>(), manifest["toroid"].get<std::string>()));
  page.heading("Allocators");
  page.picture(bars_svg(advice.allocators));
  page.picture(bar_chart_svg(charts.shapes()));
  page.picture(bar_chart_svg(charts.neighbours(shares)));
  if (advice.schedulers.sweep) {
    page.heading("Schedulers");
    page.picture(bars_svg(advice.schedulers));
  }
  page.heading("In words");
  page.preformatted(text);
  page.heading("What it was made from");
  page.preformatted(core::json_text(manifest, 1));
  return page.finish();
}

}  // namespace toroid::cli
