#pragma once
// What charts have in common: the places of ticks, and a legend.

#include <string>
#include <vector>

#include "views/svg.hpp"

namespace toroid::views {

/// The distance between ticks, for at most eight of them over a `span` above 0: 1, 2 or 5 times a power of ten.
double tick_step(double span);

/// The label of a tick: its value with as many digits as tell it from the next tick.
std::string tick_label(double value, double step);

/// A unit of time.
struct TimeUnit {
  double seconds;
  std::string name;
};
/// The unit that suits times of which the longest is so many seconds: the largest of which that has three.
TimeUnit time_unit(double longest);

/// Draws the key of a series in a legend, into the square of 12 by 12 pixels at (x, y).
using DrawKey = void (*)(Svg& svg, std::size_t series, double x, double y);
/// Draws the key of a series as a square in its colour.
void draw_colour(Svg& svg, std::size_t series, double x, double y);

/// Draws the names of the series beside their keys, in lines from x = `left` to `right`, the first line at `y`. Returns
/// the y at which the next thing may begin.
double draw_legend(Svg& svg, const std::vector<std::string>& names, double left, double right, double y,
                   DrawKey draw_key = draw_colour);

}  // namespace toroid::views
