#include "study/opinions.hpp"

#include "study/documents/fields.hpp"
#include "study/tasks/parts.hpp"
#include "toroid/netsim/result_json.hpp"

namespace toroid::study {

namespace {

/// The reports of the opinions from number `first` on, below `end`.
std::vector<Report> ask(const Comparison& comparison, Executor& executor, Journal* journal, double alpha,
                        std::size_t first, std::size_t end) {
  std::vector<Report> opinions;
  for (auto& rows : run_opinions(comparison, executor, journal, first, end, {}))
    opinions.push_back(make_report(comparison, std::move(rows), alpha));
  TOROID_ASSERT(opinions.size() == end - first);
  return opinions;
}

/// What an engine after the first says of a comparison.
struct ToldOpinion {
  const Comparison& comparison;
  const Report& report;
  std::string engine;
};

const core::Object<ToldOpinion> opinion_object{
    "opinion",
    {{"...", "fields of report", "by that engine", [](auto& o) { return report_json(o.comparison, o.report); }},
     {"engine", "text", "the engine", &ToldOpinion::engine}}};

Json opinions_json(const Compared& c) {
  return core::unless_empty(array_of(c.opinions.size(), [&](std::size_t k) {
    return opinion_object({c.comparison, c.opinions[k], c.spec().opinions[k].text()});
  }));
}

const core::Object<Compared> comparison_object{
    "comparison",
    {core::field<Compared>(core::version_text, {}),
     core::field<Compared>(core::manifest_text, {}),
     {"...", "fields of report", "by the first engine",
      [](auto& c) { return report_json(c.comparison, c.report, c.opinions); }},
     {"opinions", "list of opinion", "only with --engines: by each engine after the first", opinions_json},
     {"engine_notes", "list of text", "only with --engines: what a reader of their means must know",
      [](auto& c) {
        return c.opinions.empty() ? core::absent() : Json(notes_on_engines(c.comparison, c.report, c.opinions));
      }},
     {"uncertainty", "drawn comparison", "only with --uncertainty",
      [](auto& c) { return c.draws.empty() ? core::absent() : uncertainty_json(c); }},
     {"remarks", "list of text", "only if there are some: on the engine",
      [](auto& c) { return core::unless_empty(c.comparison.remarks()); }}}};

using Notes = std::vector<std::string>;

/// `on mesh:4x4 with cg`, of what all contenders have in common.
std::string where(const Comparison& comparison, const Report& report, const Contest& contest) {
  const auto& spec = comparison.spec();
  const auto& group = report.groups[contest.contenders[0].group];
  std::string text;
  const auto add = [&](Factor factor, const char* before, bool is_always) {
    if (factor == spec.subject() || (!is_always && spec.names().of(factor).size() < 2)) return;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", before, spec.labels.of(factor)[group.run.at(factor)]);
  };
  add(Factor::platform, "on", true);
  add(Factor::alloc, "by", false);
  add(Factor::trace, "with", true);
  add(Factor::collectives, "and", false);
  return text;
}

std::string labels_of(const Contest& contest, const std::vector<std::size_t>& numbers) {
  Notes labels;
  for (const auto number : numbers) labels.push_back(contest.contenders[number].label);
  return core::join(labels);
}

/// The contenders that have no runs, and of those that `before` has, if that is given, alone.
std::vector<std::size_t> failed(const Contest& contest, const Contest* before = nullptr) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < contest.contenders.size(); ++i)
    if (contest.contenders[i].times.empty() && (before == nullptr || !before->contenders[i].times.empty()))
      numbers.push_back(i);
  return numbers;
}

std::string_view scope_of(const ComparisonSpec& spec) {
  switch (spec.subject()) {
    case Factor::map:
      return spec.placements.size() > 1 ? "a machine, trace and allocator" : "a machine and trace";
    case Factor::alloc:
      return "a machine and trace";
    case Factor::platform:
      return "a trace";
    default:
      return "the machine";
  }
}

bool ends_at_one(const Shift& speedup) {
  return speedup.interval && (speedup.interval->low == 1 || speedup.interval->high == 1);
}

/// What an engine finds of a contest in another order than the first: at most so many sentences.
void add_exchanges(Notes& notes, const Contest& contest, const Contest& other, const std::string& engine,
                   const std::string& first_engine, const std::string& where) {
  constexpr std::size_t most = 4;
  const auto label = [&](std::size_t number) { return contest.contenders[number].label; };
  auto all = exchanges(contest, other);
  std::stable_partition(all.begin(), all.end(), [](const Exchange& e) { return e.shown && e.shown_there; });
  for (std::size_t i = 0; i < std::min(most, all.size()); ++i) {
    const auto& e = all[i];
    if (e.shown && e.shown_there)
      notes.emplace_back(fmt::format("{} is faster than {} by {}, and slower by {}, {}", label(e.one), label(e.other),
                                     first_engine, engine, where));
    else
      notes.emplace_back(
          fmt::format("{} has the lower mean than {} by {}, and the higher one by {}, {}; {} not show which is faster",
                      label(e.one), label(e.other), first_engine, engine, where,
                      e.shown         ? "the runs of " + engine + " do"
                      : e.shown_there ? "the runs of " + first_engine + " do"
                                      : "the runs of both do"));
  }
  if (all.size() > most) notes.emplace_back(fmt::format("{} pairs more change places {}", all.size() - most, where));
}

}  // namespace

Compared compare(const Comparison& comparison, Executor& executor, Journal* journal, double alpha) {
  Compared compared{comparison};
  compared.report = make_report(comparison, run_study(comparison, executor, journal), alpha);
  const auto first_draw = comparison.first_draw();
  compared.opinions = ask(comparison, executor, journal, alpha, 0, first_draw);
  compared.draws = ask(comparison, executor, journal, alpha, first_draw, comparison.opinions());
  return compared;
}

