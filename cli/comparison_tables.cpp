#include "cli/comparison_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "cli/explanation_tables.hpp"
#include "cli/simulate.hpp"
#include "cli/summary_lines.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "netsim/network.hpp"
#include "study/draws.hpp"
#include "study/uncertainty.hpp"

namespace toroid::cli {
namespace {

using study::Factor;
using study::Group;
using Tables = std::vector<ComparisonTable>;

std::string percent_or_dash(const std::optional<double>& share, int digits) {
  return share ? core::format_percent(*share, digits) : "-";
}

std::string decimals_or_dash(const std::optional<double>& value, int digits) {
  return value ? fmt::format("{:.{}f}", *value, digits) : "-";
}

/// The unit in which all times of the groups are told.
core::DurationUnit time_unit(const std::vector<Group>& groups) {
  std::vector<double> times;
  for (const auto& group : groups) times.insert(times.end(), group.times.begin(), group.times.end());
  return core::DurationUnit(times);
}

/// The unit of all times with the computation that other times leave out; nothing if none do.
std::optional<core::DurationUnit> whole_unit(const std::vector<Group>& groups) {
  std::vector<double> times;
  for (const auto& group : groups)
    if (group.with_computation) times.push_back(*group.with_computation);
  return times.empty() ? std::nullopt : std::optional(core::DurationUnit(times));
}

std::string mean_or_dash(const Group& group, const core::DurationUnit& unit) {
  return group.times.empty() ? "-" : unit.format(study::mean(group.times));
}

/// The factors that rows begin with, but for one that the things of a row do not have in common. Allocators are told
/// where there are several.
std::vector<Factor> factors(const study::ComparisonSpec& s, std::optional<Factor> without = {}) {
  std::vector<Factor> all;
  for (const auto factor : {Factor::platform, Factor::trace, Factor::alloc, Factor::map})
    if (factor != without && (factor != Factor::alloc || s.placements.size() > 1)) all.push_back(factor);
  return all;
}

/// The headings of what a row begins with, that of its machine first.
std::vector<std::string> headings(const study::ComparisonSpec& s, std::optional<Factor> without = {},
                                  const char* machine = "machine") {
  std::vector<std::string> all;
  for (const auto factor : factors(s, without))
    all.emplace_back(factor == Factor::platform ? machine : study::key_of(factor));
  return all;
}

/// What a row begins with.
std::vector<std::string> names_of(const study::ComparisonSpec& s, const Group& group,
                                  std::optional<Factor> without = {}) {
  std::vector<std::string> all;
  for (const auto factor : factors(s, without)) all.push_back(s.labels.of(factor)[group.run.at(factor)]);
  return all;
}

/// What the times are.
std::string_view time_in_words(const Compared& c) {
  return c.comparison.is_of_communication() ? "communication time" : "run time";
}

/// Adds `; busy nodes, nodes of random: drawn once, by seed 1, for all runs` where nodes are drawn, and a note on a
/// mapper that keeps to the order in which an allocator has drawn them.
void tell_drawn_nodes(const Compared& c, std::string& note, std::vector<std::string>& notes) {
  const auto& s = c.spec();
  std::set<std::string> lots;
  bool is_order_drawn = false;
  for (const auto& machine : c.comparison.machines())
    for (const auto& placement : s.placements) {
      lots.merge(placement.lots(machine));
      is_order_drawn |= placement.has_drawn_order(machine);
    }
  if (!lots.empty())
    note += fmt::format("; {}: drawn {}", core::join(std::vector<std::string>(lots.begin(), lots.end())),
                        s.placements.size() > 1 ? "anew by the seed of each run, as several allocators are compared"
                                                : fmt::format("once, by seed {}, for all runs", s.seed));
  if (is_order_drawn && std::ranges::any_of(s.maps, [](const auto& map) { return map.name() == "consecutive"; }))
    notes.emplace_back(
        "note: consecutive has the ranks in the order in which the nodes were drawn; what a launcher does "
        "without advice, by the numbers of nodes, is node");
}

ComparisonTable times(const Compared& c) {
  const auto& s = c.spec();
  const auto& groups = c.report.groups;
  const auto unit = time_unit(groups);
  const auto whole = whole_unit(groups);
  const auto titled = [&](const char* what) { return fmt::format("{} [{}]", what, unit.name()); };
  auto titles = headings(s);
  titles.insert(titles.end(), {"runs", titled("best"), titled("mean"), titled("std dev"), "mean/best"});
  if (whole) titles.insert(titles.end(), {fmt::format("whole [{}]", whole->name()), "whole/best"});
  if (s.verify) titles.push_back(fmt::format("vs {}", netsim::reference_engine));
  core::Table table(titles);
  for (const auto& group : groups) {
    const auto& times = group.times;
    const bool any = !times.empty();
    auto row = names_of(s, group);
    row.insert(row.end(),
               {std::to_string(times.size()), any ? unit.format(*std::min_element(times.begin(), times.end())) : "-",
                mean_or_dash(group, unit), times.size() > 1 ? unit.format(study::standard_deviation(times)) : "-",
                decimals_or_dash(group.normalized, 3)});
    if (whole) {
      row.push_back(group.with_computation ? whole->format(*group.with_computation) : "-");
      row.push_back(decimals_or_dash(group.whole_normalized, 3));
    }
    if (s.verify) row.push_back(percent_or_dash(group.off_reference, 3));
    table.add(row);
  }
  auto note = fmt::format("engine {}", s.engine.text());
  if (s.verify)
    note += fmt::format("; vs {0}: the best run beside the same by {0}, which --no-verify leaves out",
                        netsim::reference_engine);
  if (whole) note += "; whole: the median run again, with the computation that the other times leave out";
  std::vector<std::string> notes{""};
  tell_drawn_nodes(c, note, notes);
  if (const auto tokens = c.comparison.equal_tokens(); tokens && s.subject() == Factor::trace)
    note += fmt::format(
        "; mean/best, verdict and gains are of times for {:.0f} tokens: programs train on different numbers", *tokens);
  double width = 0;
  for (const auto& group : groups)
    if (group.half_width > 0) width = std::max(width, group.half_width / study::mean(group.times));
  if (width > 0)
    note += fmt::format(
        "; run times are estimates from samples of iterations, means known to {:.2g} % or better (95 %)", 100 * width);
  ComparisonTable told{fmt::format("Predicted {}s", time_in_words(c)), table, notes};
  told.notes.front() = note;
  for (const auto& remark : study::remarks_on(c.comparison)) told.notes.push_back("note: " + remark);
  return told;
}

/// `left out`, `mean`, `included`, `times 0.5`
std::string how_in_words(const netsim::ComputationUse& use) {
  if (use.is_left_out()) return "left out";
  if (use.variation) return "mean";
  return use.scale == 1 ? "included" : fmt::format("times {}", use.scale);
}

/// What each trace computes on each machine, and what leaving that out hides; nothing where none computes.
void add_computation(const Compared& c, Tables& tables) {
  const auto& s = c.spec();
  std::vector<std::string> titles{"machine",      "trace",     "computation", "of the busiest rank",
                                  "of all ranks", "core speed"};
  const bool maps = s.subject() == Factor::map;
  if (maps)
    titles.push_back(fmt::format("a mapping gains of the whole over {}", s.labels.maps[study::map_to_gain_over(s)]));
  core::Table table(titles);
  bool any = false;
  for (std::size_t platform = 0; platform < s.platforms.size(); ++platform)
    for (std::size_t trace = 0; trace < s.traces.size(); ++trace) {
      const auto& use = c.comparison.computation(platform, trace);
      if (use.all_ranks_s == 0) continue;
      any = true;
      std::vector<std::string> row{s.labels.platforms[platform],
                                   s.labels.traces[trace],
                                   how_in_words(use),
                                   core::format_duration(use.busiest_rank_s),
                                   core::format_duration(use.all_ranks_s),
                                   use.core_speed ? core::exact_speed(*use.core_speed) : "as measured"};
      const auto mean = study::mean_to_gain_over(c.comparison, c.report, platform, trace);
      if (maps) row.push_back(use.is_left_out() && mean ? percent(use.gain_at_most(*mean)) + " at most" : "-");
      table.add(row);
    }
  if (!any) return;
  ComparisonTable told{"Computation", table};
  for (std::size_t t = 0; t < s.traces.size(); ++t)  // the same on all machines
    for (const auto& [label, said] : mean_in_words(c.comparison.computation(0, t)))
      told.notes.push_back(fmt::format("{}: {}: {}", s.labels.traces[t], label, said));
  tables.push_back(std::move(told));
}

/// `96000` and `43.1 %`: the tokens of a second that a group's mean run trains on, and the MFU; dashes where its
/// computation is left out, or no run succeeded.
std::vector<std::string> rate_in_words(const Compared& c, const Group& group) {
  const auto rate = study::training_rate(c.comparison, group);
  if (!rate) return {"-", "-"};
  return {fmt::format("{:.0f}", rate->tokens_per_second), fmt::format("{:.1f} %", 100 * rate->mfu)};
}

/// How fast models are trained, and what ranks wait for meanwhile; nothing where no program tells.
void add_training(const Compared& c, Tables& tables) {
  std::set<std::string> purposes;
  for (const auto& group : c.report.groups)
    for (const auto& [purpose, seconds] : exposed_of(group)) purposes.insert(purpose);
  if (purposes.empty()) return;
  auto titles = headings(c.spec());
  titles.insert(titles.end(), {"tokens", "tokens/s", "MFU"});
  for (const auto& purpose : purposes) titles.push_back("wait for " + purpose);
  core::Table table(titles);
  for (const auto& group : c.report.groups) {
    auto row = names_of(c.spec(), group);
    const auto work = c.comparison.trace(group.run.trace).training();
    row.push_back(work ? fmt::format("{:.0f}", work->tokens) : "-");
    for (auto& words : rate_in_words(c, group)) row.push_back(std::move(words));
    const auto waits = exposed_of(group);
    for (const auto& purpose : purposes) {
      const auto wait = waits.find(purpose);
      row.push_back(wait == waits.end() ? "-" : core::format_duration(wait->second));
    }
    table.add(row);
  }
  std::vector<std::string> notes{"wait for: exposed communication, the time that a rank waits for it, on average"};
  if (c.comparison.is_of_communication()) notes.emplace_back("tokens/s and MFU need the computation: --compute trace");
  tables.push_back({"Training", table, notes});
}

/// Adds which layout is best, each with its best mapper; nothing where mappers are not compared, or a program does not
/// train.
void add_layouts(const Compared& c, Tables& tables) {
  if (c.report.layouts.empty()) return;
  std::vector<double> means;
  for (const auto& one : c.report.layouts) means.push_back(one.seconds);
  const core::DurationUnit unit(means);
  const auto tokens = c.comparison.equal_tokens();
  auto titles = headings(c.spec());
  titles.insert(titles.end(),
                {fmt::format("mean{} [{}]", tokens ? fmt::format(" for {:.0f} tokens", *tokens) : "", unit.name()),
                 "over the best", "tokens/s", "MFU"});
  core::Table table(titles);
  for (const auto& one : c.report.layouts) {
    const auto& group = c.report.groups[one.group];
    auto row = names_of(c.spec(), group);
    row.insert(row.end(), {unit.format(one.seconds), fmt::format("{:.3f}", one.normalized)});
    for (auto& words : rate_in_words(c, group)) row.push_back(std::move(words));
    table.add(row);
  }
  tables.push_back({"Layouts", table, {"each program with the mapper that has the lowest mean there"}});
}

/// What must be said of a communication time that goes one way where the time with computation goes the other way; both
/// as ratios, less 1.
std::string_view contradiction(double change, const std::optional<double>& of_whole) {
  constexpr double least = 0.0005;  // that tables show
  if (!of_whole || std::abs(change) < least || std::abs(*of_whole) < least || (change > 0) == (*of_whole > 0))
    return {};
  return *of_whole > 0 ? "slower as a whole" : "faster as a whole";
}

/// What each what-if does to the times of its machine; nothing without any.
void add_changes(const Compared& c, Tables& tables) {
  const auto& groups = c.report.groups;
  if (c.report.changes.empty()) return;
  const auto unit = time_unit(groups);
  const bool whole = whole_unit(groups).has_value();
  auto titles = headings(c.spec(), {}, "what-if");
  titles.insert(titles.end(),
                {fmt::format("before [{}]", unit.name()), fmt::format("after [{}]", unit.name()), "change"});
  if (whole) titles.emplace_back("of the whole");
  core::Table table(titles);
  for (const auto& change : c.report.changes) {
    auto row = names_of(c.spec(), groups[change.group]);
    row.insert(row.end(), {mean_or_dash(groups[change.baseline], unit), mean_or_dash(groups[change.group], unit),
                           percent_or_dash(change.relative, 2)});
    if (whole) row.push_back(percent_or_dash(change.whole, 2));
    const auto otherwise = contradiction(change.relative.value_or(0), change.whole);
    if (whole && !otherwise.empty()) row.back() += fmt::format(" ({})", otherwise);
    table.add(row);
  }
  tables.push_back({"What-ifs", table});
}

std::string p_in_words(double p) {
  return p < 0.001 ? "<0.001" : fmt::format("{:.2g}", p);
}
std::string p_in_words(const study::Contest::Pair& pair) {
  return pair.difference.test.empty() ? "-" : p_in_words(pair.difference.p_holm);
}

/// `1.84`, or `1.84 (1.79 to 1.92)` with the interval.
std::string ratio_in_words(const std::optional<study::Shift>& ratio) {
  if (!ratio) return "-";
  if (!ratio->interval) return fmt::format("{:.3f}", ratio->value);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", ratio->value, ratio->interval->low, ratio->interval->high);
}

/// `8 pairs`, or `1 beside 8`.
std::string runs_in_words(const study::Contest& contest, const study::Contest::Pair& pair) {
  if (pair.difference.pairs > 0) return fmt::format("{} pairs", pair.difference.pairs);
  return fmt::format("{} beside {}", contest.contenders[pair.one].times.size(),
                     contest.contenders[pair.other].times.size());
}

/// `--repeat 31`, or that no study can have so many.
std::string runs_to_show_in_words(const std::optional<std::size_t>& runs) {
  if (!runs) return "-";
  if (*runs > study::most_repeats) return fmt::format("more than {}", study::most_repeats);
  return fmt::format("--repeat {}", *runs);
}

/// How many times as fast as the baseline each of the others is; nothing without a baseline.
void add_gains(const Compared& c, Tables& tables) {
  const auto& s = c.spec();
  if (!s.gains_over) return;
  const auto& baseline = s.labels.of(s.subject())[*s.gains_over];
  const bool whole = whole_unit(c.report.groups).has_value();
  auto titles = headings(s);
  titles.insert(titles.end(),
                {"runs", fmt::format("times as fast as {} ({:g} %)", baseline, 100 * (1 - c.report.alpha))});
  if (whole) titles.emplace_back("of the whole");
  titles.insert(titles.end(), {"test", "p", "is", "to show it"});
  core::Table table(titles);
  for (const auto* contest : c.report.contests())
    for (const auto& gain : contest->gains) {
      auto row = names_of(s, c.report.groups[contest->contenders[gain.pair.one].group]);
      row.insert(row.end(), {runs_in_words(*contest, gain.pair), ratio_in_words(gain.speedup)});
      if (whole) row.push_back(decimals_or_dash(gain.speedup_of_whole, 3));
      const auto& test = gain.pair.difference.test;
      std::string is(gain.pair.conclusion);
      if (gain.speedup && gain.speedup_of_whole)
        if (const auto otherwise = contradiction(1 / gain.speedup->value - 1, 1 / *gain.speedup_of_whole - 1);
            !otherwise.empty())
          is += fmt::format(", {}", otherwise);
      row.insert(row.end(), {std::string(test.empty() ? "-" : test), p_in_words(gain.pair), is,
                             runs_to_show_in_words(gain.runs_to_show)});
      table.add(row);
    }
  tables.push_back({fmt::format("Gain over {}", baseline), table, study::notes_on_gains(c.comparison, c.report)});
}

/// How far times spread over the machines that are drawn.
void add_drawn_times(const Compared& c, const study::Uncertainty& uncertainty, Tables& tables) {
  auto titles = headings(c.spec());
  titles.insert(titles.end(),
                {fmt::format("median ({:g} %)", 100 * study::spread_share), "by machines", "rank correlations"});
  core::Table table(titles);
  for (std::size_t i = 0; i < c.report.groups.size(); ++i) {
    const auto& draws = c.comparison.draws()[c.report.groups[i].run.platform];
    const auto& times = uncertainty.times[i];
    std::vector<std::string> strongest;
    const auto spread = study::spread_of(times, uncertainty.deviation);
    if (spread)
      for (const auto& [interval, correlation] : study::influences(draws, times))
        if (correlation && strongest.size() < 3)
          strongest.push_back(fmt::format("{} {:+.2f}", draws.intervals[interval].property, *correlation));
    auto row = names_of(c.spec(), c.report.groups[i]);
    row.insert(
        row.end(),
        {spread ? fmt::format("{} ({})", core::format_duration(spread->median), interval_in_words(spread->interval))
                : "-",
         spread ? interval_in_words(spread->machines) : "-", strongest.empty() ? "-" : core::join(strongest)});
    table.add(row);
  }
  std::vector<platforms::PropertyInterval> intervals;
  for (const auto& draws : c.comparison.draws())
    intervals.insert(intervals.end(), draws.intervals.begin(), draws.intervals.end());
  tables.push_back({"Times on drawn machines",
                    table,
                    {drawn_in_words(c.draws.size(), intervals) + ", the same for all",
                     deviation_in_words(c.spec().engine), correlations_in_words(c.draws.size())}});
}

/// Adds on how many of the machines that are drawn each verdict holds.
void add_drawn_verdicts(const Compared& c, const study::Uncertainty& uncertainty, Tables& tables) {
  auto titles = headings(c.spec(), c.spec().subject());
  titles.insert(titles.end(), {"verdict holds on", "otherwise"});
  core::Table table(titles);
  const auto contests = c.report.contests();
  for (std::size_t i = 0; i < contests.size(); ++i) {
    const auto& verdict = uncertainty.verdicts[i];
    std::vector<std::string> otherwise;
    for (const auto& [text, count] : verdict.otherwise) otherwise.push_back(fmt::format("{} ({})", text, count));
    auto row = names_of(c.spec(), c.report.groups[contests[i]->contenders[0].group], c.spec().subject());
    row.insert(row.end(), {fmt::format("{} of {} machines", verdict.holds_on, c.draws.size()),
                           otherwise.empty() ? "-" : core::join(otherwise, "; ")});
    table.add(row);
  }
  tables.push_back({"Verdicts on drawn machines", table});
}

/// What winners, or those beside a baseline, gain on the machines that are drawn.
void add_drawn_gains(const Compared& c, const study::Uncertainty& uncertainty, Tables& tables) {
  auto titles = headings(c.spec());
  titles.insert(titles.end(), {"beside", fmt::format("times as fast ({:g} %)", 100 * study::spread_share),
                               "by machines", "faster on", "likely faster"});
  core::Table table(titles);
  const auto contests = c.report.contests();
  for (const auto& gain : uncertainty.gains) {
    const auto& contenders = contests[gain.contest]->contenders;
    auto row = names_of(c.spec(), c.report.groups[contenders[gain.one].group]);
    const auto& [median, machines] = gain.ratio;
    const auto& [interval, above_one] = gain.predicted;
    row.insert(
        row.end(),
        {contenders[gain.other].label, fmt::format("{:.3f} ({:.3f} to {:.3f})", median, interval.low, interval.high),
         fmt::format("{:.3f} to {:.3f}", machines.low, machines.high),
         fmt::format("{} of {} machines", gain.faster_on, gain.draws), fmt::format("{:.0f} %", 100 * above_one)});
    table.add(row);
  }
  tables.push_back({"Gains on drawn machines", table});
}

void add_uncertainty(const Compared& c, Tables& tables) {
  if (c.draws.empty()) return;
  const auto uncertainty = study::uncertainty_of(c);
  add_drawn_times(c, uncertainty, tables);
  add_drawn_verdicts(c, uncertainty, tables);
  add_drawn_gains(c, uncertainty, tables);
}

/// The times by all engines side by side; nothing if there is one engine.
void add_engines(const Compared& c, Tables& tables) {
  if (c.opinions.empty()) return;
  const auto& s = c.spec();
  std::vector<const std::vector<Group>*> by_engine{&c.report.groups};
  for (const auto& opinion : c.opinions) by_engine.push_back(&opinion.report.groups);
  const auto unit = time_unit(c.report.groups);
  auto titles = headings(s);
  titles.push_back(fmt::format("{} [{}]", s.engine.text(), unit.name()));
  for (const auto& engine : s.opinions) titles.push_back(fmt::format("{} [{}]", engine.text(), unit.name()));
  titles.emplace_back("place by each");
  core::Table table(titles);
  for (std::size_t i = 0; i < c.report.groups.size(); ++i) {
    auto row = names_of(s, c.report.groups[i]);
    std::vector<std::string> places;
    for (const auto* groups : by_engine) {
      const auto& group = (*groups)[i];
      row.push_back(mean_or_dash(group, unit));
      places.push_back(group.place ? std::to_string(*group.place) : "-");
    }
    row.push_back(core::join(places));
    table.add(row);
  }
  tables.push_back({"Means by engine", table, study::notes_on_engines(c.comparison, c.report, c.opinions)});
}

/// How well each proxy foretells the time; nothing where no proxy or no time varies.
void add_correlations(const Compared& c, Tables& tables) {
  const auto title = fmt::format("correlation with {}", time_in_words(c));
  core::Table table({title, "Spearman (median)", "lowest", "highest", "Pearson (median)"});
  bool any = false;
  for (std::size_t p = 0; p < c.report.correlations.size(); ++p) {
    const auto& one = c.report.correlations[p];
    any = any || one.count > 0;
    table.add({std::string(netsim::proxies()[p].name), decimals_or_dash(one.spearman_median, 2),
               decimals_or_dash(one.spearman_lowest, 2), decimals_or_dash(one.spearman_highest, 2),
               decimals_or_dash(one.pearson_median, 2)});
  }
  if (any) tables.push_back({fmt::format("What proxies tell of the {}", time_in_words(c)), table});
}

/// Whether the contenders of each contest differ at all, and how each two of them do; nothing where none has runs.
void add_pairs(const Compared& c, Tables& tables) {
  const auto& s = c.spec();
  auto titles = headings(s, s.subject());
  titles.insert(titles.end(),
                {"one", "is", "other", "wins", "test", "runs", "p", "p (Holm)", "p of all (Kruskal-Wallis)"});
  core::Table table(titles);
  bool any = false;
  for (const auto* contest : c.report.contests())
    for (const auto& pair : contest->pairs) {
      any = true;
      const auto &one = contest->contenders[pair.one], &other = contest->contenders[pair.other];
      const auto& difference = pair.difference;
      auto row = names_of(s, c.report.groups[one.group], s.subject());
      row.insert(row.end(), {one.label, std::string(pair.conclusion), other.label,
                             fmt::format("{:.0f} %", 100 * difference.share_below),
                             std::string(difference.test.empty() ? "-" : difference.test),
                             runs_in_words(*contest, pair), difference.test.empty() ? "-" : p_in_words(difference.p),
                             p_in_words(pair), contest->over_all ? p_in_words(contest->over_all->test.p) : "-"});
      table.add(row);
    }
  if (any) tables.push_back({"All pairs", table, {"wins: the share of pairs of runs in which the one is faster"}});
}

/// The rank correlation of each proxy with the time by machine and trace.
void add_correlations_by_trace(const Compared& c, Tables& tables) {
  const auto& s = c.spec();
  auto titles = headings(s, Factor::map);
  for (const auto& proxy : netsim::proxies()) titles.emplace_back(proxy.name);
  core::Table table(titles);
  for (const auto& one : c.report.cases) {
    auto row = names_of(s, c.report.groups[one.mappers.contenders[0].group], Factor::map);
    for (const auto& correlation : one.correlations) row.push_back(decimals_or_dash(correlation.spearman, 2));
    table.add(row);
  }
  tables.push_back(
      {"Rank correlation with the time by machine and trace",
       table,
       {"Spearman's coefficient; 1: the higher the metric, the slower the run; 0: the metric tells nothing"}});
}

}  // namespace

ComparisonTable verdict_table(const Compared& c) {
  const auto& s = c.spec();
  auto titles = headings(s, s.subject());
  titles.push_back(fmt::format("verdict (level of significance {})", c.report.alpha));
  for (const auto& engine : s.opinions) titles.push_back("holds under " + engine.text());
  core::Table table(titles);
  const auto contests = c.report.contests();
  for (std::size_t i = 0; i < contests.size(); ++i) {
    const auto& group = c.report.groups[contests[i]->contenders[0].group];
    auto row = names_of(s, group, s.subject());
    row.push_back(contests[i]->verdict);
    for (const auto& opinion : c.opinions) row.push_back(study::holds(*contests[i], *opinion.report.contests()[i]));
    table.add(row);
  }
  return {contests.size() == 1 ? "Verdict" : "Verdicts", table};
}

std::vector<ComparisonTable> comparison_tables(const Compared& compared) {
  Tables tables{times(compared)};
  add_computation(compared, tables);
  add_training(compared, tables);
  add_layouts(compared, tables);
  add_changes(compared, tables);
  tables.push_back(verdict_table(compared));
  add_gains(compared, tables);
  add_uncertainty(compared, tables);
  add_engines(compared, tables);
  add_correlations(compared, tables);
  return tables;
}

std::vector<ComparisonTable> closer_tables(const Compared& compared) {
  Tables tables;
  add_pairs(compared, tables);
  add_correlations_by_trace(compared, tables);
  return tables;
}

std::string text_of(const Tables& tables) {
  std::string text;
  for (const auto& [title, table, notes] : tables) {
    text += (text.empty() ? "" : "\n") + table.text(core::terminal_width());
    for (const auto& note : notes) text += note + "\n";
  }
  return text;
}

std::string markdown_of(const Tables& tables) {
  std::string text;
  for (const auto& [title, table, notes] : tables) {
    text += fmt::format("{}### {}\n\n{}", text.empty() ? "" : "\n", core::text_for_markdown(title), table.markdown());
    for (const auto& note : notes) text += fmt::format("\n{}\n", core::text_for_markdown(note));
  }
  return text;
}

std::string tex_of(const Tables& tables) {
  std::string text = "% needs \\usepackage{booktabs}\n";
  for (const auto& [title, table, notes] : tables) {
    auto caption = title + ".";
    for (const auto& note : notes) caption += " " + note + ".";
    text += fmt::format("\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n{}\\end{{table}}\n",
                        core::text_for_tex(caption), table.tex());
  }
  return text;
}

}  // namespace toroid::cli
