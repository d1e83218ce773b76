#pragma once
// What plots of a column's width have in common: small letters, several panels side by side, axes with room to read.

#include <string>
#include <vector>

#include "views/charts/axes.hpp"
#include "views/charts/svg.hpp"

namespace toroid::views {

/// Pixels of a length in print, at 96 to an inch.
constexpr double pixels_of_mm(double mm) {
  return mm * 96 / 25.4;
}

/// Draws a plot from the top down at a given width; texts that do not fit are shortened.
class PlotFrame {
 public:
  static constexpr double font = 9.5, line_height = 12, margin = 4;

  /// All in pixels; `title` is for those who cannot see the plot.
  PlotFrame(double width, double height, std::string_view title);

  Svg& svg() { return svg_; }
  double width() const { return width_; }
  double y() const { return y_; }
  void go_down(double pixels) { y_ += pixels; }

  void heading(const std::string& text);
  /// Draws a text in lines between words, small and in grey.
  void note(const std::string& text);
  /// Draws the names of the series beside their points.
  void legend(const std::vector<std::string>& names);
  /// Draws grid lines from `top` to `base` at the ticks of an axis that is laid from `left` to `right`, and below them
  /// as many labels as have room.
  void x_axis(const Axis& axis, double left, double right, double top, double base);
  /// Draws the name of an axis below the labels of x_axis(), in the middle between `left` and `right`.
  void x_name(const std::string& name, double left, double right, double base);
  /// Draws grid lines from `left` to `right` at the ticks, and at their left as many labels as have room.
  void y_axis(const Axis& axis, double left, double right);

  std::string finish();

 private:
  double width_, y_ = margin;
  Svg svg_;
};

/// Paints twice: `paint(frame)` draws the plot, whose height is known only then.
template <class Paint>
std::string plot_svg(double width, std::string_view title, Paint paint) {
  const auto painted = [&](double height) {
    PlotFrame frame(width, height, title);
    paint(frame);
    return frame;
  };
  return painted(painted(0).y() + PlotFrame::margin).finish();
}

}  // namespace toroid::views
