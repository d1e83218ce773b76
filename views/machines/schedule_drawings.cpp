#include "views/machines/schedule_drawings.hpp"

#include <numeric>

#include "cosim/jobs_csv.hpp"
#include "views/charts/labels.hpp"
#include "views/charts/svg.hpp"
#include "views/documents/machine_columns.hpp"
#include "views/machines/holds.hpp"

namespace toroid::views {
namespace {

using platforms::Coordinates;
using platforms::Machine;
using platforms::NodeId;

constexpr double drawing_margin = 30;

std::vector<std::uint8_t> snapshot_colours(const Machine& machine, const cosim::Snapshot& snapshot) {
  std::vector<cosim::Allocation> held;
  for (const auto& holder : snapshot.holders) held.push_back(holder.nodes);
  return colours_of(machine, held);
}

/// A box as a part of a path.
std::string box(double x, double y, double width, double height) {
  return fmt::format("M{} {}h{}v{}h-{}z", number(x), number(y), number(width), number(height), number(width));
}

std::string nodes_of(std::size_t count) {
  return fmt::format("{} node{}", count, count == 1 ? "" : "s");
}

/// One picture of all nodes: planes side by side, in rows of them.
class MachineView {
 public:
  MachineView(const Machine& machine, bool physical) : machine_(machine), physical_(physical) {
    const auto& grid = machine.grid();
    columns_ = grid.dimension(0).extent;
    if (grid.dimension_count() > 1) rows_ = grid.dimension(1).extent;
    for (std::size_t d = 2; d < grid.dimension_count(); ++d) planes_ *= grid.dimension(d).extent;
    cell_ = grid.size() <= 1024 ? 14 : grid.size() <= 10'000 ? 8 : 5;
    const double fit = std::floor(1000 / (columns_ * cell_ + gap));
    across_ = std::clamp(static_cast<std::int32_t>(fit), 1, planes_);
  }

  double width() const { return across_ * (columns_ * cell_ + gap); }
  double height() const { return (planes_ + across_ - 1) / across_ * (rows_ * cell_ + gap + label_height()); }
  /// The height of the labels above planes; there are none above a single one.
  double label_height() const { return planes_ > 1 ? 8 : 0; }

  /// Writes above each plane where it lies along the dimensions that it does not show: `z=3`.
  void draw_labels(Svg& svg, double left, double top) const {
    const auto& grid = machine_.grid();
    for (std::int32_t plane = 0; planes_ > 1 && plane < planes_; ++plane) {
      std::vector<std::string> at;
      auto rest = plane;
      for (std::size_t d = 2; d < grid.dimension_count(); ++d) {
        at.push_back(fmt::format("{}={}", grid.name(d), rest % grid.dimension(d).extent));
        rest /= grid.dimension(d).extent;
      }
      const auto whole = core::join(at);
      svg.text(x_of(plane, left), y_of(plane, top) - 3, fitted(whole, label_font, columns_ * cell_ + gap - 4),
               {{"class", "label"}}, whole);
    }
  }

  /// Where a node is: routers are squares, their nodes stripes of them.
  std::string node(NodeId node, double left, double top) const {
    const auto router = machine_.router(node);
    const auto at = place(machine_.grid().coordinates(router));
    std::int32_t plane = 0;
    for (std::size_t d = machine_.grid().dimension_count(); d > 2; --d)
      plane = plane * machine_.grid().dimension(d - 1).extent + at[d - 1];
    const auto share = cell_ / machine_.description().nodes_per_router;
    const auto stripe = node - machine_.first_node(router);
    const double x = x_of(plane, left) + at[0] * cell_;
    const double y = y_of(plane, top) + at[1] * cell_ + stripe * share;
    return box(x, y, cell_ - 1, share - (share > 2 ? 1 : 0));
  }

 private:
  static constexpr double gap = 12, label_font = 11;

  double x_of(std::int32_t plane, double left) const { return left + plane % across_ * (columns_ * cell_ + gap); }
  double y_of(std::int32_t plane, double top) const {
    return top + label_height() + plane / across_ * (rows_ * cell_ + gap + label_height());
  }
  Coordinates place(Coordinates at) const {
    const auto& cabling = machine_.description().cabling;
    for (std::size_t d = 0; physical_ && d < cabling.size(); ++d)
      if (!cabling[d].empty()) at[d] = cabling[d][static_cast<std::size_t>(at[d])];
    return at;
  }

