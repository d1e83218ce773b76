#include "views/charts/axes.hpp"

#include <fmt/format.h>

#include "views/charts/labels.hpp"

namespace toroid::views {

double tick_step(double span) {
  TOROID_ASSERT(span > 0);
  const double rough = span / 7;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= factor * power * (1 + 1e-9)) return factor * power;
  return 10 * power;
}

std::string tick_label(double value, double step) {
  TOROID_ASSERT(step > 0);
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  constexpr int most_digits = 12;
  if (digits <= most_digits && step < std::pow(10, most_digits))
    return fmt::format("{:.{}f}", value + 0.0, digits);  // + 0.0: no negative zero
  const double steps = std::max(1.0, std::abs(value) / step);
  return fmt::format("{:.{}g}", value + 0.0, 1 + static_cast<int>(std::ceil(std::log10(steps))));
}

Axis::Axis(double lowest, double highest, double near_zero) {
  TOROID_ASSERT(lowest <= highest);
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
  TOROID_ASSERT(lowest > 0 && lowest <= highest);
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
  TOROID_ASSERT(axis.log_ticks_.size() >= 2 && std::ranges::is_sorted(axis.log_ticks_));
  return axis;
}

double Axis::label_width(double size) const {
  double widest = 0;
  for_each_tick([&](double, const std::string& label) { widest = std::max(widest, text_width(label, size)); });
  return widest;
}

TimeUnit time_unit(double longest) {
  for (const auto& unit : {TimeUnit{86400, "days"}, TimeUnit{3600, "h"}, TimeUnit{1, "s"}, TimeUnit{1e-3, "ms"},
                           TimeUnit{1e-6, "\u00b5s"}})
    if (longest >= 3 * unit.seconds) return unit;
  return longest > 0 ? TimeUnit{1e-9, "ns"} : TimeUnit{1, "s"};
}

}  // namespace toroid::views
