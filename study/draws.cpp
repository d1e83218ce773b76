#include "study/draws.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/assert.hpp"
#include "core/distributions.hpp"
#include "core/error.hpp"
#include "core/random.hpp"

namespace toroid::study {

using core::Json;
namespace pf = platforms;

Draws draw_machines(const pf::MachineSource& platform, std::size_t count, std::uint64_t seed) {
  Draws draws{platform.intervals()};
  const auto& intervals = draws.intervals;
  for (const bool is_high : {false, true})
    pf::Machine(platform.describe([&](const pf::PropertyInterval& i) { return is_high ? i.high : i.low; }));
  std::vector<core::Random> streams;
  for (const auto& interval : intervals) streams.emplace_back(seed, "uncertainty/" + interval.property);
  for (std::size_t d = 0; d < count; ++d) {
    auto& values = draws.values.emplace_back();
    for (std::size_t i = 0; i < intervals.size(); ++i) values.push_back(intervals[i].at(streams[i].unit()));
    draws.machines.push_back(platform.describe([&](const pf::PropertyInterval& one) {
      for (std::size_t i = 0; i < intervals.size(); ++i)
        if (intervals[i].property == one.property) return values[i];
      return one.low;  // set again by what comes after it
    }));
  }
  return draws;
}

std::vector<std::string> Draws::properties() const {
  std::vector<std::string> all;
  for (const auto& interval : intervals) all.push_back(interval.property);
  return all;
}

void check_intervals(std::span<Draws> all, const std::string& platforms, const netsim::EngineChoice& engine) {
  std::vector<std::string> not_taken;
  bool any = false;
  for (auto& draws : all) {
    if (draws.intervals.empty()) continue;
    draws.not_taken = netsim::not_taken(engine, draws.machines.front(), draws.properties());
    any |= draws.not_taken.size() < draws.intervals.size();
    not_taken = draws.not_taken;
  }
  if (!any && !not_taken.empty()) core::fail_input("--uncertainty: {}", netsim::not_taken_in_words(engine, not_taken));
  if (!any)
    core::fail_input("--uncertainty: {} has no interval to draw from; expected one, such as bandwidth=4.5..5.2GBps",
                     platforms);
}

pf::Machine middle_machine(const pf::MachineSource& platform) {
  return pf::Machine(platform.describe(&pf::PropertyInterval::middle));
}

Spread spread_of(Sample values) {
  TOROID_ASSERT(!values.empty());
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) { return core::quantile(values, share); };
  return {at(0.5), {at((1 - spread_share) / 2), at((1 + spread_share) / 2)}};
}

namespace {

/// The seconds that there are.
Sample present(const DrawnTimes& times) {
  Sample all;
  for (const auto& time : times)
    if (time) all.push_back(time->seconds);
  return all;
}

}  // namespace

std::vector<Influence> influences(const Draws& draws, const DrawnTimes& times) {
  TOROID_ASSERT(times.size() == draws.values.size());
  const auto known = present(times);
  std::vector<Influence> all;
  for (std::size_t i = 0; i < draws.intervals.size(); ++i) {
    if (std::ranges::find(draws.not_taken, draws.intervals[i].property) != draws.not_taken.end()) continue;
    Sample values;
    for (std::size_t d = 0; d < times.size(); ++d)
      if (times[d]) values.push_back(draws.values[d][i]);
    all.push_back({i, spearman(values, known)});
  }
  std::stable_sort(all.begin(), all.end(), [](const Influence& a, const Influence& b) {
    return std::abs(a.correlation.value_or(0)) > std::abs(b.correlation.value_or(0));
  });
  return all;
}

std::optional<TimeSpread> spread_of(const DrawnTimes& times, const netsim::Deviation& deviation) {
  std::vector<DrawnTime> known;
  for (const auto& time : times)
    if (time) known.push_back(*time);
  if (known.empty()) return std::nullopt;
  const auto [median, machines] = spread_of(present(times));
  return TimeSpread{median, machines, predicted_time(known, deviation)};
}

double correlation_by_chance(std::size_t draws) {
  // The correlation of independent ranks is nearly normal with a variance of 1 / (n - 1).
  constexpr double two_sided_5_percent = 1.96;
  return draws < 2 ? 1 : std::min(1.0, two_sided_5_percent / std::sqrt(static_cast<double>(draws - 1)));
}

Json interval_json(const pf::PropertyInterval& interval) {
  return {{"property", interval.property},
          {"unit", pf::unit_of(interval.quantity)},
          {"low", interval.low},
          {"high", interval.high},
          {"best", interval.best ? Json(*interval.best) : Json()}};
}

