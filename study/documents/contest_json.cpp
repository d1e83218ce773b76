// The fields of contests: who is fastest, how each two differ, what is gained, and what other engines say.

#include "study/documents/fields.hpp"

namespace toroid::study {

using core::absent;

namespace {

/// A contest in a report: of the mappers of a case, or of what is judged with one mapper.
struct ToldContest {
  const ToldReport& in;
  const Contest& of;
  Factor subject;
  const Case* of_case = nullptr;

  const Names& names() const { return in.names; }
  const Run& run() const { return in.report.groups[of.contenders.front().group].run; }
  const std::string& name(std::size_t contender) const { return of.contenders[contender].name; }
  /// The name of a contender as the field of the subject.
  Json named(std::size_t contender) const { return Json{{key_of(subject), name(contender)}}; }

  /// What `tell(other contest, name of the engine)` tells by each other engine of a contest that is judged.
  template <class Tell>
  void by_engine(Tell tell) const {
    const auto number = std::ranges::find(in.contests, &of) - in.contests.begin();
    if (number == std::ssize(in.contests)) return;
    for (std::size_t k = 0; k < in.opinions.size(); ++k)
      tell(*in.contests_of_opinions[k][static_cast<std::size_t>(number)], in.spec().opinions[k].text());
  }
};

struct ToldPair {
  const ToldContest& in;
  const Contest::Pair& of;
  const Contest::Gain* gain = nullptr;

