#include "study/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace toroid::study {
namespace {

/// The number of what the group has of this kind.
std::size_t number_of(const Group& group, Subject subject) {
  switch (subject) {
    case Subject::map:
      return group.map;
    case Subject::alloc:
      return group.alloc;
    case Subject::platform:
      return group.platform;
    default:
      return group.trace;
  }
}

/// Group number `group` as a contender of the comparison's subject.
Contender contender(const Comparison& comparison, const std::vector<Group>& groups, std::size_t number,
                    Subject subject) {
  const auto& spec = comparison.spec();
  const auto& group = groups[number];
  const auto which = number_of(group, subject);
  Contender one{spec.names().of(subject)[which], spec.labels.of(subject)[which], !comparison.draws_lots(group.first())};
  const double factor = subject == Subject::trace ? comparison.time_factor(group.trace) : 1;
  for (const double time : group.times) one.times.push_back(factor * time);
  one.half_width = factor * group.half_width;
  one.failed = group.failed;
  one.repetitions = group.repetitions;
  one.lots = comparison.lots(group.first());
  if (group.with_computation) one.whole = factor * *group.with_computation;
  one.group = number;
  return one;
}

std::vector<Correlation> correlations_of(std::span<const Row> rows) {
  std::vector<Correlation> all;
  for (std::size_t p = 0; p < netsim::proxies().size(); ++p) {
    Sample values, times;
    for (const auto& row : rows) {
      if (!row.measures) continue;
      values.push_back(netsim::number(row.measures->proxies[p]));
      times.push_back(row.measures->runtime);
    }
    all.push_back({spearman(values, times), pearson(values, times)});
  }
  return all;
}

/// Whether the times of a group leave its computation out; nothing where it computes nothing.
std::optional<bool> leaves_out(const Comparison& comparison, const Group& group) {
  const auto& use = comparison.computation(group.platform, group.trace);
  return use.all_ranks_s > 0 ? std::optional(use.is_left_out()) : std::nullopt;
}

/// The contest of the groups of these numbers.
Contest contest_of(const Comparison& comparison, const std::vector<Group>& groups,
                   const std::vector<std::size_t>& numbers, Subject subject, double alpha) {
  std::vector<Contender> contenders;
  std::vector<std::string> without, with;  // computation
  for (const auto number : numbers) {
    contenders.push_back(contender(comparison, groups, number, subject));
    if (const auto out = leaves_out(comparison, groups[number]))
      (*out ? without : with).push_back(contenders.back().label);
  }
  if (!without.empty() && !with.empty()) {
    Contest none{std::move(contenders)};
    none.verdict = fmt::format(
        "not compared: the times of {} leave out computation, which those of {} have; --compute none or --compute "
        "trace treats all alike",
        core::join(without), core::join(with));
    return none;
  }
  const bool is_judged = subject == comparison.spec().subject();
  std::string mean = without.empty() ? "mean" : "mean communication time";
  if (const auto tokens = comparison.equal_tokens(); tokens && subject == Subject::trace)
    mean += fmt::format(" for {:.0f} tokens", *tokens);
  return judge(std::move(contenders), alpha, mean, is_judged ? comparison.spec().gains_over : std::nullopt);
}

/// The numbers from `first` on, `step` apart, below `end`.
std::vector<std::size_t> numbers_from(std::size_t first, std::size_t step, std::size_t end) {
  std::vector<std::size_t> numbers;
  for (auto number = first; number < end; number += step) numbers.push_back(number);
  return numbers;
}

/// The statistics of the mappers of one machine, trace and placement, whose groups begin with that number.
Case case_of(const Comparison& comparison, const std::vector<Group>& groups, std::size_t first, double alpha) {
  const auto maps = comparison.spec().maps.size();
  const auto &begin = groups[first], &last = groups[first + maps - 1];
  return {begin.platform, begin.trace, begin.alloc,
          contest_of(comparison, groups, numbers_from(first, 1, first + maps), Subject::map, alpha),
          correlations_of({begin.rows.data(), last.rows.data() + last.rows.size()})};
}

/// Where some times leave computation out, those that do not are whole by themselves.
void complete_wholes(const Comparison& comparison, const std::vector<Row>& rows, std::vector<Group>& groups) {
  const auto is_left_out = [&](const Group& group) { return leaves_out(comparison, group).value_or(false); };
  if (std::none_of(groups.begin(), groups.end(), is_left_out)) return;
  for (auto& group : groups)
    if (!is_left_out(group) && group.typical) group.with_computation = rows[*group.typical].measures->runtime;
}

/// Tells each group how it stands in its contest.
void place(const Contest& contest, std::vector<Group>& groups) {
  std::optional<double> least;
  for (const auto& one : contest.contenders)
    if (one.whole) least = std::min(least.value_or(*one.whole), *one.whole);
  const auto in_order = places(contest);
  const double best = contest.lowest_mean ? mean(contest.contenders[*contest.lowest_mean].times) : 0;
  for (std::size_t i = 0; i < contest.contenders.size(); ++i) {
    const auto& one = contest.contenders[i];
    auto& group = groups[one.group];
    if (one.whole) group.whole_normalized = *least > 0 ? *one.whole / *least : 1;
    if (!contest.lowest_mean || one.times.empty()) continue;
    group.normalized = best > 0 ? mean(one.times) / best : 1;
    group.place = in_order[i];
  }
}

std::vector<Change> changes_of(const Comparison& comparison, std::span<const Group> groups) {
  const auto& spec = comparison.spec();
  const auto per_machine = spec.traces.size() * spec.placements.size() * spec.maps.size();
  std::vector<Change> changes;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto baseline = spec.baselines.empty() ? groups[i].platform : spec.baselines[groups[i].platform];
    if (baseline == groups[i].platform) continue;
    const auto of_baseline = baseline * per_machine + i % per_machine;
    Change change{i, of_baseline, {}, {}};
    const auto &times = groups[i].times, &before = groups[of_baseline].times;
    if (!times.empty() && !before.empty() && mean(before) > 0) change.relative = mean(times) / mean(before) - 1;
    const auto &whole = groups[i].with_computation, &whole_before = groups[of_baseline].with_computation;
    if (whole && whole_before && *whole_before > 0) change.whole = *whole / *whole_before - 1;
    changes.push_back(change);
  }
  return changes;
}

