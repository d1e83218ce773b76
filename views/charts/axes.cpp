#include "views/charts/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "views/charts/labels.hpp"

namespace toroid::views {

double tick_step(double span) {
  const double rough = span / 7;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

std::string tick_label(double value, double step) {
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return fmt::format("{:.{}f}", value + 0.0, digits);  // + 0.0: no negative zero
}

Axis::Axis(double lowest, double highest, double near_zero) {
  if (lowest > 0 && lowest <= near_zero * highest) lowest = 0;
  // Alike but for rounding, or too small to be divided into ticks, is alike.
  constexpr double nothing = 1e-300;
  const double size = std::max(std::abs(lowest), std::abs(highest));
  if (highest - lowest <= std::max(1e-9 * size, nothing)) highest = lowest + (size <= nothing ? 1 : size / 10);
  step_ = tick_step(highest - lowest);
  low_ = std::floor(lowest / step_ + 1e-9);
  high_ = std::ceil(highest / step_ - 1e-9);
}

Axis Axis::logarithmic(double lowest, double highest) {
  constexpr double rounding = 1e-9;
  const auto ticks_at = [&](const std::vector<double>& factors) {
    std::vector<double> ticks;
    const auto first = static_cast<int>(std::floor(std::log10(lowest) + rounding));
    for (int power = first; ticks.empty() || ticks.back() < highest * (1 - rounding); ++power)
      for (const double factor : factors)
        if (ticks.empty() || ticks.back() < highest * (1 - rounding)) ticks.push_back(factor * std::pow(10, power));
    // The axis begins at the last tick that is not above the lowest value.
    while (ticks.size() > 2 && ticks[1] <= lowest * (1 + rounding)) ticks.erase(ticks.begin());
    if (ticks.size() == 1) ticks.push_back(factors.size() > 1 ? 2 * ticks[0] : 10 * ticks[0]);
    return ticks;
  };
  constexpr std::size_t most = 8;
  Axis axis(lowest, highest);
  axis.log_ticks_ = ticks_at({1, 2, 5});
  if (axis.log_ticks_.size() > most) axis.log_ticks_ = ticks_at({1});
  return axis;
}

double Axis::label_width(double size) const {
  double widest = 0;
  for_each_tick([&](double, const std::string& label) { widest = std::max(widest, text_width(label, size)); });
  return widest;
}

void draw_point(Svg& svg, std::size_t series, double x, double y, std::string_view tooltip, double scale) {
  static constexpr std::array<std::string_view, 5> shapes{"M-3.7 0a3.7 3.7 0 1 0 7.4 0a3.7 3.7 0 1 0 -7.4 0z",
                                                          "M-3.3 -3.3h6.6v6.6h-6.6z", "M0 -4.8L4.8 0L0 4.8L-4.8 0z",
                                                          "M0 -4.6L4.3 3.2H-4.3z", "M0 4.6L4.3 -3.2H-4.3z"};
  svg.shape("path",
            {{"class", "point " + series_class(series)},
             {"d", shapes[(series + series / series_colors) % shapes.size()]},
             {"transform", fmt::format("translate({} {}){}", number(x), number(y),
                                       scale == 1 ? "" : fmt::format(" scale({})", number(scale)))}},
            tooltip);
}

TimeUnit time_unit(double longest) {
  for (const auto& unit : {TimeUnit{86400, "days"}, TimeUnit{3600, "h"}, TimeUnit{1, "s"}, TimeUnit{1e-3, "ms"},
                           TimeUnit{1e-6, "\u00b5s"}})
    if (longest >= 3 * unit.seconds) return unit;
  return longest > 0 ? TimeUnit{1e-9, "ns"} : TimeUnit{1, "s"};
}

void draw_colour(Svg& svg, std::size_t series, double x, double y) {
  svg.shape("rect", {{"class", series_class(series)}, {"x", x}, {"y", y}, {"width", 12.0}, {"height", 12.0}});
}

double draw_legend(Svg& svg, const std::vector<std::string>& names, double left, double right, double y,
                   DrawKey draw_key) {
  constexpr std::size_t longest = 60;
  const auto shown = shortened_apart(names, longest);
  double x = left;
  svg.open_group({{"class", "legend"}});
  for (std::size_t s = 0; s < names.size(); ++s) {
    const auto& name = shown[s];
    const double width = 18 + text_width(name, ChartStyle::font) + 16;
    if (x > left && x + width > right) {
      x = left;
      y += ChartStyle::line_height;
    }
    draw_key(svg, s, x, y);
    svg.text(x + 18, y + 10, name, {}, names[s]);
    x += width;
  }
  svg.close_group();
  return y + ChartStyle::line_height + 8;
}

}  // namespace toroid::views
