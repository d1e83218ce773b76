#include "views/line_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "views/axes.hpp"
#include "views/labels.hpp"
#include "views/svg.hpp"

namespace toroid::views {
namespace {

// Pixels.
constexpr double left = 84, right = 20, margin = 16, plot_width = 620, plot_height = 320;
constexpr double font = 12, title_font = 18;

/// Values along an axis, from tick to tick, and where they are drawn.
class Axis {
 public:
  Axis(const LineChart& chart, double LinePoint::*value, double from, double to) : from_(from), to_(to) {
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    for (const auto& line : chart.lines)
      for (const auto& point : line.points) {
        lowest = std::min(lowest, point.*value);
        highest = std::max(highest, point.*value);
      }
    if (lowest > highest) lowest = highest = 0;
    if (lowest > 0 && lowest <= highest / 2) lowest = 0;
    // Alike but for rounding, or too small to be divided into ticks, is alike.
    constexpr double nothing = 1e-300;
    const double size = std::max(std::abs(lowest), std::abs(highest));
    if (highest - lowest <= std::max(1e-9 * size, nothing)) highest = lowest + (size <= nothing ? 1 : size / 10);
    step_ = tick_step(highest - lowest);
    low_ = std::floor(lowest / step_ + 1e-9);
    high_ = std::ceil(highest / step_ - 1e-9);
  }

  double place(double value) const { return from_ + (value / step_ - low_) / (high_ - low_) * (to_ - from_); }

  /// Calls draw(place, label) at each tick.
  template <class Draw>
  void for_each_tick(Draw draw) const {
    const auto ticks = std::lround(high_ - low_);
    for (long i = 0; i <= ticks; ++i) {
      const double tick = (low_ + static_cast<double>(i)) * step_;
      draw(place(tick), tick_label(tick, step_));
    }
  }

 private:
  double from_, to_, step_ = 1, low_ = 0, high_ = 1;  ///< low, high: in steps
};

void draw_axes(Svg& svg, const LineChart& chart, const Axis& x, const Axis& y, double top) {
  const double base = top + plot_height, end = left + plot_width;
  y.for_each_tick([&](double at, const std::string& label) {
    svg.line(left, at, end, at, "grid");
    svg.text(left - 8, at + 4, label, {{"text-anchor", "end"}});
  });
  x.for_each_tick([&](double at, const std::string& label) {
    svg.line(at, top, at, base, "grid");
    svg.text(at, base + 18, label, {{"text-anchor", "middle"}});
  });
  svg.line(left, base, end, base, "axis");
  svg.line(left, top, left, base, "axis");
  svg.text(left + plot_width / 2, base + 38, chart.x_axis, {{"class", "muted"}, {"text-anchor", "middle"}});
  const double middle = top + plot_height / 2;
  svg.text(margin, middle, chart.y_axis,
           {{"class", "muted"},
            {"text-anchor", "middle"},
            {"transform", fmt::format("rotate(-90 {} {})", number(margin), number(middle))}});
}

void draw_line(Svg& svg, const Line& line, const std::string& colour, const Axis& x, const Axis& y) {
  std::string path;
  for (const auto& point : line.points)
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", number(x.place(point.x)), number(y.place(point.y)));
  if (!path.empty()) svg.shape("path", {{"class", "line " + colour}, {"d", path}}, line.name);
  for (const auto& point : line.points)
    svg.shape("circle", {{"class", "point " + colour}, {"cx", x.place(point.x)}, {"cy", y.place(point.y)}, {"r", 3.5}},
              point.tooltip);
}

}  // namespace

std::string line_chart_svg(const LineChart& chart) {
  constexpr double end = left + plot_width + right;
  std::vector<std::string> names;
  for (const auto& line : chart.lines) names.push_back(line.name);
  const auto paint = [&](double height) {
    Svg svg(end, height, chart.title);
    svg.text(margin, 32, fitted(chart.title, title_font, end - 2 * margin), {{"class", "title"}}, chart.title);
    svg.text(margin, 50, fitted(chart.subtitle, font, end - 2 * margin), {{"class", "muted"}}, chart.subtitle);
    const double top = draw_legend(svg, names, margin, end - right, 64) + 8;
    const Axis x(chart, &LinePoint::x, left, left + plot_width);
    const Axis y(chart, &LinePoint::y, top + plot_height, top);
    draw_axes(svg, chart, x, y, top);
    for (std::size_t i = 0; i < chart.lines.size(); ++i) draw_line(svg, chart.lines[i], series_class(i), x, y);
    return std::pair(svg.finish(), top + plot_height + 50);
  };
  return paint(paint(0).second).first;  // the height is known once all is painted
}

}  // namespace toroid::views
