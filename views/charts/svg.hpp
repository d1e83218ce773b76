#pragma once
// SVG as text: shapes with their attributes, everything escaped. A picture stands for itself: no script, no font and no
// file besides it. Colours and fonts come from one style sheet, for light and dark surroundings.

#include <string>
#include <string_view>
#include <vector>

namespace toroid::views {

/// A length for people and browsers: at most two digits after the point.
std::string number(double value);

struct Attribute {
  std::string name, value;
  Attribute(std::string_view attribute, double length) : name(attribute), value(number(length)) {}
  Attribute(std::string_view attribute, std::string_view text) : name(attribute), value(text) {}
};
using Attributes = std::vector<Attribute>;

/// The number of different colours of series.
inline constexpr std::size_t series_colors = 8;
/// The class name for the colour of a series. The style sheet knows these others: for text `title`, `heading`, `label`
/// (small, legible on lines) and `muted`; for lines `axis`, `grid` and `whisker`, and `line`, `error` (an error bar)
/// and `box` in the colour of a series; for areas `background`. Groups are called `ticks` (the lines and labels of one
/// axis) and `legend`, texts `axis-name`, for those who look into pictures.
std::string series_class(std::size_t series);

class Svg {
 public:
  /// Begins a picture of `width` by `height` pixels at its natural size; it scales. `title` describes it to those who
  /// cannot see it.
  Svg(double width, double height, std::string_view title);

  /// Draws the element `<name .../>`. The tooltip, if any, shows when the mouse is over the shape.
  void shape(std::string_view name, const Attributes& attributes, std::string_view tooltip = {});
  void line(double x1, double y1, double x2, double y2, std::string_view style_class);
  void line(double x1, double y1, double x2, double y2, const Attributes& attributes, std::string_view tooltip = {});
  void text(double x, double y, std::string_view text, Attributes attributes = {}, std::string_view tooltip = {});
  /// Opens a group: everything that is drawn until it is closed has these attributes, too.
  void open_group(const Attributes& attributes, std::string_view tooltip = {});
  void close_group();

  /// Returns the picture, as the text of a file or as a part of an HTML page.
  std::string finish() const;

 private:
  void open(std::string_view name, const Attributes& attributes);

  std::string text_;
  std::size_t open_groups_ = 0;
};

}  // namespace toroid::views
