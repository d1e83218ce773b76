#include "study/opinions.hpp"

#include "study/documents/fields.hpp"

namespace toroid::study {
namespace {

using Opinions = std::vector<Report>;

std::optional<DrawnTime> mean_time(const Group& group) {
  if (group.times.empty()) return std::nullopt;
  Sample deviating;
  for (const auto& row : group.rows)
    if (const auto& m = row.measures)
      deviating.push_back(
          netsim::deviating_seconds(m->runtime * (1 - m->compute_share), m->runtime * m->sharing_share));
  return DrawnTime{mean(group.times), mean(deviating)};
}

DrawnTimes times_of(std::size_t group, const Opinions& draws) {
  DrawnTimes times;
  for (const auto& draw : draws) times.push_back(mean_time(draw.groups[group]));
  return times;
}

DrawnVerdict verdict_of(const Contest& contest, std::size_t number, const Opinions& draws) {
  DrawnVerdict verdict;
  std::map<std::string, std::size_t> said;
  for (const auto& draw : draws) {
    TOROID_ASSERT(number < draw.contests().size());
    const auto text = holds(contest, *draw.contests()[number]);
    stands(text) ? ++verdict.holds_on : ++said[text];
  }
  verdict.otherwise.assign(said.begin(), said.end());
  std::ranges::stable_sort(verdict.otherwise, std::greater<>(), [](const auto& other) { return other.second; });
  return verdict;
}

/// The mean time of a contender, which may be for other work than its group's (Comparison::equal_tokens).
std::optional<DrawnTime> mean_time(const Report& report, const Contender& contender) {
  auto time = mean_time(report.groups[contender.group]);
  if (!time || contender.times.empty() || time->seconds <= 0) return std::nullopt;
  const double scale = mean(contender.times) / time->seconds;
  return DrawnTime{time->seconds * scale, time->deviating * scale};
}

/// The mean times of two contenders on each machine where both ran.
std::vector<DrawnPair> pairs_of(std::size_t contest, std::size_t one, std::size_t other, const Opinions& draws) {
  std::vector<DrawnPair> all;
  for (const auto& draw : draws) {
    const auto& contenders = draw.contests()[contest]->contenders;
    const auto a = mean_time(draw, contenders[one]), b = mean_time(draw, contenders[other]);
    if (a && b) all.emplace_back(*a, *b);
  }
  return all;
}

void add_gains(const Contest& contest, std::size_t number, Factor subject, const Opinions& draws, Uncertainty& said) {
  if (!contest.lowest_mean) return;
  const auto pivot = contest.baseline.value_or(*contest.lowest_mean);
  for (std::size_t i = 0; i < contest.contenders.size(); ++i) {
    if (i == pivot) continue;
    const auto one = contest.baseline ? i : pivot, other = contest.baseline ? pivot : i;
    const auto pairs = pairs_of(number, one, other, draws);
    if (pairs.empty()) continue;
    Sample found;
    for (const auto& [first, second] : pairs) found.push_back(second.seconds / first.seconds);
    const auto faster = std::ranges::count_if(found, [](double r) { return r > 1 && !nearly_equal(r, 1); });
    const bool is_one_program = subject != Factor::platform && subject != Factor::trace;
    TOROID_ASSERT(std::ranges::all_of(found, [](double ratio) { return ratio > 0; }));
    said.gains.push_back({number, one, other, spread_of(found), predicted_ratio(pairs, said.deviation, is_one_program),
                          static_cast<std::size_t>(faster), found.size()});
  }
}

// What the machines say, as JSON.

struct ToldUncertainty {
  const Compared& compared;
  Uncertainty said = uncertainty_of(compared);
  Names names = compared.spec().names();
  std::vector<const Contest*> contests = compared.report.contests();

  const Draws& draws_of(const Run& run) const {
    return compared.comparison.draws()[compared.comparison.machine_of(run)];
  }
};

struct ToldOfGroup {
  const ToldUncertainty& in;
  const Group& group;

