#include "views/charts/scatter_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "views/charts/axes.hpp"
#include "views/charts/frame.hpp"
#include "views/charts/labels.hpp"

namespace toroid::views {
namespace {

// Pixels.
constexpr double least_gap = 14, least_width = 70, most_of_name = 100, most_height = 130;

Axis x_axis_of(const ScatterPanel& panel) {
  Range values;
  for (const auto& point : panel.points) values.add(point.x);
  return values.axis(Spacing::linear, From::values);
}

/// Draws the panels from number `first` on, as many as have room side by side. Returns the number of the next one.
std::size_t draw_panels(PlotFrame& frame, const ScatterLine& line, std::size_t first, Spacing y_spacing) {
  if (first == 0 && !line.heading.empty()) frame.heading(line.heading);
  auto& svg = frame.svg();
  Range range;
  double half_label = 0, least = least_width;
  for (const auto& panel : line.panels) {
    least = std::max(least, std::min(text_width(panel.x_axis, PlotFrame::font), most_of_name));
    for (const auto& point : panel.points) range.add(point.y);
    half_label = std::max(half_label, x_axis_of(panel).label_width(PlotFrame::font) / 2);
  }
  auto y = range.axis(y_spacing, From::values);
  const double left = PlotFrame::margin + PlotFrame::font + 6 + y.label_width(PlotFrame::font) + 4;
  const double gap = std::max(least_gap, 2 * half_label + 4);
  const double room = frame.width() - left - std::max(half_label, 2 * PlotFrame::margin) - PlotFrame::margin + gap;
  const auto most = static_cast<std::size_t>(std::max(1.0, room / (least + gap)));
  const auto last = std::min(first + most, line.panels.size());
  const double width = room / static_cast<double>(std::min(most, line.panels.size())) - gap;
  const bool has_titles = std::ranges::any_of(line.panels, [](const auto& panel) { return !panel.title.empty(); });
  if (has_titles) frame.go_down(PlotFrame::line_height);
  const double top = frame.y() + 5, base = top + std::min(width, most_height), middle = (top + base) / 2;
  y.lay(base, top);
  svg.text(
      PlotFrame::margin + PlotFrame::font, middle, fitted(line.y_axis, PlotFrame::font, base - top + 55),
      {{"class", "muted axis-name"},
       {"text-anchor", "middle"},
       {"transform", fmt::format("rotate(-90 {} {})", number(PlotFrame::margin + PlotFrame::font), number(middle))}},
      line.y_axis);
  for (std::size_t p = first; p < last; ++p) {
    const auto& panel = line.panels[p];
    const double begin = left + static_cast<double>(p - first) * (width + gap), end = begin + width;
    svg.text((begin + end) / 2, top - 5, fitted(panel.title, PlotFrame::font, width), {{"text-anchor", "middle"}},
             panel.title);
    auto x = x_axis_of(panel);
    x.lay(begin, end);
    if (p == first)
      frame.y_axis(y, begin, end);
    else
      y.for_each_tick([&](double at, const std::string&) { svg.line(begin, at, end, at, "grid"); });
    frame.x_axis(x, begin, end, top, base);
    frame.x_name(panel.x_axis, begin - gap / 2 + 6, end + gap / 2 - 6, base);
    for (const auto& point : panel.points) draw_point(svg, point.series, x.place(point.x), y.place(point.y), {}, 0.65);
  }
  frame.go_down(base - frame.y() + 2 * PlotFrame::line_height + 8);
  return last;
}

}  // namespace

std::string scatter_plot_svg(const ScatterPlot& plot) {
  return plot_svg(plot.width, plot.title, [&](PlotFrame& frame) {
    frame.legend(plot.names);
    for (const auto& line : plot.lines)
      for (std::size_t next = 0; next < line.panels.size();) next = draw_panels(frame, line, next, plot.y_spacing);
    for (const auto& note : plot.notes) frame.note(note);
  });
}

}  // namespace toroid::views
