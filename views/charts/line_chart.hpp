#pragma once
// Lines through points: one quantity over another.

#include <optional>
#include <string>
#include <vector>

namespace toroid::views {

struct Span {
  double low, high;
};

struct LinePoint {
  double x, y;
  std::string tooltip;
  std::optional<Span> x_bar = {}, y_bar = {};  ///< error bars
};

struct Line {
  std::string name;
  std::vector<LinePoint> points;  ///< points in the order in which the line joins them
};

struct LineChart {
  std::string title, subtitle;
  std::string x_axis, y_axis;  ///< names of the quantities, with units
  std::vector<Line> lines;
  std::string note = {};  ///< a line of text below the chart
};

/// The chart as SVG. Each axis begins at 0 if values lie far apart, else near the lowest one. Lines differ in colour
/// and in the shape of their points. From the ninth line on colours come again, paler and with other shapes.
std::string line_chart_svg(const LineChart& chart);

}  // namespace toroid::views
