#include "study/draws.hpp"

#include <cmath>

#include "core/distributions.hpp"
#include "core/random.hpp"
#include "study/documents/fields.hpp"

namespace toroid::study {

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
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      values.push_back(intervals[i].at(streams[i].unit()));
      TOROID_ASSERT(intervals[i].low <= values.back());
    }
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
  std::ranges::sort(values);
  const auto at = [&](double share) { return core::quantile(values, share); };
  return {at(0.5), {at((1 - spread_share) / 2), at((1 + spread_share) / 2)}};
}

namespace {

Sample present(const DrawnTimes& times) {
  Sample all;
  for (const auto& time : times)
    if (time) all.push_back(time->seconds);
  return all;
}

const core::Object<pf::PropertyInterval> interval_object{
    "interval",
    {{"property", "text", "as --set takes it", &pf::PropertyInterval::property},
     {"unit", "text", "B/s, s, flop/s, B, factor (of what the machine has), or empty",
      [](auto& i) { return pf::unit_of(i.quantity); }},
     {"low", "number", "low end, in that unit", &pf::PropertyInterval::low},
     {"high", "number", "high end", &pf::PropertyInterval::high},
     {"best", "number or null", "the likeliest value, if it is given", &pf::PropertyInterval::best}}};

const core::Object<netsim::EngineChoice> deviation_object{
    "engine deviation",
    {{"engine", "text", "the engine, with its keys", [](auto& engine) { return engine.text(); }},
     {"programs", "list of number",
      "factors of flits over the engine, where messages share links, alike for all placements of a program: equally "
      "likely, ascending",
      [](auto& engine) { return engine.thing().deviation.programs; }},
     {"placements", "list of number", "factors of each placement; the product of both is the deviation",
      [](auto& engine) { return engine.thing().deviation.placements; }}}};

struct ToldInfluence : Influence {
  std::string_view property;
};

const core::Object<ToldInfluence> influence_object{
    "influence",
    {{"property", "text", "whose values were drawn", &ToldInfluence::property},
     {"rank_correlation", "number or null", "Spearman's with the times; null if one is constant",
      &ToldInfluence::correlation}}};

struct ToldDraws {
  const Draws& draws;
  const DrawnTimes& times;
  const netsim::EngineChoice& engine;
  TimeSpread spread;
};

struct ToldDraw {
  const Draws& draws;
  std::size_t draw;
  DrawnTime time;
};

const core::Object<ToldDraw> drawn_run_object{
    "drawn run",
    {{"draw", "count", "number of the machine, from 0", &ToldDraw::draw},
     {"runtime_s", "seconds", "predicted run time", [](auto& d) { return d.time.seconds; }},
     {"deviating_s", "seconds",
      "of these, what the deviation multiplies: time in the network, in proportion where less than a fifth of it is "
      "sharing",
      [](auto& d) { return d.time.deviating; }},
     {"values", "number by name", "of the properties, in the units of intervals",
      [](auto& d) { return values_json(d.draws, d.draw); }}}};

Json drawn_runs(const ToldDraws& told) {
  return array_of(told.times.size(), [&](std::size_t d) {
    return drawn_run_object({told.draws, d, told.times[d].value()});
  });
}

const core::Object<ToldDraws> uncertainty_object{
    "uncertainty",
    {{"draws", "count", "machines that are drawn", [](auto& u) { return u.times.size(); }},
     {"share", "share", "of values that intervals hold: between quantiles, 5 % and 95 %",
      [](auto&) { return spread_share; }},
     {"correlation_by_chance", "number", "that a property without effect exceeds once in twenty times",
      [](auto& u) { return correlation_by_chance(u.times.size()); }},
     {"engine_deviation", "engine deviation or null", "how far the engine is from flits; null if not measured",
      [](auto& u) { return deviation_json(u.engine); }},
     {"intervals", "list of interval", "what was drawn from",
      [](auto& u) { return interval_object.list(u.draws.intervals); }},
     {"median_s", "seconds", "median of the run times", [](auto& u) { return u.spread.median; }},
     {"interval_s", "list of seconds", "its two ends, with the engine's deviation",
      [](auto& u) { return interval_json(u.spread.interval); }},
     {"machines_interval_s", "list of seconds", "its two ends by the machines alone",
      [](auto& u) { return interval_json(u.spread.machines); }},
     {"influences", "list of influence", "what the times follow, the strongest first",
      [](auto& u) { return influences_json(u.draws, u.times); }},
     {"runs", "list of drawn run", "by machine", drawn_runs}}};

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
  TOROID_ASSERT(!values.empty());
  std::ranges::sort(values);
  return {ratios.quantile(values, (1 - spread_share) / 2), ratios.quantile(values, (1 + spread_share) / 2)};
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
  std::ranges::stable_sort(all, [](const Influence& a, const Influence& b) {
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
  return interval_object(interval);
}

Json values_json(const Draws& draws, std::size_t draw) {
  Json json = Json::object();
  for (std::size_t i = 0; i < draws.intervals.size(); ++i) json[draws.intervals[i].property] = draws.values[draw][i];
  return json;
}

Json influences_json(const Draws& draws, const DrawnTimes& times) {
  return array_of(influences(draws, times), [&](const Influence& one) {
    return influence_object({one, draws.intervals[one.interval].property});
  });
}

Json deviation_json(const netsim::EngineChoice& engine) {
  return engine.thing().deviation.programs.empty() ? Json() : deviation_object(engine);
}

Json uncertainty_json(const Draws& draws, const DrawnTimes& times, const netsim::EngineChoice& engine) {
  return uncertainty_object({draws, times, engine, spread_of(times, engine.thing().deviation).value()});
}

std::vector<core::ObjectText> drawn_objects() {
  return {uncertainty_object, deviation_object, interval_object, influence_object, drawn_run_object};
}

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