  const Names& names() const { return in.names; }
  const Run& run() const { return group.run; }
};

struct ToldInterval {
  const platforms::PropertyInterval& interval;
  std::string_view platform;
};

const core::Object<ToldInterval> machine_interval_object{
    "machine interval",
    {{machine_field.key(), "text", machine_field.meaning, &ToldInterval::platform},
     {"...", "fields of interval", "of that machine", [](auto& i) { return interval_json(i.interval); }}}};

Json machine_intervals(const ToldUncertainty& told) {
  Json all = Json::array();
  const auto& platforms = told.compared.spec().platforms;
  for (std::size_t p = 0; p < platforms.size(); ++p)
    for (const auto& interval : told.compared.comparison.draws()[p].intervals)
      all.push_back(machine_interval_object({interval, platforms[p].text()}));
  return all;
}

struct ToldTimes : ToldOfGroup {
  const DrawnTimes& times;
  std::optional<TimeSpread> spread = spread_of(times, in.said.deviation);
};

const core::Object<ToldTimes> drawn_times_object{
    "drawn times", after_names_of<ToldTimes>(
                       names_type, run_fields,
                       {{"median_s", "seconds or null", "of the mean times by machine; null if all runs failed",
                         [](auto& t) { return t.spread ? Json(t.spread->median) : Json(); }},
                        {"interval_s", "list of seconds or null", "its two ends, with the engine's deviation",
                         [](auto& t) { return t.spread ? interval_json(t.spread->interval) : Json(); }},
                        {"machines_interval_s", "list of seconds or null", "its two ends by the machines alone",
                         [](auto& t) { return t.spread ? interval_json(t.spread->machines) : Json(); }},
                        {"influences", "list of influence", "what the times follow, the strongest first", [](auto& t) {
                           return t.spread ? influences_json(t.in.draws_of(t.run()), t.times) : Json::array();
                         }}})};

const core::Object<std::pair<std::string, std::size_t>> other_verdict_object{
    "other verdict",
    {{"says", "text", "what is said there, as in holds_under", [](auto& other) { return other.first; }},
     {"draws", "count", "on how many machines", [](auto& other) { return other.second; }}}};

struct ToldVerdict {
  const Contest& contest;
  const DrawnVerdict& verdict;
  const Run& of;
  Names in_common;  ///< without those of the contenders

