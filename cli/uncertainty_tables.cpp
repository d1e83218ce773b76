#include "cli/uncertainty_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "core/units.hpp"
#include "study/draws.hpp"

namespace toroid::cli {
namespace {

using core::Json;

/// A value of an interval for people.
std::string value_in_words(const Json& interval, const char* which) {
  const double value = interval[which];
  const std::string unit = interval["unit"];
  if (unit == "s") return core::format_duration(value);
  if (unit == "B/s") return core::format_bandwidth(value);
  if (unit == "B") return core::format_bytes(value);
  if (unit == "flop/s") return core::exact_speed(value);
  return fmt::format("{}{:g}", unit == "factor" ? "x" : "", value);
}

const Json& interval_of(const Json& intervals, const Json& property) {
  return *std::find_if(intervals.begin(), intervals.end(), [&](const Json& i) { return i["property"] == property; });
}

}  // namespace

std::string drawn_in_words(std::size_t draws, const Json& intervals) {
  std::vector<std::string> names;
  for (const auto& interval : intervals)
    if (const std::string name = interval["property"]; std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
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

std::string spread_in_words(const Json& spread) {
  if (spread["median_s"].is_null()) return "-";
  return fmt::format("{} ({} to {})", core::format_duration(spread["median_s"]),
                     core::format_duration(spread["interval_s"][0]), core::format_duration(spread["interval_s"][1]));
}

std::string uncertainty_text(const Json& u) {
  const auto& intervals = u["intervals"];
  const std::size_t draws = u["draws"];
  auto text = fmt::format("\nuncertainty    median {}, nine of ten from {} to {}: {}\n",
                          core::format_duration(u["median_s"]), core::format_duration(u["interval_s"][0]),
                          core::format_duration(u["interval_s"][1]), drawn_in_words(draws, intervals));
  core::Table table({"interval", "from", "to", "rank correlation"});
  for (const auto& influence : u["influences"]) {
    const auto& interval = interval_of(intervals, influence["property"]);
    const auto& correlation = influence["rank_correlation"];
    table.add({influence["property"], value_in_words(interval, "low"), value_in_words(interval, "high"),
               correlation.is_null() ? "-" : fmt::format("{:+.2f}", correlation.get<double>())});
  }
  return text + "\n" + table.text() + correlations_in_words(draws) + "\n";
}

}  // namespace toroid::cli
