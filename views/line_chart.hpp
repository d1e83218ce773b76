#pragma once
// Lines through points: one quantity over another.

#include <string>
#include <vector>

namespace toroid::views {

struct LinePoint {
  double x, y;
  std::string tooltip;
};

struct Line {
  std::string name;
  std::vector<LinePoint> points;  ///< in the order in which they are joined
};

struct LineChart {
  std::string title, subtitle;
  std::string x_axis, y_axis;  ///< what is along them
  std::vector<Line> lines;
};

/// The chart as SVG. Each axis begins at 0 if values lie far apart, else near the lowest one. From the eleventh line on
/// colours come again, paler.
std::string line_chart_svg(const LineChart& chart);

}  // namespace toroid::views