/// The group with the lowest mean of the mappers of a program, whose groups begin with that number; nothing if no run
/// succeeded.
std::optional<Layout> best_layout(const Comparison& comparison, std::span<const Group> groups, std::size_t first) {
  std::optional<Layout> best;
  for (auto i = first; i < first + comparison.spec().maps.size(); ++i) {
    if (groups[i].times.empty()) continue;
    const double seconds = comparison.time_factor(groups[i].trace) * mean(groups[i].times);
    if (!best || seconds < best->seconds) best = Layout{i, seconds, 1};
  }
  return best;
}

std::vector<Layout> layouts_of(const Comparison& comparison, std::span<const Group> groups) {
  const auto& spec = comparison.spec();
  std::vector<Layout> all;
  if (spec.subject() != Subject::map || !comparison.compares_trainings()) return all;
  const auto traces = spec.traces.size(), placements = spec.placements.size();
  for (std::size_t p = 0; p < spec.platforms.size(); ++p)
    for (std::size_t a = 0; a < placements; ++a) {
      const auto begin = all.size();
      for (std::size_t t = 0; t < traces; ++t)
        if (const auto best = best_layout(comparison, groups, ((p * traces + t) * placements + a) * spec.maps.size()))
          all.push_back(*best);
      double least = 0;
      for (auto i = begin; i < all.size(); ++i) least = i == begin ? all[i].seconds : std::min(least, all[i].seconds);
      for (auto i = begin; i < all.size(); ++i) all[i].normalized = least > 0 ? all[i].seconds / least : 1;
    }
  return all;
}

std::vector<CorrelationSummary> over_all_cases(const std::vector<Case>& cases) {
  std::vector<CorrelationSummary> all(netsim::proxies().size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    Sample ranks, values;
    for (const auto& one : cases) {
      const auto& correlation = one.correlations[p];
      if (!correlation.spearman || !correlation.pearson) continue;
      ranks.push_back(*correlation.spearman);
      values.push_back(*correlation.pearson);
    }
    if (ranks.empty()) continue;
    const auto [lowest, highest] = std::minmax_element(ranks.begin(), ranks.end());
    all[p] = {ranks.size(), median(ranks), *lowest, *highest, median(values)};
  }
  return all;
}

}  // namespace

std::vector<const Contest*> Report::contests() const {
  std::vector<const Contest*> all;
  for (const auto& contest : others) all.push_back(&contest);
  if (all.empty())
    for (const auto& one : cases) all.push_back(&one.mappers);
  return all;
}

std::optional<netsim::TrainingRate> training_rate(const Comparison& comparison, const Group& group) {
  const auto& trace = comparison.trace(group.trace);
  const auto work = trace.training();
  if (!work || group.times.empty()) return std::nullopt;
  return netsim::training_rate(*work, comparison.computation(group.platform, group.trace), trace.ranks(),
                               mean(group.times));
}

std::size_t map_to_gain_over(const ComparisonSpec& spec) {
  return spec.subject() == Subject::map ? spec.gains_over.value_or(0) : 0;
}

std::optional<double> mean_to_gain_over(const Comparison& comparison, const Report& report, std::size_t platform,
                                        std::size_t trace) {
  std::optional<double> slowest;
  for (const auto& group : report.groups)
    if (group.platform == platform && group.trace == trace && group.map == map_to_gain_over(comparison.spec()) &&
        !group.times.empty())
      slowest = std::max(slowest.value_or(0), mean(group.times));
  return slowest;
}

Report make_report(const Comparison& comparison, const std::vector<Row>& rows, double alpha) {
  const auto& spec = comparison.spec();
  Report report;
  report.alpha = alpha;
  report.groups = groups_of(rows);
  auto& groups = report.groups;
  complete_wholes(comparison, rows, groups);
  for (std::size_t i = 0; i < groups.size(); i += spec.maps.size())
    report.cases.push_back(case_of(comparison, groups, i, alpha));
  const auto subject = spec.subject();
  const auto traces = spec.traces.size(), placements = spec.placements.size();
  const auto judge_groups = [&](const std::vector<std::size_t>& numbers) {
    report.others.push_back(contest_of(comparison, groups, numbers, subject, alpha));
  };
  // With one mapper there is a group per machine, trace and placement, in this order.
  if (subject == Subject::alloc)
    for (std::size_t i = 0; i < groups.size(); i += placements) judge_groups(numbers_from(i, 1, i + placements));
  if (subject == Subject::platform)
    for (std::size_t t = 0; t < traces; ++t) judge_groups(numbers_from(t, traces, groups.size()));
  if (subject == Subject::trace) judge_groups(numbers_from(0, 1, groups.size()));
  for (const auto* contest : report.contests()) place(*contest, groups);
  report.changes = changes_of(comparison, groups);
  report.layouts = layouts_of(comparison, groups);
  report.correlations = over_all_cases(report.cases);
  return report;
}

}  // namespace toroid::study
