#pragma once
// One quantity over others: small panels side by side, a point for each run.

#include <cstddef>
#include <string>
#include <vector>

#include "views/charts/axes.hpp"

namespace toroid::views {

struct ScatterPoint {
  std::size_t series = 0;
  double x = 0, y = 0;
};

struct ScatterPanel {
  std::string x_axis;
  std::string title = {};
  std::vector<ScatterPoint> points;
};

/// Panels that have their y axis in common.
struct ScatterLine {
  std::string heading, y_axis;
  std::vector<ScatterPanel> panels;
};

struct ScatterPlot {
  std::string title;               ///< a text for those who cannot see the plot
  std::vector<std::string> names;  ///< names of the series
  std::vector<ScatterLine> lines;
  std::vector<std::string> notes;  ///< below the plot
  double width = 0;                ///< pixels
  Spacing y_spacing = Spacing::linear;
};

/// The plot as SVG. Series differ in colour and in the shape of their points.
std::string scatter_plot_svg(const ScatterPlot& plot);

}  // namespace toroid::views
