#include "cli/sweep_pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "views/charts/bar_chart.hpp"
#include "views/documents/page.hpp"
#include "views/studies/sweep_chart.hpp"

namespace toroid::cli {
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
  return bar_chart_svg(sweep_bars(swept_contenders(*judged.sweep, judged.groups), drawn));
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
    return advice_.allocators.sweep->spec().labels.allocators[costs.allocator];
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& costs : advice_.costs) all.push_back(name(costs));
    return all;
  }

  const study::LogAdvice& advice_;
};

}  // namespace

views::SweptContenders swept_contenders(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  const auto& labels = sweep.spec().labels;
  views::SweptContenders contenders;
  for (const auto& group : groups) {
    const auto& run = group.first;
    auto& one = contenders.emplace_back();
    one.platform = labels.platforms[run.platform];
    one.workload = labels.jobs[run.jobs];
    one.scheduler = labels.schedulers[run.scheduler];
    one.alloc = labels.allocators[run.allocator];
    if (sweep.spec().has_programs()) one.map = labels.maps[run.map];
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
