#pragma once
// Single runs beside each other: a line of points, or a box with points, for each of what is compared.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "views/charts/axes.hpp"

namespace toroid::views {

/// The runs of one contender.
struct RunsOfOne {
  std::vector<double> values;
  std::string mark = {};  ///< what a test says of it beside the reference; empty: nothing
  std::string tooltip = {};
};

/// The runs of all contenders by one engine.
struct RunsPanel {
  std::string title;
  std::vector<RunsOfOne> contenders;
  std::optional<std::size_t> reference = {};  ///< the contender beside which the marks stand
};

/// Panels with one axis, side by side where each has room for its title.
struct RunsLine {
  std::string heading, axis;
  std::vector<RunsPanel> panels;
  Range range = {};  ///< what the axis reaches over besides the values
};

struct RunsPlot {
  std::string title;               ///< a text for those who cannot see the plot
  std::vector<std::string> names;  ///< names of the contenders
  std::vector<RunsLine> lines;
  std::vector<std::string> notes;     ///< below the plot
  double width = 0;                   ///< pixels
  std::size_t least_of_box = 5;       ///< runs from which on a box is drawn around the points
  Spacing spacing = Spacing::linear;  ///< the spacing of all axes
  bool has_one_axis = false;          ///< whether all lines have the same
};

/// The plot as SVG. A box reaches from the first to the third quartile, with a line at the median; its whiskers end at
/// the shortest and the longest run. With fewer runs there are points, and a line at their mean. A bracket at the right
/// of a panel joins the reference with the contenders that have a mark.
std::string runs_plot_svg(RunsPlot plot);

}  // namespace toroid::views
