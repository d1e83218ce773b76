#pragma once
// What to expect of a run where neither the machine nor the engine is exact: machines drawn from one whose properties
// are known within intervals, each with each of the engine's deviations (netsim::Deviation), and what the times on them
// say.

#include "netsim/network.hpp"
#include "toroid/core/fields.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/study/statistics/statistics.hpp"

namespace toroid::study {

/// What a run took on a machine, in seconds.
struct DrawnTime {
  double seconds;
  double deviating = 0;  ///< the seconds of these that the engine's deviation multiplies (netsim::deviating_seconds)
  bool operator==(const DrawnTime&) const = default;
};

/// Two runs on one machine.
using DrawnPair = std::pair<DrawnTime, DrawnTime>;

/// The share of what is possible that intervals hold: they are between the quantiles of 5 % and 95 %.
inline constexpr double spread_share = 0.9;

/// The interval of the time; by the machines alone where none deviates or nobody has measured by how much. There must
/// be at least one time.
Interval predicted_time(std::span<const DrawnTime> times, const netsim::Deviation& deviation);

struct PredictedRatio {
  Interval interval;
  double above_one;  ///< how likely it is that the ratio is above 1, by more than rounding
};
/// What to expect of the second time over the first: of two placements of one program on one machine, which have part
/// of the deviation in common, or else of two runs that have nothing in common. There must be at least one pair, and
/// times are above 0.
PredictedRatio predicted_ratio(std::span<const DrawnPair> pairs, const netsim::Deviation& deviation,
                               bool is_one_program = true);

/// The most machines that can be drawn from one.
inline constexpr std::size_t most_draws = 100'000;

struct Draws {
  std::vector<platforms::PropertyInterval> intervals = {};
  std::vector<std::vector<double>> values =
      {};  ///< the values that were drawn, by draw, then interval; in the units of the interval
  std::vector<platforms::Description> machines = {};  ///< the machines that these values make, by draw
  std::vector<std::string> not_taken = {};            ///< properties on which no time depends (check_intervals())

  /// The properties of all intervals.
  std::vector<std::string> properties() const;
};

/// Draws machines from a PLATFORM argument. All values of an interval are equally likely, and intervals are drawn
/// independently of each other. The place of a value in its interval depends on the seed, the property and the number
/// of the draw alone: machines that have an interval for the same property are drawn in pairs, and more draws begin
/// with those of fewer. Throws InputError, also where the low ends or the high ends of all intervals make no machine.
Draws draw_machines(const platforms::MachineSource& platform, std::size_t count, std::uint64_t seed);

/// Says in draws of which intervals the engine takes none into account. Throws InputError where no draws have any
/// other; `platforms` are their names.
void check_intervals(std::span<Draws> all, const std::string& platforms, const netsim::EngineChoice& engine);

/// The machine whose intervals have their best estimates, or else their middles.
platforms::Machine middle_machine(const platforms::MachineSource& platform);

/// The middle of values, and the interval that nine of ten of them are in: between the quantiles of 5 % and 95 %.
struct Spread {
  double median;
  Interval interval;
};
/// There must be at least one value.
Spread spread_of(Sample values);

/// What runs on the machines that are drawn took, by draw; nothing where they failed.
using DrawnTimes = std::vector<std::optional<DrawnTime>>;
/// How far the times of an engine spread.
struct TimeSpread {
  double median;      ///< seconds, by the machines alone
  Interval machines;  ///< the interval by the machines alone
  Interval interval;  ///< the interval with the engine's deviation
};
/// The spread of the times that there are; nothing if all runs failed.
std::optional<TimeSpread> spread_of(const DrawnTimes& times, const netsim::Deviation& deviation);

/// How much of the spread of times an interval explains.
struct Influence {
  std::size_t interval;               ///< its number in the draws
  std::optional<double> correlation;  ///< Spearman's, -1 to 1; nothing where one of the two does not vary
};
/// The rank correlations with the times of all intervals that are taken into account; the strongest first.
std::vector<Influence> influences(const Draws& draws, const DrawnTimes& times);
/// The size below which one of twenty rank correlations of so many draws is by chance alone, where the property does
/// not matter.
double correlation_by_chance(std::size_t draws);

/// An interval as JSON: property, unit, low, high, best.
core::Json interval_json(const platforms::PropertyInterval& interval);
/// The values of a draw as JSON, by property.
core::Json values_json(const Draws& draws, std::size_t draw);
/// What the times follow, the strongest first.
core::Json influences_json(const Draws& draws, const DrawnTimes& times);
/// The engine's deviation from flits; null if nobody has measured it.
core::Json deviation_json(const netsim::EngineChoice& engine);
/// What a run on each machine says, all of which must have ended.
core::Json uncertainty_json(const Draws& draws, const DrawnTimes& times, const netsim::EngineChoice& engine);
/// The objects of that document, `uncertainty` first.
std::vector<core::ObjectText> drawn_objects();

}  // namespace toroid::study
