// What a reader of a comparison's tables must know, in words.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "study/opinions.hpp"
#include "study/report.hpp"

namespace toroid::study {
namespace {

using Notes = std::vector<std::string>;

/// `on mesh:4x4 with cg`, of what all contenders have in common.
std::string where(const Comparison& comparison, const Report& report, const Contest& contest) {
  const auto& spec = comparison.spec();
  const auto& group = report.groups[contest.contenders[0].group];
  const auto &platform = spec.labels.platforms[group.platform], &trace = spec.labels.traces[group.trace];
  switch (spec.subject()) {
    case Subject::map:
      return fmt::format("on {}{} with {}", platform,
                         spec.placements.size() > 1 ? " by " + spec.labels.allocs[group.alloc] : "", trace);
    case Subject::alloc:
      return fmt::format("on {} with {}", platform, trace);
    case Subject::platform:
      return "with " + trace;
    default:
      return "on " + platform;
  }
}

/// The labels of the contenders of these numbers.
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

/// What all contenders of a contest have in common.
std::string_view scope_of(const ComparisonSpec& spec) {
  switch (spec.subject()) {
    case Subject::map:
      return spec.placements.size() > 1 ? "a machine, trace and allocator" : "a machine and trace";
    case Subject::alloc:
      return "a machine and trace";
    case Subject::platform:
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
          fmt::format("{} has the lower mean than {} by {}, and the higher one by {}, {}; {} not show which "
                      "is faster",
                      label(e.one), label(e.other), first_engine, engine, where,
                      e.shown         ? "the runs of " + engine + " do"
                      : e.shown_there ? "the runs of " + first_engine + " do"
                                      : "the runs of both do"));
  }
  if (all.size() > most) notes.emplace_back(fmt::format("{} pairs more change places {}", all.size() - most, where));
}

}  // namespace

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
      tests = std::max(tests, gain.pair.tests);
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
                                          const std::vector<Opinion>& opinions) {
  const auto& spec = comparison.spec();
  const auto contests = report.contests();
  Notes failures, changes;
  bool is_shown = false;
  for (std::size_t k = 0; k < opinions.size(); ++k) {
    const auto others = opinions[k].report.contests();
    const auto engine = spec.opinions[k].text();
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
