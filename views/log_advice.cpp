#include "views/log_advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "views/bar_chart.hpp"
#include "views/html.hpp"
#include "views/sweep_chart.hpp"

namespace toroid::views {
namespace {

using core::Json;

const std::vector<std::string> fields{"mean_wait_s", "mean_bounded_slowdown", "utilization", "avg_sum_pairwise_hops"};

/// How much longer jobs take beside each other: a group for each assumed share of communication, a bar for each
/// allocator.
BarChart neighbours_chart(const Json& advice) {
  BarChart chart;
  chart.title = "What neighbours cost";
  chart.subtitle = fmt::format("jobs that hold nodes at {} instants, beside each other and alone",
                               advice["instants"].get<std::size_t>());
  chart.axis = "longer than alone [%]";
  chart.gap = "not known";
  BarPanel panel{"by the share of their time in which jobs communicate", {}};
  const auto allocators = with_labels(advice["allocators"], advice["labels"]);
  for (const auto& one : allocators) chart.series.push_back(one["alloc"]);
  for (const auto& share : advice["manifest"]["shares"]) {
    chart.groups.push_back(fmt::format("{:g} %", 100 * share.get<double>()));
    auto& bars = panel.groups.emplace_back();
    for (const auto& one : allocators) {
      auto& bar = bars.emplace_back();
      const auto place = panel.groups.size() - 1;
      if (one["neighbours"].size() <= place) continue;
      const auto& cost = one["neighbours"][place];
      bar.value = std::max(0.0, 100 * cost["longer"].get<double>());
      if (const auto& interval = cost["interval"]; !interval.is_null()) {
        bar.low = std::max(0.0, 100 * interval[0].get<double>());
        bar.high = std::max(0.0, 100 * interval[1].get<double>());
        chart.remark = "Whiskers: 95 % confidence intervals of the means over instants";
      }
      bar.tooltip = fmt::format("{}: {:.2f} % on average, {:.2f} % at most", one["alloc"].get<std::string>(),
                                *bar.value, 100 * cost["longest"].get<double>());
    }
  }
  chart.panels.push_back(std::move(panel));
  return chart;
}

/// The shares of an allocator: of the free nodes that lie in pieces, and of the jobs that waited for a shape.
BarChart shape_chart(const Json& advice) {
  BarChart chart;
  chart.title = "What shapes cost";
  chart.axis = "share [%]";
  chart.gap = "not known";
  chart.subtitle = "free nodes outside the largest free region, over time; jobs that waited although enough were free";
  chart.groups = {"free nodes in pieces", "jobs that waited"};
  BarPanel panel{"", {{}, {}}};
  for (const auto& one : with_labels(advice["allocators"], advice["labels"])) {
    const auto add = [&](std::size_t group, const Json& share) {
      auto& bar = panel.groups[group].emplace_back();
      if (share.is_null()) return;
      bar.value = 100 * share.get<double>();
      bar.tooltip = fmt::format("{}: {:.2f} %", one["alloc"].get<std::string>(), *bar.value);
    };
    chart.series.push_back(one["alloc"]);
    add(0, one["outside_largest_region"]);
    add(1, one["delayed_by_shape"]);
  }
  chart.panels.push_back(std::move(panel));
  return chart;
}

}  // namespace

std::string log_advice_html(const Json& advice, const std::string& text) {
  HtmlPage page("Advice on a job log");
  page.paragraph(fmt::format("{} on {}, toroid {}.", advice["manifest"]["jobs"].get<std::string>(),
                             advice["manifest"]["platform"].get<std::string>(),
                             advice["manifest"]["toroid"].get<std::string>()));
  page.heading("Allocators");
  page.picture(bar_chart_svg(sweep_bars(with_labels(advice["by_allocator"]["summary"], advice["labels"]), fields)));
  page.picture(bar_chart_svg(shape_chart(advice)));
  page.picture(bar_chart_svg(neighbours_chart(advice)));
  if (!advice["by_scheduler"].is_null()) {
    page.heading("Schedulers");
    page.picture(bar_chart_svg(sweep_bars(with_labels(advice["by_scheduler"]["summary"], advice["labels"]), fields)));
  }
  page.heading("In words");
  page.preformatted(text);
  page.heading("What it was made from");
  page.preformatted(core::json_text(advice["manifest"], 1));
  return page.finish();
}

}  // namespace toroid::views
