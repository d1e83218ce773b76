#include "views/scatter_plot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "views/axes.hpp"
#include "views/labels.hpp"
#include "views/plot_frame.hpp"

namespace toroid::views {
namespace {

// Pixels.
constexpr double gap = 14, most_height = 130;

void draw_panels(PlotFrame& frame, const ScatterLine& line, Spacing y_spacing) {
  if (!line.heading.empty()) frame.heading(line.heading);
  auto& svg = frame.svg();
  Range range;
  for (const auto& panel : line.panels)
    for (const auto& point : panel.points) range.add(point.y);
  auto y = range.axis(y_spacing);
  const double left = PlotFrame::margin + PlotFrame::font + 6 + y.label_width(PlotFrame::font) + 4;
  const double panels = static_cast<double>(line.panels.size());
  const double width = (frame.width() - left - 3 * PlotFrame::margin + gap) / panels - gap;
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
  for (std::size_t p = 0; p < line.panels.size(); ++p) {
    const auto& panel = line.panels[p];
    const double begin = left + static_cast<double>(p) * (width + gap), end = begin + width;
    svg.text((begin + end) / 2, top - 5, fitted(panel.title, PlotFrame::font, width), {{"text-anchor", "middle"}},
             panel.title);
    Range values;
    for (const auto& point : panel.points) values.add(point.x);
    auto x = values.axis();
    x.lay(begin, end);
    if (p == 0)
      frame.y_axis(y, begin, end);
    else
      y.for_each_tick([&](double at, const std::string&) { svg.line(begin, at, end, at, "grid"); });
    frame.x_axis(x, begin, end, top, base);
    frame.x_name(panel.x_axis, begin, end, base);
    for (const auto& point : panel.points) draw_point(svg, point.series, x.place(point.x), y.place(point.y), {}, 0.65);
  }
  frame.go_down(base - frame.y() + 2 * PlotFrame::line_height + 8);
}

}  // namespace

std::string scatter_plot_svg(const ScatterPlot& plot) {
  return plot_svg(plot.width, plot.title, [&](PlotFrame& frame) {
    frame.legend(plot.names);
    for (const auto& line : plot.lines) draw_panels(frame, line, plot.y_spacing);
    for (const auto& note : plot.notes) frame.note(note);
  });
}

}  // namespace toroid::views
