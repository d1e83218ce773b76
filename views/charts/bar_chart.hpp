#pragma once
// Bars in groups, several panels below each other.

#include <optional>
#include <string>
#include <vector>

namespace toroid::views {

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
  /// Bars longer than so many times the shortest of their panel are cut there: the axis ends, and a gap in the bar says
  /// that it goes on. 0: no bar is cut.
  double cut = 0;
  bool has_one_axis = false;  ///< whether the axes of all panels are alike; not where bars may be cut
};

/// The chart as SVG. Names are shortened to fit, in full as tooltips. From the ninth series on colours come again,
/// paler.
std::string bar_chart_svg(const BarChart& chart);

}  // namespace toroid::views
