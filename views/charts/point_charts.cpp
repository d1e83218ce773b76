#include "views/charts/charts.hpp"
#include "views/charts/frame.hpp"
#include "views/charts/labels.hpp"

namespace toroid::views {
namespace {

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

Axis x_axis_of(const ScatterPanel& panel) {
  Range values;
  for (const auto& point : panel.points) values.add(point.x);
  return values.axis(Spacing::linear, From::values);
}

/// Draws the panels from number `first` on, as many as have room side by side. Returns the number of the next one.
std::size_t draw_panels(Frame& frame, const ScatterLine& line, std::size_t first, Spacing y_spacing) {
  constexpr double least_gap = 14, least_width = 70, most_of_name = 100, most_height = 130;
  const double font = frame.style().font, line_height = frame.style().line_height, margin = frame.style().margin;
  if (first == 0 && !line.heading.empty()) frame.heading(line.heading);
  Range range;
  double half_label = 0, least = least_width;
  for (const auto& panel : line.panels) {
    least = std::max(least, std::min(text_width(panel.x_axis, font), most_of_name));
    for (const auto& point : panel.points) range.add(point.y);
    half_label = std::max(half_label, x_axis_of(panel).label_width(font) / 2);
  }
  auto y = range.axis(y_spacing, From::values);
  const double left = left_of_panel(y, frame.style());
  const double gap = std::max(least_gap, 2 * half_label + 4);
  const double room = frame.width() - left - std::max(half_label, 2 * margin) - margin + gap;
  const auto most = static_cast<std::size_t>(std::max(1.0, room / (least + gap)));
  const auto last = std::min(first + most, line.panels.size());
  const double width = room / static_cast<double>(std::min(most, line.panels.size())) - gap;
  const bool has_titles = std::ranges::any_of(line.panels, [](const auto& panel) { return !panel.title.empty(); });
  if (has_titles) frame.go_down(line_height);
  const double top = frame.y() + 5, base = top + std::min(width, most_height);
  y.lay(base, top);
  frame.y_name(line.y_axis, {left, left + width, top, base});
  for (std::size_t p = first; p < last; ++p) {
    const auto& panel = line.panels[p];
    const double begin = left + static_cast<double>(p - first) * (width + gap);
    const Panel place{begin, begin + width, top, base};
    frame.panel_title(panel.title, place);
    auto x = x_axis_of(panel);
    x.lay(place.left, place.right);
    frame.y_axis(y, place, p == first);
    frame.x_axis(x, place);
    frame.x_name(panel.x_axis, place.left - gap / 2 + 6, place.right + gap / 2 - 6, base);
    for (const auto& point : panel.points)
      draw_point(frame.svg(), point.series, x.place(point.x), y.place(point.y), {}, 0.65);
  }
  frame.go_down(base - frame.y() + 2 * line_height + 8);
  return last;
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

std::string scatter_plot_svg(const ScatterPlot& plot) {
  for (const auto& line : plot.lines)
    for (const auto& panel : line.panels)
      TOROID_ASSERT(std::ranges::all_of(panel.points, [&](auto& point) { return point.series < plot.names.size(); }));
  return framed(plot.width, plot.title, print_style, [&](Frame& frame) {
    frame.legend(plot.names, Key::point);
    for (const auto& line : plot.lines)
      for (std::size_t next = 0; next < line.panels.size();) next = draw_panels(frame, line, next, plot.y_spacing);
    for (const auto& note : plot.notes) frame.note(note);
  });
}

}  // namespace toroid::views
