#pragma once
// Properties of a machine that are known to lie between two values, written in the place of one value:
// `bandwidth=4.5..5.2GBps`, or `4.5..5.05..5.2GBps` with the best estimate in the middle. A description has one value
// of each property; whoever makes one of a text with intervals says which value each interval has.

#include "platforms/description.hpp"

namespace toroid::platforms {

struct PropertyInterval {
  std::string property;  ///< its full name: `bandwidth`, `x.latency`, `router.vcs`
  Quantity quantity = Quantity::count;
  double low = 0, high = 0;         ///< bytes/s, seconds, flop/s, bytes, or a plain number, as the quantity says
  std::optional<double> best = {};  ///< what the author takes for the likeliest value, if the interval says so

  /// The value at this place of the interval, 0 the low end and 1 the high end; of whole numbers all are as likely
  /// where the place is uniform in [0, 1).
  double at(double place) const;
  /// The best estimate, or else the middle of the interval.
  double middle() const { return best ? *best : at(0.5); }
  /// A value, or the whole interval, as a text that reads back as the same.
  std::string text(double value) const;
  std::string text() const;
};

/// The unit of a quantity's values: `B/s`, `s`, `flop/s`, `B`, `factor`; empty for plain numbers.
std::string_view unit_of(Quantity quantity);

/// Reads the value of a property as an interval. Returns nothing where the text is none, or where the property can have
/// none: only numbers can that say how fast a part of the machine is or how large, not which nodes and links there are.
/// The last number gives its unit to those without one. Throws InputError where the ends are no values of the property,
/// or not in order.
std::optional<PropertyInterval> parse_interval(std::string_view property, std::string_view text);

/// Says which value an interval has.
using Choose = std::function<double(const PropertyInterval&)>;
/// The best estimate. Throws InputError where there is none: such a machine must be drawn.
double best_estimate(const PropertyInterval& interval);

/// The value of a property as set_property() takes it: the text, or the value that is chosen of an interval.
std::string chosen(std::string_view property, std::string_view text, const Choose& choose);

}  // namespace toroid::platforms
