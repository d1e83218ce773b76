#pragma once
// Values along an axis: where they are drawn, their ticks, and the unit of time that suits them.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "toroid/core/assert.hpp"

namespace toroid::views {

/// The distance between ticks, for at most eight of them over a `span` above 0: 1, 2 or 5 times a power of ten.
double tick_step(double span);

/// The label of a tick: its value with as many digits as tell it from the next tick, with a power of ten where those
/// would be many.
std::string tick_label(double value, double step);

/// Values along an axis, from tick to tick, and where they are drawn.
class Axis {
 public:
  /// Reaches over the values from `lowest` to `highest`; begins at 0 if `lowest` is above 0 and at most `near_zero` of
  /// `highest`.
  Axis(double lowest, double highest, double near_zero = 0.5);

  /// A logarithmic axis over values above 0: ticks are 1, 2 or 5 times a power of ten, or powers of ten alone where
  /// there would be more than eight.
  static Axis logarithmic(double lowest, double highest);

  /// Says that the axis is drawn from one coordinate to another one, which may be the lesser.
  void lay(double from, double to) {
    from_ = from;
    to_ = to;
  }

  /// The width of the widest label in a font of `size`, both in pixels.
  double label_width(double size) const;

  double place(double value) const {
    TOROID_ASSERT(log_ticks_.empty() || value > 0);
    const double at = log_ticks_.empty()
                          ? (value / step_ - low_) / (high_ - low_)
                          : std::log(value / log_ticks_.front()) / std::log(log_ticks_.back() / log_ticks_.front());
    return from_ + at * (to_ - from_);
  }

  /// Calls draw(place, label) at each tick.
  template <class Draw>
  void for_each_tick(Draw draw) const {
    for (const double tick : log_ticks_) draw(place(tick), tick_label(tick, tick));
    if (!log_ticks_.empty()) return;
    const auto ticks = std::lround(high_ - low_);
    for (long i = 0; i <= ticks; ++i) {
      const double tick = (low_ + static_cast<double>(i)) * step_;
      draw(place(tick), tick_label(tick, step_));
    }
  }

 private:
  double from_ = 0, to_ = 1, step_ = 1, low_ = 0, high_ = 1;  ///< low, high: in steps
  std::vector<double> log_ticks_;  ///< two ticks or more of a logarithmic axis, none of a linear one
};

enum class Spacing : std::uint8_t { linear, logarithmic };
/// Whether a linear axis begins at 0 where that is near, or with the values.
enum class From : std::uint8_t { zero, values };

/// The range of some values, from the lowest to the highest.
class Range {
 public:
  void add(double value) {
    lowest_ = std::min(lowest_, value);
    highest_ = std::max(highest_, value);
  }
  void add(const Range& other) {
    lowest_ = std::min(lowest_, other.lowest_);
    highest_ = std::max(highest_, other.highest_);
  }
  /// An axis over all values, which a logarithmic axis wants above 0; from 0 to 1 if there are none.
  Axis axis(Spacing spacing = Spacing::linear, From from = From::zero) const {
    if (lowest_ > highest_) return {0, 1};
    if (spacing == Spacing::logarithmic) return Axis::logarithmic(lowest_, highest_);
    return {lowest_, highest_, from == From::zero ? 0.5 : 0.1};
  }

 private:
  double lowest_ = std::numeric_limits<double>::infinity(), highest_ = -std::numeric_limits<double>::infinity();
};

struct TimeUnit {
  double seconds;
  std::string name;
};
/// The unit that suits times of which the longest is so many seconds: the largest of which that has three.
TimeUnit time_unit(double longest);

}  // namespace toroid::views
