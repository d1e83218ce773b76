#include "cli/uncertainty_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/table.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace toroid::cli {
namespace {

using platforms::Interval;

/// A value of an interval for people.
std::string in_words(const Interval& interval, double value) {
  const auto unit = platforms::unit_of(interval.quantity);
  if (unit == "s") return core::format_duration(value);
  if (unit == "B/s") return core::format_bandwidth(value);
  if (unit == "B") return core::format_bytes(value);
  if (unit == "flop/s") return core::exact_speed(value);
  return fmt::format("{}{:g}", unit == "factor" ? "x" : "", value);
}

}  // namespace

std::string drawn_in_words(std::size_t draws, std::span<const Interval> intervals) {
  std::vector<std::string> names;
  for (const auto& interval : intervals)
    if (std::ranges::find(names, interval.property) == names.end()) names.push_back(interval.property);
  return fmt::format("{} machine{} drawn from the interval{} of {}", draws, draws == 1 ? "" : "s",
                     names.size() == 1 ? "" : "s", core::join(names));
}

std::string correlations_in_words(std::size_t draws) {
  return fmt::format(
      "rank correlation of the drawn values with the times: at 1 or -1 the property alone decides which machine is "
      "faster; within {:.2f} of 0 the property may not matter at all, as chance alone leads up to there in 19 of 20 "
      "cases",
      study::correlation_by_chance(draws));
}

std::string spread_in_words(const study::DrawnTimes& times) {
  const auto spread = study::spread_of(times);
  if (!spread) return "-";
  return fmt::format("{} ({} to {})", core::format_duration(spread->median),
                     core::format_duration(spread->interval.low), core::format_duration(spread->interval.high));
}

std::string uncertainty_text(const study::Draws& draws, const study::DrawnTimes& times) {
  const auto spread = study::spread_of(times).value();
  auto text = fmt::format("\nuncertainty    median {}, nine of ten from {} to {}: {}\n",
                          core::format_duration(spread.median), core::format_duration(spread.interval.low),
                          core::format_duration(spread.interval.high), drawn_in_words(times.size(), draws.intervals));
  core::Table table({"interval", "from", "to", "rank correlation"});
  for (const auto& [number, correlation] : study::influences(draws, times)) {
    const auto& interval = draws.intervals[number];
    table.add({interval.property, in_words(interval, interval.low), in_words(interval, interval.high),
               correlation ? fmt::format("{:+.2f}", *correlation) : "-"});
  }
  return text + "\n" + table.text() + correlations_in_words(times.size()) + "\n";
}

}  // namespace toroid::cli