Json manifest_of(const ComparisonSpec& s, double alpha) {
  const auto names = s.names();
  Json manifest{{"platforms", names.platforms},
                {"traces", names.traces},
                {"maps", core::texts_of(s.maps)},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  if (!names.allocs.empty()) manifest["allocs"] = names.allocs;
  if (!s.collectives.empty()) manifest["collectives"] = core::texts_of(s.collectives);
  manifest["engine"] = s.engine.text();
  if (!s.opinions.empty()) manifest["opinions"] = core::texts_of(s.opinions);
  if (s.gains_over) manifest["baseline"] = names.of(s.subject())[*s.gains_over];
  if (s.draws > 0) manifest["uncertainty"] = s.draws;
  manifest["verify"] = s.verify;
  manifest["alpha"] = alpha;
  return manifest;
}

Json compared_json(const Compared& compared) {
  return comparison_object(compared);
}

std::vector<core::ObjectText> comparison_objects() {
  std::vector<core::ObjectText> all{comparison_object};
  for (const auto& objects : {drawn_comparison_objects(), {opinion_object}, report_objects()})
    all.insert(all.end(), objects.begin(), objects.end());
  return all;
}

std::vector<std::string> notes_on_gains(const Comparison& comparison, const Report& report) {
  const auto& spec = comparison.spec();
  if (!spec.gains_over) return {};
  const auto baseline = spec.labels.of(spec.subject())[*spec.gains_over];
  Notes failures;
  bool any_interval = false, any_certain = false, any_too_few = false, any_equal = false, any_to_show = false;
  bool any_sampled = false;
  std::size_t tests = 1;
  for (const auto* contest : report.contests()) {
    if (contest->contenders[*spec.gains_over].times.empty())
      failures.emplace_back(fmt::format("all runs of {} failed {}, so that nothing gains over them there", baseline,
                                        where(comparison, report, *contest)));
    else if (const auto others = failed(*contest); !others.empty())
      failures.emplace_back(
          fmt::format("all runs of {} failed {}", labels_of(*contest, others), where(comparison, report, *contest)));
    for (const auto& gain : contest->gains) {
      const bool is_tested = !gain.pair.difference.test.empty();
      const bool has_interval = gain.speedup && gain.speedup->interval;
      any_interval |= is_tested && has_interval;
      any_certain |= !is_tested && !has_interval;
      any_sampled |= !is_tested && has_interval;
      any_too_few |= is_tested && gain.speedup && !has_interval;
      any_equal |= gain.pair.difference.equal_share > 0 || (gain.speedup && ends_at_one(*gain.speedup));
      any_to_show |= gain.runs_to_show.has_value();
      tests = std::max(tests, gain.pair.difference.tests);
    }
  }
  Notes notes;
  if (any_interval)
    notes.emplace_back(
        fmt::format("({:g} %): confidence interval of the ratio (Hodges and Lehmann); {}", 100 * (1 - report.alpha),
                    tests > 1 ? fmt::format("all intervals of {} hold together, each by itself with up to {:.4g} %",
                                            scope_of(spec), 100 * (1 - report.alpha / static_cast<double>(tests)))
                              : "it has the ratios that the test does not reject"));
  if (any_certain) notes.emplace_back("no interval and no p: the ratio is certain, as neither draws lots");
  if (any_sampled)
    notes.emplace_back(
        "an interval and no p: neither draws lots, but run times are known from samples of iterations (95 %)");
  if (any_too_few) notes.emplace_back("no interval beside a p: too few runs for one");
  if (any_equal)
    notes.emplace_back(
        "equal runs: the ratio and its interval count them, the test leaves them out or in the middle, so that an "
        "interval may end at 1 where p shows a difference");
  if (tests > 1)
    notes.emplace_back(
        fmt::format("p: corrected (Holm) for up to {} comparisons with {} at once: each one more is a chance more to "
                    "find what is not there, and makes every p larger",
                    tests, baseline));
  if (any_to_show)
    notes.emplace_back(
        "to show it: runs with which four of five studies would find a difference as large as this one seems");
  notes.insert(notes.end(), failures.begin(), failures.end());
  return notes;
}

std::vector<std::string> notes_on_engines(const Comparison& comparison, const Report& report,
                                          const std::vector<Report>& opinions) {
  const auto& spec = comparison.spec();
  const auto contests = report.contests();
  Notes failures, changes;
  bool is_shown = false;
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    const auto others = opinions[k].contests();
    const auto engine = spec.opinions[k].text();
    TOROID_ASSERT(others.size() == contests.size());
    for (std::size_t i = 0; i < contests.size(); ++i) {
      const auto place = where(comparison, report, *contests[i]);
      if (const auto numbers = failed(*others[i], contests[i]); !numbers.empty())
        failures.emplace_back(
            fmt::format("all runs of {} by {} failed {}", labels_of(*contests[i], numbers), engine, place));
      add_exchanges(changes, *contests[i], *others[i], engine, spec.engine.text(), place);
      for (const auto& e : exchanges(*contests[i], *others[i])) is_shown |= e.shown && e.shown_there;
    }
  }
  auto notes = failures;
  notes.insert(notes.end(), changes.begin(), changes.end());
  if (changes.empty())
    notes.emplace_back(fmt::format("all engines put the {}{} in the same order of means", plural_of(spec.subject()),
                                   failures.empty() ? "" : " that ran"));
  if (is_shown)
    notes.emplace_back(
        fmt::format("where the order changes, which of the {} is faster depends on how the network works: see "
                    "docs/how-to/which-engine.md",
                    plural_of(spec.subject())));
  return notes;
}

}  // namespace toroid::study
