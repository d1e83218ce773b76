#pragma once
// What charts have in common: the places of ticks, and a legend.

#include <string>
#include <vector>

#include "views/svg.hpp"

namespace toroid::views {

/// The distance of ticks: 1, 2 or 5 times a power of ten, at most eight of them over a `span` above 0.
double tick_step(double span);

/// A value at a tick, with the digits that tell it from the next.
std::string tick_label(double value, double step);

/// Draws what stands for a series into the square of 12 by 12 at (x, y).
using DrawKey = void (*)(Svg& svg, std::size_t series, double x, double y);
/// A square in the colour of series_class.
void draw_colour(Svg& svg, std::size_t series, double x, double y);

/// The names beside their keys, in lines from x = `left` to `right`, the first at `y`. Returns where the next thing may
/// begin.
double draw_legend(Svg& svg, const std::vector<std::string>& names, double left, double right, double y,
                   DrawKey draw_key = draw_colour);

}  // namespace toroid::views