  const Machine& machine_;
  bool physical_;
  std::int32_t columns_ = 1, rows_ = 1, planes_ = 1, across_ = 1;
  double cell_ = 0;
};

bool is_folded(const Machine& machine) {
  const auto& cabling = machine.description().cabling;
  return std::any_of(cabling.begin(), cabling.end(), [](const auto& places) { return !places.empty(); });
}

constexpr const char* out_colour = "#c00";
const Attributes free_look{{"class", "free"}, {"fill", "#8882"}};
const Attributes idle_look{{"fill", "none"}, {"stroke", "#888"}, {"stroke-width", 0.5}};

template <class Nodes>
std::string path_of(const MachineView& view, const Nodes& nodes, double top) {
  std::string path;
  for (const NodeId node : nodes) path += view.node(node, drawing_margin, top);
  return path;
}

void draw_view(Svg& svg, const Machine& machine, const MachineView& view, const cosim::Snapshot& snapshot,
               const std::vector<std::uint8_t>& colours, double top) {
  view.draw_labels(svg, drawing_margin, top);
  core::IdVector<NodeId, char> is_held(machine.node_count(), 0);
  for (const auto& holder : snapshot.holders)
    for (const NodeId node : holder.nodes) is_held[node] = 1;
  for (const NodeId node : snapshot.out) is_held[node] = 1;
  std::vector<NodeId> free, idle;
  for (const NodeId node : is_held.ids())
    if (is_held[node] == 0) (machine.computes(node) ? free : idle).push_back(node);
  const auto draw = [&](Attributes look, const auto& nodes, std::string_view name) {
    if (nodes.empty()) return;
    look.emplace_back("d", path_of(view, nodes, top));
    svg.shape("path", look, name);
  };
  draw(free_look, free, "free");
  draw(idle_look, idle, "does not compute");
  draw({{"class", "out"}, {"fill", out_colour}}, snapshot.out, "out");
  for (std::size_t i = 0; i < snapshot.holders.size(); ++i) {
    const auto& holder = snapshot.holders[i];
    svg.shape("path", {{"d", path_of(view, holder.nodes, top)}, {"fill", job_colour_text(colours[i])}},
              fmt::format("job {}: {}", holder.name, nodes_of(holder.nodes.size())));
  }
}

/// A square of a legend, and what it means.
void draw_square(Svg& svg, double x, double y, Attributes look, const std::string& shown, std::string_view whole = {}) {
  look.emplace_back("d", box(x, y, 10, 10));
  svg.shape("path", look);
  if (!shown.empty()) svg.text(x + 15, y + 10, shown, {{"class", "label"}}, whole);
}

/// The largest jobs with their colours, and what else squares of a snapshot mean: free, out, not computing, where there
/// are such nodes.
void draw_snapshot_legend(Svg& svg, const Machine& machine, const cosim::Snapshot& snapshot,
                          const std::vector<std::uint8_t>& colours, double left, double top, double width,
                          std::size_t most) {
  constexpr double font = 11, line = 16;
  std::vector<std::size_t> order(snapshot.holders.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto nodes = [&](std::size_t i) { return snapshot.holders[i].nodes.size(); };
  std::ranges::stable_sort(order, std::greater<>(), nodes);
  std::size_t held = snapshot.out.size();
  for (const auto i : order) held += nodes(i);
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i, top += line) {
    const auto text = fmt::format("{}: {}", snapshot.holders[order[i]].name, nodes_of(nodes(order[i])));
    draw_square(svg, left, top, {{"fill", job_colour_text(colours[order[i]])}}, fitted(text, font, width - 15), text);
  }
  if (order.size() > most) {
    svg.text(left, top + 10, fmt::format("and {} smaller", order.size() - most), {{"class", "label"}});
    top += line;
  }
  const auto add = [&](bool is_there, const Attributes& look, const std::string& name) {
    if (is_there) draw_square(svg, left, std::exchange(top, top + line), look, name);
  };
  add(held < machine.compute_nodes().size(), free_look, "free");
  add(machine.compute_nodes().size() < static_cast<std::size_t>(machine.node_count()), idle_look, "does not compute");
  add(!snapshot.out.empty(), {{"fill", out_colour}}, "out");
}

/// Where things are in a Gantt chart.
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

std::string snapshot_svg(const Machine& machine, const cosim::Snapshot& snapshot) {
  constexpr double heading = 24, legend = 170, states = 3 * 16;  // states: lines for what is no job
  const MachineView physical(machine, true), joined(machine, false);
  const bool both = is_folded(machine);
  const double one = joined.height() + heading;
  const double height = std::max(40 + (both ? 2 : 1) * one + drawing_margin, 90 + 2 * 16 + states);
  const auto title = fmt::format("{} at {} s: {} job{}", machine.name(), snapshot.time, snapshot.holders.size(),
                                 snapshot.holders.size() == 1 ? "" : "s");
  Svg svg(std::max(joined.width() + 2 * drawing_margin + legend, 10 * static_cast<double>(title.size())), height,
          title);
  svg.text(drawing_margin, 25, title, {{"class", "title"}});
  const auto colours = snapshot_colours(machine, snapshot);
  double top = 40;
  if (both) {
    svg.text(drawing_margin, top + 14, "as the routers stand", {{"class", "heading"}});
    draw_view(svg, machine, physical, snapshot, colours, top + heading);
    top += one;
    svg.text(drawing_margin, top + 14, "as they are joined", {{"class", "heading"}});
  }
  draw_view(svg, machine, joined, snapshot, colours, top + heading);
  svg.open_group({{"class", "legend"}});
  draw_snapshot_legend(svg, machine, snapshot, colours, drawing_margin + joined.width() + 10, 40 + heading, legend,
                       static_cast<std::size_t>(std::max(1.0, (height - 90 - states) / 16)));
  svg.close_group();
  return svg.finish();
}

std::string gantt_svg(const Machine& machine, const std::vector<cosim::GanttJob>& jobs,
                      const std::vector<cosim::Outage>& outages) {
  constexpr double width = 1000, left = 60, top = 45;
  const double height = std::clamp(4.0 * machine.node_count(), 120.0, 800.0);
  double first = 0, last = 1;
  if (!jobs.empty()) {
    first = std::min_element(jobs.begin(), jobs.end(), [](auto& a, auto& b) { return a.started < b.started; })->started;
    last = std::max_element(jobs.begin(), jobs.end(), [](auto& a, auto& b) { return a.ended < b.ended; })->ended;
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
    draw_square(svg, std::exchange(x, x + 12), y, {{"fill", job_colour_text(colour)}}, "");
  svg.text(x + 3, y + 9, "jobs; jobs beside each other have different colours", {{"class", "label"}});
  if (!outages.empty()) draw_square(svg, x + 320, y, {{"fill", out_colour}}, "node is out");
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
