#include "views/machines/schedule_drawings.hpp"

#include "cosim/jobs_csv.hpp"
#include "views/charts/svg.hpp"
#include "views/machines/holds.hpp"

namespace toroid::views {
namespace {

constexpr double drawing_margin = 30;

/// A box as a part of a path.
std::string box(double x, double y, double width, double height) {
  return fmt::format("M{} {}h{}v{}h-{}z", number(x), number(y), number(width), number(height), number(width));
}

std::string nodes_of(std::size_t count) {
  return fmt::format("{} node{}", count, count == 1 ? "" : "s");
}

constexpr const char* out_colour = "#c00";

void draw_square(Svg& svg, double x, double y, const std::string& colour, const std::string& meaning) {
  svg.shape("path", {{"fill", colour}, {"d", box(x, y, 10, 10)}});
  if (!meaning.empty()) svg.text(x + 15, y + 10, meaning, {{"class", "label"}});
}

struct GanttScale {
  double left, bottom, first, per_second, per_node;

  /// `count` nodes from `node` on, for a time.
  std::string box_of(NodeId node, std::size_t count, double began, double ended) const {
    const auto nodes = static_cast<double>(count);
    return box(left + (began - first) * per_second, bottom - per_node * (node.value() + nodes),
               (ended - began) * per_second, per_node * nodes);
  }
};

std::string path_of(const GanttScale& scale, const cosim::GanttJob& job) {
  std::string path;
  job.for_each_hold([&](const auto& nodes, double began, double ended) {
    cosim::for_each_run(nodes,
                        [&](NodeId first, std::size_t count) { path += scale.box_of(first, count, began, ended); });
  });
  return path;
}

}  // namespace

std::string gantt_svg(const Machine& machine, const std::vector<cosim::GanttJob>& jobs,
                      const std::vector<cosim::Outage>& outages) {
  constexpr double width = 1000, left = 60, top = 45;
  const double height = std::clamp(4.0 * machine.node_count(), 120.0, 800.0);
  double first = 0, last = 1;
  if (!jobs.empty()) {
    first = std::ranges::min_element(jobs, [](auto& a, auto& b) { return a.started < b.started; })->started;
    last = std::ranges::max_element(jobs, [](auto& a, auto& b) { return a.ended < b.ended; })->ended;
  }
  const GanttScale scale{left, top + height, first, width / std::max(last - first, 1e-12),
                         height / machine.node_count()};
  const auto title = fmt::format("{} job{} on {}", jobs.size(), jobs.size() == 1 ? "" : "s", machine.name());
  Svg svg(left + width + 2 * drawing_margin, top + height + 60, title);
  svg.text(left, 25, title, {{"class", "title"}});
  const auto colours = colours_of(machine, jobs);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    svg.shape(
        "path",
        {{"d", path_of(scale, job)}, {"fill", job_colour_text(colours[i])}, {"stroke", "#fff"}, {"stroke-width", 0.2}},
        fmt::format("job {}: {}, {} s to {} s", job.name, nodes_of(job.nodes.size()), job.started, job.ended));
  }
  for (const auto& outage : outages)
    svg.shape("path",
              {{"d", scale.box_of(outage.node, 1, std::max(first, outage.began), std::max(first, outage.ended))},
               {"class", "out"},
               {"fill", out_colour}},
              fmt::format("n{} is out, {} s to {} s", outage.node.value(), outage.began, outage.ended));
  svg.line(left, top + height, left + width, top + height, "axis");
  svg.line(left, top, left, top + height, "axis");
  const auto unit = time_unit(last - first);
  const double step = tick_step((last - first) / unit.seconds);
  svg.open_group({{"class", "ticks"}});
  for (double tick = std::ceil(first / unit.seconds / step - 1e-9); tick * step * unit.seconds <= last; ++tick) {
    const double x = left + (tick * step * unit.seconds - first) * scale.per_second;
    svg.line(x, top + height, x, top + height + 4, "axis");
    svg.text(x, top + height + 18, fmt::format("{} {}", tick_label(tick * step, step), unit.name),
             {{"class", "label"}, {"text-anchor", "middle"}});
  }
  svg.close_group();
  svg.open_group({{"class", "legend"}});
  double x = left;
  const double y = top + height + 36;
  for (const auto colour : std::set<std::uint8_t>(colours.begin(), colours.end()))
    draw_square(svg, std::exchange(x, x + 12), y, job_colour_text(colour), "");
  svg.text(x + 3, y + 9, "jobs; jobs beside each other have different colours", {{"class", "label"}});
  if (!outages.empty()) draw_square(svg, x + 320, y, out_colour, "node is out");
  svg.close_group();
  svg.text(left - 6, top + 8, fmt::format("n{}", machine.node_count() - 1),
           {{"class", "label"}, {"text-anchor", "end"}});
  svg.text(left - 6, top + height, "n0", {{"class", "label"}, {"text-anchor", "end"}});
  return svg.finish();
}

LineChart link_loads_chart(const cosim::LinkLoadsOverTime& loads, const std::string& title) {
  const double last = loads.windows.empty() ? 0 : loads.windows.back().begin + loads.windows.back().seconds;
  const auto unit = time_unit(last);
  LineChart chart{
      title, "", fmt::format("time since the beginning of the log [{}]", unit.name), "utilisation of links [%]", {}};
  chart.lines = {{"all links", {}}, {"the busiest", {}}};
  for (const auto& window : loads.windows) {
    const double middle = window.begin + window.seconds / 2;
    const double mean = 100 * window.mean_utilization, most = 100 * window.max_utilization;
    const auto busiest = window.busiest.empty() ? "" : ", " + window.busiest;
    chart.lines[0].points.push_back({middle / unit.seconds, mean, fmt::format("{:.6g} s: {:.3g} %", middle, mean)});
    chart.lines[1].points.push_back(
        {middle / unit.seconds, most, fmt::format("{:.6g} s: {:.3g} %{}", middle, most, busiest)});
  }
  return chart;
}

}  // namespace toroid::views
