#include "cli/uncertainty_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/table.hpp"
#include "core/text.hpp"
#include "core/units.hpp"

namespace toroid::cli {
namespace {

using platforms::PropertyInterval;

/// A value of an interval for people.
std::string in_words(const PropertyInterval& interval, double value) {
  const auto unit = platforms::unit_of(interval.quantity);
  if (unit == "s") return core::format_duration(value);
  if (unit == "B/s") return core::format_bandwidth(value);
  if (unit == "B") return core::format_bytes(value);
  if (unit == "flop/s") return core::exact_speed(value);
  return fmt::format("{}{:g}", unit == "factor" ? "x" : "", value);
}

}  // namespace

std::string drawn_in_words(std::size_t draws, std::span<const PropertyInterval> intervals) {
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

std::string deviation_in_words(const netsim::EngineChoice& engine) {
  const auto& deviation = engine.thing().deviation;
  if (deviation.programs.empty())
    return fmt::format("nobody has measured how far {} is from flit-level times", engine.text());
  const auto [low, high] = study::predicted_time(std::array{study::DrawnTime{1, 1}}, deviation);
  return fmt::format(
      "where messages share links, nine of ten flit-level times are {:+.0f} to {:+.0f} % from those of {}",
      100 * (low - 1), 100 * (high - 1), engine.text());
}

std::string interval_in_words(const study::Interval& seconds) {
  return fmt::format("{} to {}", core::format_duration(seconds.low), core::format_duration(seconds.high));
}

std::string uncertainty_text(const study::Draws& draws, const study::DrawnTimes& times,
                             const netsim::EngineChoice& engine) {
  const auto spread = study::spread_of(times, engine.thing().deviation).value();
  auto text = fmt::format(
      "\nuncertainty    median {}, nine of ten from {}: {}, and the engine's deviation\nby machines    nine of ten "
      "from {}"
      "\nby the engine  {}\n",
      core::format_duration(spread.median), interval_in_words(spread.interval),
      drawn_in_words(times.size(), draws.intervals), interval_in_words(spread.machines), deviation_in_words(engine));
  core::Table table({"interval", "from", "to", "rank correlation"});
  for (const auto& [number, correlation] : study::influences(draws, times)) {
    const auto& interval = draws.intervals[number];
    table.add({interval.property, in_words(interval, interval.low), in_words(interval, interval.high),
               correlation ? fmt::format("{:+.2f}", *correlation) : "-"});
  }
  return text + "\n" + table.text() + correlations_in_words(times.size()) + "\n";
}

}  // namespace toroid::cli