  const Difference& difference() const { return of.difference; }
  std::size_t runs(std::size_t contender) const { return in.of.contenders[contender].times.size(); }
};

const Object<ToldPair> difference_object{
    "difference",
    {{"test", "text or null",
      "mann_whitney; signed_rank if both draw the same lots; sign if one draws lots; null if neither does",
      [](auto& p) { return if_tested(p.difference(), p.difference().test); }},
     {"paired_by", "text or null", "seed, if both draw the same lots",
      [](auto& p) { return if_paired(p.difference(), p.difference().paired_by); }},
     {"pairs", "count or null", "seeds that both have",
      [](auto& p) { return if_paired(p.difference(), p.difference().pairs); }},
     {"equal_share", "share", "of pairs (of runs, by the sign test) that the test leaves out, as times are equal",
      [](auto& p) { return p.difference().equal_share; }},
     {"p", "share or null", "two-sided, uncorrected",
      [](auto& p) { return if_tested(p.difference(), p.difference().p); }},
     {"p_holm", "share or null", "corrected for the number of comparisons",
      [](auto& p) { return if_tested(p.difference(), p.difference().p_holm); }},
     {"comparisons", "count", "tests on that machine with that trace", [](auto& p) { return p.difference().tests; }},
     {"conclusion", "text", "of the first: faster, slower, equal, not distinguishable, or too few runs",
      [](auto& p) { return p.of.conclusion; }}}};

const core::Field<ToldPair> how_field{"...", "fields of difference", "how the two differ", difference_object};
const core::Field<ToldPair> first_field{"SUBJECT", "text", "the first: map, alloc, collectives, platform or trace",
                                        [](auto& p) { return p.in.named(p.of.one); }};

const Object<ToldPair> pair_object{
    "pair",
    {how_field,
     {"faster_share", "share",
      "how often a run of the first is the faster, over all pairs of runs, ties half; if runs are paired, its share of "
      "the ranks of the differences",
      [](auto& p) { return p.difference().share_below; }},
     {"difference_s", "seconds", "mean of the first minus that of the other",
      [](auto& p) { return p.difference().mean; }},
     {"difference_interval_s", "list of seconds or null", "95 %, by Student's t; null for two constants",
      [](auto& p) { return interval_json(p.difference().interval); }},
     first_field,
     {"other", "text", "the second", [](auto& p) { return p.in.name(p.of.other); }}}};

const Object<ToldPair> gain_object{
    "gain",
    {how_field,
     {"runs", "count", "that succeeded; of paired runs the test takes pairs", [](auto& p) { return p.runs(p.of.one); }},
     {"baseline_runs", "count", "runs of the baseline that succeeded", [](auto& p) { return p.runs(p.of.other); }},
     {"speedup", "number or null", "time of the baseline over that of the first; null where a time is 0",
      [](auto& p) { return p.gain->speedup ? Json(p.gain->speedup->value) : Json(); }},
     {"speedup_interval", "list of number or null", "null for constants and too few runs",
      [](auto& p) { return interval_json(p.gain->speedup ? p.gain->speedup->interval : std::nullopt); }},
     {"interval_confidence", "share", "by itself: 1 - alpha / comparisons, so that all hold together",
      [](auto& p) { return p.gain->confidence; }},
     {"speedup_with_computation", "number or null", "of the median runs, with the computation left out elsewhere",
      [](auto& p) { return p.gain->speedup_of_whole; }},
     {"runs_to_show", "count or null",
      "the --repeat expected to show the difference; null where it shows, or there is none; 1000001: more than "
      "--repeat takes",
      [](auto& p) { return p.gain->runs_to_show; }},
     first_field,
     {"other", "text", "the baseline", [](auto& p) { return p.in.name(p.of.other); }}}};

const Object<ToldContest> kruskal_wallis_object{
    "kruskal-wallis",
    {{"SUBJECTs", "list of text", "which: maps, allocs, collectives, platforms or traces",
      [](auto& c) {
        const std::string key(key_of(c.subject));
        return Json{{key.ends_with('s') ? key : key + "s",
                     array_of(c.of.over_all->members, [&](std::size_t member) { return c.name(member); })}};
      }},
     {"h", "number", "corrected for ties", [](auto& c) { return c.of.over_all->test.h; }},
     {"degrees_of_freedom", "number", "one less than the contenders",
      [](auto& c) { return c.of.over_all->test.degrees_of_freedom; }},
     {"p", "share", "chi-squared", [](auto& c) { return c.of.over_all->test.p; }}}};

const Object<ToldContest> contest_object{
    "contest",
    {{"verdict", "text", "in words", [](auto& c) { return c.of.verdict; }},
     {"lowest_mean", "text or null", "the contender that has it; null if all runs failed",
      [](auto& c) { return c.of.lowest_mean ? Json(c.name(*c.of.lowest_mean)) : Json(); }},
     {"kruskal_wallis", "kruskal-wallis or null", "are all alike? Over those with two runs or more",
      [](auto& c) { return c.of.over_all ? kruskal_wallis_object(c) : Json(); }},
     {"gains", "list of gain", "with --baseline, of each other contender with results",
      [](auto& c) { return array_of(c.of.gains, [&](const auto& g) {
                      return gain_object({c, g.pair, &g});
                    }); }},
     {"pairs", "list of pair", "every pair with results; with --baseline those with it", [](auto& c) {
        return array_of(c.of.pairs, [&](const auto& pair) { return pair_object({c, pair}); });
      }}}};

/// A pair of contenders that another engine has in the other order.
struct ToldExchange : Exchange {
  const ToldContest& in;
  std::string engine;
};

const Object<ToldExchange> exchange_object{
    "exchange",
    {{"engine", "text", "the other engine", &ToldExchange::engine},
     {"SUBJECT", "text", "of the lower mean by the first engine: map, alloc, collectives, platform or trace",
      [](auto& e) { return e.in.named(e.one); }},
     {"other", "text", "of the lower mean by the other engine", [](auto& e) { return e.in.name(e.Exchange::other); }},
     {"shown", "yes or no", "whether the first engine's runs show that order", &ToldExchange::shown},
     {"shown_by_engine", "yes or no", "whether the other engine's runs show theirs", &ToldExchange::shown_there}}};

Json holds_json(const ToldContest& c) {
  Json by_engine = absent();
  c.by_engine([&](const Contest& other, const std::string& engine) {
    if (by_engine.is_discarded()) by_engine = Json::object();
    by_engine[engine] = holds(c.of, other);
  });
  return by_engine;
}

Json exchanges_json(const ToldContest& c) {
  Json all = absent();
  c.by_engine([&](const Contest& other, const std::string& engine) {
    if (all.is_discarded()) all = Json::array();
    for (const auto& exchange : exchanges(c.of, other)) all.push_back(exchange_object({exchange, c, engine}));
  });
  return all;
}

/// An object of a contest: the names of what its contenders have in common, the contest, `more`, and what other engines
/// say.
Object<ToldContest> contest_of(std::string_view object, std::initializer_list<FactorField> factors,
                               std::string_view of_what, std::vector<core::Field<ToldContest>> more = {},
                               std::string_view holds_meaning = "as in a case",
                               std::string_view exchanges_meaning = "as in a case") {
  auto fields = after_names<ToldContest>(factors, {{"...", "fields of contest", of_what, contest_object}});
  std::ranges::move(more, std::back_inserter(fields));
  fields.push_back({"holds_under", "text by name", holds_meaning, holds_json});
  fields.push_back({"exchanges", "list of exchange", exchanges_meaning, exchanges_json});
  return {object, std::move(fields)};
}

struct ToldCorrelation : Correlation {
  std::string_view metric;
};

const Object<ToldCorrelation> correlation_object{
    "correlation",
    {{"metric", "text", "the proxy", &ToldCorrelation::metric},
     {"spearman", "number or null", "of ranks; null if either does not vary, or for fewer than three runs",
      &ToldCorrelation::spearman},
     {"pearson", "number or null", "of values", &ToldCorrelation::pearson}}};

const Object<ToldContest> case_object =
    contest_of("case", {machine_field, program_field, collectives_field, allocator_field}, "of its mappers",
               {{"correlations", "list of correlation", "of each proxy with the run time, over all runs",
                 [](auto& c) { return by_proxy(correlation_object, c.of_case->correlations); }}},
               "only with --engines: yes; no: X is faster; weaker: not shown against X; sharper: shown against X, too",
               "only with --engines: pairs whose means have another order there");

const Object<ToldContest> allocators_object =
    contest_of("contest of allocators", {machine_field, program_field, collectives_field}, "of the allocators");
const Object<ToldContest> collectives_object =
    contest_of("contest of collectives", {machine_field, program_field}, "of the algorithms");
const Object<ToldContest> machines_object = contest_of("contest of machines", {program_field}, "of its machines");

const Object<ToldContest> programs_object = contest_of(
    "contest of programs", {machine_field}, "of the programs",
    {{"tokens", "number", "only of trainings on different numbers of tokens: the most of one",
      [](auto& c) { return c.in.comparison.equal_tokens() ? Json(c.in.comparison.equal_tokens()) : absent(); }},
     {"chips", "number", "only of pairs on different numbers of chips: the most of one",
      [](auto& c) { return c.in.comparison.equal_chips() ? Json(c.in.comparison.equal_chips()) : absent(); }},
     {"time_factors", "number by name", "only then: by which the times of each trace are multiplied", [](auto& c) {
        if (!c.in.comparison.equal_tokens() && !c.in.comparison.equal_chips()) return absent();
        Json factors = Json::object();
        for (std::size_t t = 0; t < c.in.names.traces.size(); ++t)
          factors[c.in.names.traces[t]] = c.in.comparison.time_factor(t);
        return factors;
      }}});

/// The contests of what is judged with one mapper, if that is this subject.
Json others_json(const ToldReport& told, Factor subject, const Object<ToldContest>& object) {
  Json all = Json::array();
  if (told.spec().subject() == subject)
    for (const auto& contest : told.report.others) all.push_back(object({told, contest, subject}));
  return all;
}

}  // namespace

Json cases_json(const ToldReport& told) {
  return array_of(told.report.cases, [&](const Case& one) {
    return case_object({told, one.mappers, Factor::map, &one});
  });
}

Json allocators_json(const ToldReport& told) {
  return told.names.allocs.empty() ? absent() : others_json(told, Factor::alloc, allocators_object);
}

Json collectives_json(const ToldReport& told) {
  return told.names.collectives.empty() ? absent() : others_json(told, Factor::collectives, collectives_object);
}

Json machines_json(const ToldReport& told) {
  return others_json(told, Factor::platform, machines_object);
}

Json programs_json(const ToldReport& told) {
  const auto all = others_json(told, Factor::trace, programs_object);
  return all.empty() ? Json() : all.front();
}

std::vector<core::ObjectText> contest_objects() {
  return {case_object,     allocators_object, collectives_object,    machines_object,
          programs_object, contest_object,    kruskal_wallis_object, difference_object,
          pair_object,     gain_object,       correlation_object,    exchange_object};
}

}  // namespace toroid::study
