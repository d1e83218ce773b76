#pragma once
// The grammar of charts: a frame with title, legend and notes, panels with axes one below the other or side by side,
// and the marks in them. A chart says where its panels are and which marks they have.

#include <optional>

#include "views/charts/axes.hpp"
#include "views/charts/svg.hpp"

namespace toroid::views {

/// Sizes in pixels.
struct Style {
  double font, line_height, margin;
  double key, gap;     ///< widths in a legend: of a key, and between entries
  double tick_gap;     ///< between labels of ticks and the axis
  double name_of_y;    ///< where the name of a y axis stands
  double half_letter;  ///< the way from the middle of a line to its base
};
/// A picture that stands alone or on a page.
inline constexpr Style page_style{12, 18, 16, 18, 16, 8, 20, 4};
/// A plot in a column of a paper.
inline constexpr Style print_style{9.5, 12, 4, 12, 10, 4, 13.5, 3.5};

/// Pixels of a length in print, at 96 to an inch.
constexpr double pixels_of_mm(double mm) {
  return mm * 96 / 25.4;
}

/// Where a panel may begin whose y axis has labels and a name.
double left_of_panel(const Axis& y, const Style& style);

/// The place of a panel in its picture.
struct Panel {
  double left, right, top, base;
};

/// What a legend shows of a series: a square in its colour, its point, or a piece of its line with a point.
enum class Key : std::uint8_t { colour, point, line };

/// Draws a picture from the top down at a given width; texts that do not fit are shortened.
class Frame {
 public:
  /// `title` is for those who cannot see the picture.
  Frame(double width, double height, std::string_view title, const Style& style);

  Svg& svg() { return svg_; }
  const Style& style() const { return style_; }
  double width() const { return width_; }
  double y() const { return y_; }
  void go_down(double pixels) { y_ += pixels; }

  /// Draws a title, and below it a subtitle unless that is empty.
  void title(const std::string& title, const std::string& subtitle);
  /// Draws the title of what follows, from `left` on or from the margin.
  void heading(const std::string& text, std::optional<double> left = {});
  /// Draws a text in lines between words, small and in grey; nothing of an empty one.
  void note(const std::string& text);
  /// Draws the names of the series beside their keys, in as many lines as they need.
  void legend(const std::vector<std::string>& names, Key key);

  void panel_title(const std::string& text, const Panel& panel);
  /// Draws grid lines at the ticks of an axis that is laid from left to right, and below them as many labels as have
  /// room; the line at the base of the panel.
  void x_axis(const Axis& axis, const Panel& panel);
  /// Draws the name of an axis below the labels of x_axis(), in the middle between `left` and `right`.
  void x_name(const std::string& name, double left, double right, double base);
  /// Draws grid lines at the ticks, and at their left as many labels as have room, or none.
  void y_axis(const Axis& axis, const Panel& panel, bool has_labels = true);
  void y_name(const std::string& name, const Panel& panel);

  std::string finish();

 private:
  void draw_key(Key key, std::size_t series, double x);
  std::string fit(const std::string& text, double width) const;

  const Style& style_;
  double width_, y_;
  Svg svg_;
};

/// Draws the point of a series around (x, y): circle, square, diamond or triangle, such that a colour that comes again
/// has another shape. At scale 1 a point is about 8 pixels wide.
void draw_point(Svg& svg, std::size_t series, double x, double y, std::string_view tooltip = {}, double scale = 1);

/// Draws a line from `low` to `high` at x, with caps of twice `cap` pixels at both ends; nothing where they are one.
void draw_span(Svg& svg, std::string_view style_class, double x, double low, double high, double cap);
/// Draws such a line from left to right, at y.
void draw_span_across(Svg& svg, std::string_view style_class, double y, double low, double high, double cap);

/// Draws a text that is turned by so many radians, upwards if above 0, around the place where it begins or ends.
void draw_slanted(Svg& svg, double x, double y, double radians, std::string_view anchor, const std::string& text,
                  const std::string& tooltip);

/// Draws cells side by side as the legend of a scale: look(share) gives the attributes of each, from 0 to 1.
template <class Look>
void draw_ramp(Svg& svg, double x, double y, double length, double height, std::size_t cells, Look look) {
  TOROID_ASSERT(cells > 1 && length > 0 && height > 0);
  const auto count = static_cast<double>(cells);
  for (double cell = 0; cell < count; ++cell) {
    auto attributes = look(cell / (count - 1));
    attributes.insert(attributes.end(),
                      {{"x", x + cell * length / count}, {"y", y}, {"width", length / count}, {"height", height}});
    svg.shape("rect", attributes);
  }
}

/// Paints twice: paint(frame) draws the picture, whose height is known only then.
template <class Paint>
std::string framed(double width, std::string_view title, const Style& style, Paint paint) {
  const auto painted = [&](double height) {
    Frame frame(width, height, title, style);
    paint(frame);
    return frame;
  };
  return painted(painted(0).y() + style.margin).finish();
}

}  // namespace toroid::views
