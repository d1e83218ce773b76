#include "views/charts/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/charts/axes.hpp"
#include "views/charts/labels.hpp"
#include "views/charts/svg.hpp"

namespace toroid::views {
namespace {

// Pixels.
constexpr double plot_width = 620, line_plot_height = 320;

/// The axis of all values of the points, error bars included.
Axis axis_of(const LineChart& chart, double LinePoint::*value, std::optional<Span> LinePoint::*bar) {
  Range range;
  for (const auto& line : chart.lines)
    for (const auto& point : line.points) {
      range.add(point.*value);
      if (const auto& span = point.*bar) {
        range.add(span->low);
        range.add(span->high);
      }
    }
  return range.axis();
}

/// Where things are, which depends on how wide the labels of the ticks are: none is cut.
struct Layout {
  double left, end, width;  ///< of the plot, of the plot, of all

  Layout(const Axis& x, const Axis& y)
      : left(ChartStyle::margin + ChartStyle::font + 8 + y.label_width(ChartStyle::font) + 8),
        end(left + plot_width),
        width(end + std::max(ChartStyle::margin, x.label_width(ChartStyle::font) / 2 + 4)) {}
};

void draw_grid(Svg& svg, const LineChart& chart, const Layout& layout, const Axis& x, const Axis& y, double top) {
  const double base = top + line_plot_height;
  svg.open_group({{"class", "ticks"}});
  y.for_each_tick([&](double at, const std::string& label) {
    svg.line(layout.left, at, layout.end, at, "grid");
    svg.text(layout.left - 8, at + 4, label, {{"text-anchor", "end"}});
  });
  svg.close_group();
  svg.open_group({{"class", "ticks"}});
  x.for_each_tick([&](double at, const std::string& label) {
    svg.line(at, top, at, base, "grid");
    svg.text(at, base + 18, label, {{"text-anchor", "middle"}});
  });
  svg.close_group();
  svg.line(layout.left, base, layout.end, base, "axis");
  svg.line(layout.left, top, layout.left, base, "axis");
  svg.text(layout.left + plot_width / 2, base + 38, chart.x_axis,
           {{"class", "muted axis-name"}, {"text-anchor", "middle"}});
  const double middle = top + line_plot_height / 2;
  svg.text(ChartStyle::margin + 4, middle, chart.y_axis,
           {{"class", "muted axis-name"},
            {"text-anchor", "middle"},
            {"transform", fmt::format("rotate(-90 {} {})", number(ChartStyle::margin + 4), number(middle))}});
}

/// What the legend shows of a line: a piece of it with a point.
void draw_key(Svg& svg, std::size_t line, double x, double y) {
  svg.shape("path", {{"class", "key line " + series_class(line)},
                     {"d", fmt::format("M{} {}h14", number(x - 1), number(y + 6))}});
  draw_point(svg, line, x + 6, y + 6);
}

/// Error bars: from end to end, with caps.
void draw_bars(Svg& svg, std::size_t line, const LinePoint& point, const Axis& x, const Axis& y) {
  constexpr double cap = 4;
  const auto n = [](double value) { return number(value); };
  const double at_x = x.place(point.x), at_y = y.place(point.y);
  if (point.y_bar && point.y_bar->high > point.y_bar->low) {
    const double low = y.place(point.y_bar->low), high = y.place(point.y_bar->high);
    svg.shape("path", {{"class", "error " + series_class(line)},
                       {"d", fmt::format("M{0} {2}H{1}M{0} {3}H{1}M{4} {2}V{3}", n(at_x - cap), n(at_x + cap), n(low),
                                         n(high), n(at_x))}});
  }
  if (point.x_bar && point.x_bar->high > point.x_bar->low) {
    const double low = x.place(point.x_bar->low), high = x.place(point.x_bar->high);
    svg.shape("path", {{"class", "error " + series_class(line)},
                       {"d", fmt::format("M{2} {0}V{1}M{3} {0}V{1}M{2} {4}H{3}", n(at_y - cap), n(at_y + cap), n(low),
                                         n(high), n(at_y))}});
  }
}

void draw_line(Svg& svg, const Line& line, std::size_t number_of_line, const Axis& x, const Axis& y) {
  std::string path;
  for (const auto& point : line.points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(x.place(point.x)), number(y.place(point.y)));
  if (!path.empty()) svg.shape("path", {{"class", "line " + series_class(number_of_line)}, {"d", path}}, line.name);
  for (const auto& point : line.points) draw_bars(svg, number_of_line, point, x, y);
  for (const auto& point : line.points)
    draw_point(svg, number_of_line, x.place(point.x), y.place(point.y), point.tooltip);
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  auto x = axis_of(chart, &LinePoint::x, &LinePoint::x_bar), y = axis_of(chart, &LinePoint::y, &LinePoint::y_bar);
  const Layout layout(x, y);
  std::vector<std::string> names;
  for (const auto& line : chart.lines) names.push_back(line.name);
  const auto paint = [&](double height) {
    Svg svg(layout.width, height, chart.title);
    const double room = layout.width - 2 * ChartStyle::margin;
    svg.text(ChartStyle::margin, 32, fitted(chart.title, ChartStyle::title_font, room), {{"class", "title"}},
             chart.title);
    svg.text(ChartStyle::margin, 50, fitted(chart.subtitle, ChartStyle::font, room), {{"class", "muted"}},
             chart.subtitle);
    const double top = draw_legend(svg, names, ChartStyle::margin, layout.end, 64, draw_key) + 8;
    x.lay(layout.left, layout.end);
    y.lay(top + line_plot_height, top);
    draw_grid(svg, chart, layout, x, y, top);
    for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(svg, chart.lines[i], i, x, y);
    double bottom = top + line_plot_height + 50;
    if (!chart.note.empty()) {
      svg.text(ChartStyle::margin, bottom + 8, fitted(chart.note, ChartStyle::font, room), {{"class", "muted"}},
               chart.note);
      bottom += ChartStyle::line_height;
    }
    return std::pair(svg.finish(), bottom);
  };
  return paint(paint(0).second).first;  // the height is known once all is painted
}

}  // namespace toroid::views