  const Names& names() const { return in_common; }
  const Run& run() const { return of; }
};

const core::Object<ToldVerdict> drawn_verdict_object{
    "drawn verdict", after_names_of<ToldVerdict>(
                         names_type, run_fields,
                         {{"verdict", "text", "in words", [](auto& v) { return v.contest.verdict; }},
                          {"holds_on", "count", "machines on which all that it says is shown",
                           [](auto& v) { return v.verdict.holds_on; }},
                          {"otherwise", "list of other verdict", "of the other machines, the most frequent first",
                           [](auto& v) { return other_verdict_object.list(v.verdict.otherwise); }}})};

struct ToldGain : ToldOfGroup {
  const DrawnGain& gain;
  std::string_view other;
};

const core::Object<ToldGain> drawn_gain_object{
    "drawn gain",
    after_names_of<ToldGain>(
        names_type, run_fields,
        {{"other", "text", "over which it gains", &ToldGain::other},
         {"median", "number", "of the ratios of mean times by machine; above 1: the other is slower",
          [](auto& g) { return g.gain.ratio.median; }},
         {"interval", "list of number", "its two ends, with the engine's deviation",
          [](auto& g) { return interval_json(g.gain.predicted.interval); }},
         {"machines_interval", "list of number", "its two ends by the machines alone",
          [](auto& g) { return interval_json(g.gain.ratio.interval); }},
         {"faster_share", "share", "of machines and deviations of the engine with which it is faster",
          [](auto& g) { return g.gain.predicted.above_one; }},
         {"faster_on", "count", "machines on which it is faster", [](auto& g) { return g.gain.faster_on; }},
         {"draws", "count", "machines on which both ran", [](auto& g) { return g.gain.draws; }}})};

struct ToldDrawnRow {
  Json row;
  const Draws& draws;
  std::size_t draw;
};

const core::Object<ToldDrawnRow> drawn_row_object{
    "drawn row",
    {{"...", "fields of row", "of the run", &ToldDrawnRow::row},
     {"draw", "count", "number of the machine, from 0", &ToldDrawnRow::draw},
     {"values", "number by name", "of the properties, in the units of intervals",
      [](auto& r) { return values_json(r.draws, r.draw); }}}};

Json drawn_rows(const ToldUncertainty& told) {
  Json all = Json::array();
  for (std::size_t d = 0; d < told.compared.draws.size(); ++d) {
    const auto& report = told.compared.draws[d];
    auto rows = rows_json(told.compared.comparison, report);
    for (std::size_t r = 0; r < rows.size(); ++r)
      all.push_back(drawn_row_object({std::move(rows[r]), told.draws_of((*report.rows)[r].run), d}));
  }
  return all;
}

Json drawn_times(const ToldUncertainty& told) {
  return array_of(told.said.times.size(), [&](std::size_t g) {
    return drawn_times_object({{told, told.compared.report.groups[g]}, told.said.times[g]});
  });
}

Json drawn_verdicts(const ToldUncertainty& told) {
  return array_of(told.contests.size(), [&](std::size_t c) {
    const auto& contest = *told.contests[c];
    return drawn_verdict_object({contest, told.said.verdicts[c],
                                 told.compared.report.groups[contest.contenders[0].group].run,
                                 told.names.without(told.compared.spec().subject())});
  });
}

Json drawn_gains(const ToldUncertainty& told) {
  return array_of(told.said.gains, [&](const DrawnGain& gain) {
    const auto& contenders = told.contests[gain.contest]->contenders;
    return drawn_gain_object(
        {{told, told.compared.report.groups[contenders[gain.one].group]}, gain, contenders[gain.other].name});
  });
}

const core::Object<ToldUncertainty> drawn_comparison_object{
    "drawn comparison",
    {{"draws", "count", "machines that are drawn", [](auto& u) { return u.compared.draws.size(); }},
     {"share", "share", "as in uncertainty", [](auto&) { return spread_share; }},
     {"correlation_by_chance", "number", "as in uncertainty",
      [](auto& u) { return correlation_by_chance(u.compared.draws.size()); }},
     {"engine_deviation", "engine deviation or null", "as in uncertainty",
      [](auto& u) { return deviation_json(u.compared.spec().engine); }},
     {"intervals", "list of machine interval", "what was drawn from", machine_intervals},
     {"times", "list of drawn times", "for each machine, trace, allocator and mapper", drawn_times},
     {"verdicts", "list of drawn verdict", "a line for each verdict", drawn_verdicts},
     {"gains", "list of drawn gain",
      "with --baseline what others gain over it, else what the lowest mean gains over others", drawn_gains},
     {"rows", "list of drawn row", "a line for each run on each machine", drawn_rows}}};

}  // namespace

Uncertainty uncertainty_of(const Compared& compared) {
  const auto& [comparison, report, opinions, draws] = compared;
  TOROID_ASSERT(!draws.empty() && draws.size() == comparison.spec().draws);
  for (const auto& draw : draws) TOROID_ASSERT(draw.groups.size() == report.groups.size());
  Uncertainty said;
  said.deviation = comparison.spec().engine.thing().deviation;
  for (std::size_t g = 0; g < report.groups.size(); ++g) said.times.push_back(times_of(g, draws));
  const auto contests = report.contests();
  for (std::size_t c = 0; c < contests.size(); ++c) {
    said.verdicts.push_back(verdict_of(*contests[c], c, draws));
    add_gains(*contests[c], c, comparison.spec().subject(), draws, said);
  }
  return said;
}

Json uncertainty_json(const Compared& compared) {
  return drawn_comparison_object({compared});
}

std::vector<core::ObjectText> drawn_comparison_objects() {
  return {drawn_comparison_object, machine_interval_object, drawn_times_object, drawn_verdict_object,
          other_verdict_object,    drawn_gain_object,       drawn_row_object};
}

}  // namespace toroid::study
