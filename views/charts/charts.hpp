#pragma once
// What charts show, whatever it is about: bars, lines, single runs, points, the cells of a matrix. Each is a picture as
// SVG.

#include "toroid/workloads/summary.hpp"
#include "views/charts/axes.hpp"

namespace toroid::views {

// Bars in groups, several panels below each other.

/// One bar. A bar without a value is a gap, marked with a cross.
struct Bar {
  std::optional<double> value;  ///< not negative
  double low = 0, high = 0;     ///< ends of the whisker; none if they are equal
  std::string tooltip;
};

struct BarPanel {
  std::string title;
  std::vector<std::vector<Bar>> groups;  ///< bars by group, then series
};

struct BarChart {
  std::string title, subtitle;
  std::string axis;                 ///< name of the quantity that heights show, with its unit
  std::vector<std::string> groups;  ///< labels below each panel
  std::vector<std::string> series;  ///< the legend
  std::vector<BarPanel> panels;     ///< each with an axis that begins at 0
  std::string gap;                  ///< what a bar without a value means; shown below the chart if there is one
  std::string remark;               ///< a line of text below the chart
};

/// The chart as SVG. Names are shortened to fit, in full as tooltips. From the ninth series on colours come again,
/// paler.
std::string bar_chart_svg(const BarChart& chart);

// Lines through points: one quantity over another.

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

// Single runs beside each other: a line of points, or a box with points, for each of what is compared.

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

// One quantity over others: small panels side by side, a point for each run.

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

/// A heat map as SVG: senders from top to bottom, receivers from left to right; the more bytes (or messages), the
/// darker, on a logarithmic scale. With many ranks a cell is a block of ranks. Tooltips have the numbers.
std::string heat_map_svg(const workloads::CommunicationMatrix& matrix, bool messages, std::string_view title);

}  // namespace toroid::views
