#include "views/schedule_drawings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/id.hpp"
#include "cosim/node_runs.hpp"
#include "views/svg.hpp"

namespace toroid::views {
namespace {

using platforms::Coordinates;
using platforms::Machine;
using platforms::NodeId;

constexpr double margin = 30;

/// Jobs that follow each other get hues far apart: a turn by the golden angle each.
std::string job_colour(cosim::JobId id) {
  const double hue = std::fmod(static_cast<double>(id) * 137.508, 360);
  return fmt::format("hsl({:.0f},60%,{}%)", hue, id % 2 == 0 ? 45 : 62);
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
  double height() const { return (planes_ + across_ - 1) / across_ * (rows_ * cell_ + gap); }

  /// Where a node is: routers are squares, their nodes stripes of them.
  std::string node(NodeId node, double left, double top) const {
    const auto router = machine_.router(node);
    const auto at = place(machine_.grid().coordinates(router));
    std::int32_t plane = 0;
    for (std::size_t d = machine_.grid().dimension_count(); d > 2; --d)
      plane = plane * machine_.grid().dimension(d - 1).extent + at[d - 1];
    const auto share = cell_ / machine_.description().nodes_per_router;
    const auto stripe = node - machine_.first_node(router);
    const double x = left + plane % across_ * (columns_ * cell_ + gap) + at[0] * cell_;
    const double y = top + plane / across_ * (rows_ * cell_ + gap) + at[1] * cell_ + stripe * share;
    return box(x, y, cell_ - 1, share - (share > 2 ? 1 : 0));
  }

 private:
  static constexpr double gap = 12;

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

template <class Nodes>
std::string path_of(const MachineView& view, const Nodes& nodes, double top) {
  std::string path;
  for (const NodeId node : nodes) path += view.node(node, margin, top);
  return path;
}

void draw_view(Svg& svg, const Machine& machine, const MachineView& view, const cosim::Snapshot& snapshot, double top) {
  core::IdVector<NodeId, char> is_held(machine.node_count(), 0);
  for (const auto& holder : snapshot.holders)
    for (const NodeId node : holder.nodes) is_held[node] = 1;
  for (const NodeId node : snapshot.out) is_held[node] = 1;
  std::vector<NodeId> free, idle;
  for (const NodeId node : is_held.ids())
    if (is_held[node] == 0) (machine.computes(node) ? free : idle).push_back(node);
  svg.shape("path", {{"d", path_of(view, free, top)}, {"class", "free"}, {"fill", "#8882"}}, "free");
  svg.shape("path", {{"d", path_of(view, idle, top)}, {"fill", "none"}, {"stroke", "#888"}, {"stroke-width", 0.5}},
            "does not compute");
  if (!snapshot.out.empty())
    svg.shape("path", {{"d", path_of(view, snapshot.out, top)}, {"class", "out"}, {"fill", "#c00"}}, "out");
  for (const auto& holder : snapshot.holders)
    svg.shape("path", {{"d", path_of(view, holder.nodes, top)}, {"fill", job_colour(holder.id)}},
              fmt::format("job {}: {}", holder.name, nodes_of(holder.nodes.size())));
}

/// The largest jobs with their colours.
void draw_legend(Svg& svg, const cosim::Snapshot& snapshot, double left, double top, std::size_t most) {
  auto holders = snapshot.holders;
  std::stable_sort(holders.begin(), holders.end(),
                   [](const auto& a, const auto& b) { return a.nodes.size() > b.nodes.size(); });
  for (std::size_t i = 0; i < std::min(most, holders.size()); ++i, top += 16) {
    svg.shape("path", {{"d", box(left, top, 10, 10)}, {"fill", job_colour(holders[i].id)}});
    svg.text(left + 15, top + 10, fmt::format("{}: {}", holders[i].name, nodes_of(holders[i].nodes.size())),
             {{"class", "label"}});
  }
  if (holders.size() > most)
    svg.text(left, top + 10, fmt::format("and {} smaller", holders.size() - most), {{"class", "label"}});
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
  constexpr double heading = 24, legend = 170;
  const MachineView physical(machine, true), joined(machine, false);
  const bool both = is_folded(machine);
  const double one = joined.height() + heading;
  const double height = 40 + (both ? 2 : 1) * one + margin;
  const auto title = fmt::format("{} at {} s: {} job{}", machine.name(), snapshot.time, snapshot.holders.size(),
                                 snapshot.holders.size() == 1 ? "" : "s");
  Svg svg(std::max(joined.width() + 2 * margin + legend, 10 * static_cast<double>(title.size())), height, title);
  svg.text(margin, 25, title, {{"class", "title"}});
  double top = 40;
  if (both) {
    svg.text(margin, top + 14, "as the routers stand", {{"class", "heading"}});
    draw_view(svg, machine, physical, snapshot, top + heading);
    top += one;
    svg.text(margin, top + 14, "as they are joined", {{"class", "heading"}});
  }
  draw_view(svg, machine, joined, snapshot, top + heading);
  draw_legend(svg, snapshot, margin + joined.width() + 10, 40 + heading,
              static_cast<std::size_t>(std::max(1.0, (height - 90) / 16)));
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
  Svg svg(left + width + margin, top + height + 50, title);
  svg.text(left, 25, title, {{"class", "title"}});
  for (const auto& job : jobs)
    svg.shape("path",
              {{"d", path_of(scale, job)}, {"fill", job_colour(job.id)}, {"stroke", "#fff"}, {"stroke-width", 0.2}},
              fmt::format("job {}: {}, {} s to {} s", job.name, nodes_of(job.nodes.size()), job.started, job.ended));
  for (const auto& outage : outages)
    svg.shape("path",
              {{"d", scale.box_of(outage.node, 1, std::max(first, outage.began), std::max(first, outage.ended))},
               {"class", "out"},
               {"fill", "#c00"}},
              fmt::format("n{} is out, {} s to {} s", outage.node.value(), outage.began, outage.ended));
  svg.line(left, top + height, left + width, top + height, "axis");
  svg.line(left, top, left, top + height, "axis");
  for (int tick = 0; tick <= 5; ++tick) {
    const double x = left + width * tick / 5;
    svg.line(x, top + height, x, top + height + 4, "axis");
    svg.text(x, top + height + 18, fmt::format("{:.6g} s", first + (last - first) * tick / 5),
             {{"class", "label"}, {"text-anchor", "middle"}});
  }
  svg.text(left - 6, top + 8, fmt::format("n{}", machine.node_count() - 1),
           {{"class", "label"}, {"text-anchor", "end"}});
  svg.text(left - 6, top + height, "n0", {{"class", "label"}, {"text-anchor", "end"}});
  return svg.finish();
}

}  // namespace toroid::views
