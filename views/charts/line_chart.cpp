#include "views/charts/charts.hpp"

#include "views/charts/frame.hpp"

namespace toroid::views {
namespace {

/// The axis of all values of the points, error bars included.
Axis axis_of(const LineChart& chart, double LinePoint::*value, std::optional<Span> LinePoint::*bar) {
  Range range;
  for (const auto& line : chart.lines)
    for (const auto& point : line.points) {
      range.add(point.*value);
      if (const auto& span = point.*bar) {
        TOROID_ASSERT(span->low <= span->high);
        range.add(span->low);
        range.add(span->high);
      }
    }
  return range.axis();
}

void draw_line(Svg& svg, const Line& line, std::size_t series, const Axis& x, const Axis& y) {
  constexpr double cap = 4;
  std::string path;
  for (const auto& point : line.points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(x.place(point.x)), number(y.place(point.y)));
  if (!path.empty()) svg.shape("path", {{"class", "line " + series_class(series)}, {"d", path}}, line.name);
  const auto style = "error " + series_class(series);
  for (const auto& point : line.points) {
    if (const auto& bar = point.y_bar)
      draw_span(svg, style, x.place(point.x), y.place(bar->low), y.place(bar->high), cap);
    if (const auto& bar = point.x_bar)
      draw_span_across(svg, style, y.place(point.y), x.place(bar->low), x.place(bar->high), cap);
  }
  for (const auto& point : line.points) draw_point(svg, series, x.place(point.x), y.place(point.y), point.tooltip);
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  constexpr double plot_width = 620, plot_height = 320;
  auto x = axis_of(chart, &LinePoint::x, &LinePoint::x_bar), y = axis_of(chart, &LinePoint::y, &LinePoint::y_bar);
  const double half_label = x.label_width(page_style.font) / 2;
  const double left = std::max(left_of_panel(y, page_style), page_style.name_of_y + 6 + half_label);
  const double right = std::max(page_style.margin, half_label + 4);
  std::vector<std::string> names;
  for (const auto& line : chart.lines) names.push_back(line.name);
  return framed(left + plot_width + right, chart.title, page_style, [&](Frame& frame) {
    frame.title(chart.title, chart.subtitle);
    frame.legend(names, Key::line);
    const double top = frame.y() + 16;
    const Panel panel{left, left + plot_width, top, top + plot_height};
    x.lay(panel.left, panel.right);
    y.lay(panel.base, panel.top);
    frame.y_axis(y, panel);
    frame.x_axis(x, panel);
    frame.y_name(chart.y_axis, panel);
    frame.x_name(chart.x_axis, panel.left, panel.right, panel.base);
    for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(frame.svg(), chart.lines[i], i, x, y);
    frame.go_down(panel.base + 2 * page_style.line_height + 6 - frame.y());
    frame.note(chart.note);
  });
}

}  // namespace toroid::views