Json values_json(const Draws& draws, std::size_t draw) {
  Json json = Json::object();
  for (std::size_t i = 0; i < draws.intervals.size(); ++i) json[draws.intervals[i].property] = draws.values[draw][i];
  return json;
}

Json spread_json(const Draws& draws, const DrawnTimes& times, const netsim::Deviation& deviation) {
  const auto spread = spread_of(times, deviation);
  if (!spread) return nullptr;
  Json json{{"median_s", spread->median},
            {"interval_s", Json{spread->interval.low, spread->interval.high}},
            {"machines_interval_s", Json{spread->machines.low, spread->machines.high}},
            {"influences", Json::array()}};
  for (const auto& [interval, correlation] : influences(draws, times))
    json["influences"].push_back({{"property", draws.intervals[interval].property},
                                  {"rank_correlation", correlation ? Json(*correlation) : Json()}});
  return json;
}

namespace {

/// The engine's deviation from flits; null if nobody has measured it.
Json deviation_json(const netsim::EngineChoice& engine) {
  const auto& [programs, placements] = engine.thing().deviation;
  if (programs.empty()) return nullptr;
  return {{"engine", engine.text()}, {"programs", programs}, {"placements", placements}};
}

}  // namespace

Json drawn_json(std::size_t draws, const netsim::EngineChoice& engine) {
  return {{"draws", draws},
          {"share", spread_share},
          {"correlation_by_chance", correlation_by_chance(draws)},
          {"engine_deviation", deviation_json(engine)}};
}

Json uncertainty_json(const Draws& draws, const DrawnTimes& times, const netsim::EngineChoice& engine) {
  auto json = drawn_json(times.size(), engine);
  for (const auto& interval : draws.intervals) json["intervals"].push_back(interval_json(interval));
  json.update(spread_json(draws, times, engine.thing().deviation));
  for (std::size_t d = 0; d < times.size(); ++d)
    json["runs"].push_back({{"draw", d},
                            {"runtime_s", times[d]->seconds},
                            {"deviating_s", times[d]->deviating},
                            {"values", values_json(draws, d)}});
  return json;
}

namespace {

/// The lists of a deviation, and how quantiles are taken of what comes of them.
struct Ratios {
  std::span<const double> programs, placements;
  double (*quantile)(const Sample&, double);
};

/// The machines alone, as spread_of() has them, where no time deviates or nobody has measured by how much.
Ratios ratios_of(const netsim::Deviation& deviation, bool deviates) {
  static constexpr std::array exact{1.0};
  if (!deviates || deviation.programs.empty()) return {exact, exact, core::quantile};
  return {deviation.programs, deviation.placements, core::quantile_of_groups};
}

bool deviates(const DrawnTime& time) {
  return time.deviating > 0;
}

double with(const DrawnTime& time, double ratio) {
  return time.seconds + time.deviating * (ratio - 1);
}

Interval interval_of(Sample& values, const Ratios& ratios) {
  std::sort(values.begin(), values.end());
  return {ratios.quantile(values, (1 - spread_share) / 2), ratios.quantile(values, (1 + spread_share) / 2)};
}

}  // namespace

Interval predicted_time(std::span<const DrawnTime> times, const netsim::Deviation& deviation) {
  const auto ratios = ratios_of(deviation, std::ranges::any_of(times, deviates));
  Sample all;
  for (const auto& time : times)
    for (const double program : ratios.programs)
      for (const double placement : ratios.placements) all.push_back(with(time, program * placement));
  return interval_of(all, ratios);
}

PredictedRatio predicted_ratio(std::span<const DrawnPair> pairs, const netsim::Deviation& deviation,
                               bool is_one_program) {
  const auto ratios = ratios_of(deviation, std::ranges::any_of(pairs, [](const DrawnPair& pair) {
                                  return deviates(pair.first) || deviates(pair.second);
                                }));
  Sample all;
  for (const auto& [first, second] : pairs)
    for (const double& program : ratios.programs)
      for (const double other_program : is_one_program ? std::span(&program, 1) : ratios.programs)
        for (const double one : ratios.placements)
          for (const double other : ratios.placements)
            all.push_back(with(second, other_program * other) / with(first, program * one));
  TOROID_ASSERT(!all.empty());
  const auto above = std::ranges::count_if(all, [](double ratio) { return ratio > 1 && !nearly_equal(ratio, 1); });
  const auto interval = interval_of(all, ratios);
  return {interval, static_cast<double>(above) / static_cast<double>(all.size())};
}

}  // namespace toroid::study
