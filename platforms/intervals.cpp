#include "toroid/platforms/load.hpp"

#include <algorithm>
#include <cmath>

#include "core/units.hpp"
#include "platforms/values.hpp"

namespace toroid::platforms {
namespace {

constexpr Text dots = "..";

bool is_whole(Quantity quantity) {
  return quantity == Quantity::bytes || quantity == Quantity::count;
}

struct Measure {
  Text unit;
  double (*parse)(Text, Text what);  ///< null: a plain number
  std::string (*text)(double);
};

const Measure& measure_of(Quantity quantity) {
  constexpr auto parse_bytes = [](Text text, Text what) {
    return static_cast<double>(core::parse_whole_bytes(text, what));
  };
  constexpr auto whole = [](double value) { return fmt::format("{:.0f}", value); };
  static constexpr std::array<Measure, 7> all{
      {{"B/s", core::parse_bandwidth, core::exact_bandwidth},
       {"s", core::parse_duration, core::exact_duration},
       {"flop/s", core::parse_speed, core::exact_speed},
       {"B", parse_bytes, whole},
       {"", nullptr, whole},
       {"factor", nullptr, [](double value) { return fmt::format("x{}", value); }},
       {"", nullptr, [](double value) { return fmt::format("{}", value); }}}};
  return all[static_cast<std::size_t>(quantity)];
}

double parse_value(Quantity quantity, Text text, Text what) {
  if (const auto parse = measure_of(quantity).parse; parse != nullptr) return parse(text, what);
  const auto number = core::parse_number<double>(text);
  const bool is_good = number && std::isfinite(*number) && *number >= 0 &&
                       (quantity == Quantity::factor || quantity == Quantity::share || *number == std::floor(*number));
  if (!is_good)
    fail_input("{}: found '{}', expected a {}number", what, core::excerpt(text),
               quantity == Quantity::count ? "whole " : "");
  return *number;
}

/// What stands behind the number at the beginning of a text: `GBps` in `5.2GBps`.
Text unit_in(Text text) {
  auto end = std::min(text.find_first_not_of("0123456789.+-"), text.size());
  // The exponent of a number: a unit does not go on with a digit or a sign.
  if (end + 1 < text.size() && (text[end] == 'e' || text[end] == 'E') &&
      Text("0123456789+-").find(text[end + 1]) != Text::npos)
    end = std::min(text.find_first_not_of("0123456789+-", end + 1), text.size());
  return text.substr(end);
}

/// The two or three numbers of an interval, each with its unit and without the x of a factor.
std::vector<std::string> numbers_in(Text text, bool are_factors) {
  std::vector<std::string> numbers;
  for (auto rest = text;;) {
    const auto end = rest.find(dots);
    auto number = core::trim(rest.substr(0, end));
    if (are_factors && number.starts_with('x')) number.remove_prefix(1);
    numbers.emplace_back(number);
    if (end == Text::npos) break;
    rest.remove_prefix(end + dots.size());
  }
  const std::string unit(unit_in(numbers.back()));
  for (auto& number : numbers)
    if (unit_in(number).empty()) number += unit;
  return numbers;
}

}  // namespace

double PropertyInterval::at(double place) const {
  TOROID_ASSERT(low <= high && place >= 0 && place <= 1);
  if (!is_whole(quantity)) return low + place * (high - low);
  return std::min(low + std::floor(place * (high - low + 1)), high);
}

std::string PropertyInterval::text(double value) const {
  return measure_of(quantity).text(value);
}

std::string PropertyInterval::text() const {
  const auto middle = best ? text(*best) + std::string(dots) : std::string();
  return fmt::format("{}{}{}{}", text(low), dots, middle, text(high));
}

std::string_view unit_of(Quantity quantity) {
  return measure_of(quantity).unit;
}

std::optional<PropertyInterval> parse_interval(Text property, Text text) {
  text = core::trim(text);
  if (text.find(dots) == Text::npos) return std::nullopt;
  PropertyInterval interval{canonical_property(property)};
  const auto* help = find_property(interval.property);
  const auto quantity = help == nullptr ? std::nullopt : help->quantity;
  if (!quantity) return std::nullopt;
  if (split_dimensions(text).size() > 1)
    fail_input("{}: found '{}', expected one interval for all dimensions, or for one: x.{}=...", property,
               core::excerpt(text), interval.property);
  const bool are_factors = text.starts_with('x') && !is_whole(*quantity);
  interval.quantity = are_factors ? Quantity::factor : *quantity;
  std::vector<double> values;
  for (const auto& number : numbers_in(text, are_factors))
    values.push_back(parse_value(interval.quantity, number, property));
  const bool is_factor_of_nothing = are_factors && values.front() == 0;
  if (values.size() > 3 || is_factor_of_nothing || !std::ranges::is_sorted(values))
    fail_input("{}: found '{}', expected the low end and the high end of an interval, as in {}", property,
               core::excerpt(text), is_whole(*quantity) ? "2..8" : "x0.9..x1.1");
  interval.low = values.front();
  interval.high = values.back();
  if (values.size() == 3) interval.best = values[1];
  return interval;
}

double best_estimate(const PropertyInterval& interval) {
  if (interval.best) return *interval.best;
  fail_input(
      "{}: found the interval {}, expected one value; the commands simulate and compare draw machines from intervals "
      "with "
      "--uncertainty N",
      interval.property, interval.text());
}

std::string chosen(Text property, Text text, const Choose& choose) {
  const auto interval = parse_interval(property, text);
  return interval ? interval->text(choose(*interval)) : std::string(text);
}

}  // namespace toroid::platforms
