#include "toroid/study/report.hpp"

namespace toroid::study {
namespace {

/// Group number `group` as a contender of the comparison's subject.
Contender contender(const Comparison& comparison, const std::vector<Group>& groups, std::size_t number,
                    Factor subject) {
  const auto& spec = comparison.spec();
  const auto& group = groups[number];
  const auto which = group.run.at(subject);
  Contender one{spec.names().of(subject)[which], spec.labels.of(subject)[which], !comparison.draws_lots(group.run)};
  const double factor = subject == Factor::trace ? comparison.time_factor(group.run.trace) : 1;
  for (const double time : group.times) one.times.push_back(factor * time);
  one.half_width = factor * group.half_width;
  one.failed = group.failed;
  one.repetitions = group.repetitions;
  one.lots = comparison.lots(group.run);
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
  const auto& use = comparison.computation(group.run.platform, group.run.trace);
  return use.all_ranks_s > 0 ? std::optional(use.is_left_out()) : std::nullopt;
}

/// Whether a training needs more memory than its machine is known to have.
bool fits(const Comparison& comparison, const Group& group) {
  const auto work = comparison.trace(group.run.trace).training();
  const auto has = comparison.computation(group.run.platform, group.run.trace).memory_of_core();
  return !work || has == 0 || work->memory.total() <= has;
}

Contender without_runs(Contender one) {
  one.times.clear();
  one.repetitions.clear();
  return one;
}

/// The contest of the groups of these numbers. What does not fit into memory wins no contest of programs or machines.
Contest contest_of(const Comparison& comparison, const std::vector<Group>& groups,
                   const std::vector<std::size_t>& numbers, Factor subject, double alpha) {
  TOROID_ASSERT(!numbers.empty() && numbers.back() < groups.size());
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(numbers));
  std::vector<Contender> contenders;
  std::vector<std::string> without, with;  // computation
  std::vector<std::string> too_large;
  for (const auto number : numbers) {
    contenders.push_back(contender(comparison, groups, number, subject));
    if (!fits(comparison, groups[number])) {
      too_large.push_back(contenders.back().label);
      if (subject != Factor::map) contenders.back() = without_runs(std::move(contenders.back()));
    }
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
  if (const auto tokens = comparison.equal_tokens(); tokens && subject == Factor::trace)
    mean += fmt::format(" for {:.0f} tokens", *tokens);
  if (const auto chips = comparison.equal_chips(); chips && subject == Factor::trace)
    mean += fmt::format(" on {:.0f} chips", *chips);
  auto contest =
      judge_times(std::move(contenders), alpha, mean, is_judged ? comparison.spec().gains_over : std::nullopt);
  if (subject != Factor::map && !too_large.empty())
    contest.verdict =
        fmt::format("{}; does not fit into memory: {}",
                    too_large.size() == numbers.size() ? "no winner" : contest.verdict, core::join(too_large));
  else if (!too_large.empty())
    contest.verdict += "; the training does not fit into memory";
  return contest;
}

/// The statistics of the mappers of one machine, trace and placement, whose groups have these numbers.
Case case_of(const Comparison& comparison, const std::vector<Group>& groups, const std::vector<std::size_t>& numbers,
             double alpha) {
  TOROID_ASSERT(numbers.back() - numbers.front() + 1 == numbers.size());  // their rows follow each other
  const auto &begin = groups[numbers.front()], &last = groups[numbers.back()];
  return {begin.run, contest_of(comparison, groups, numbers, Factor::map, alpha),
          correlations_of({begin.rows.data(), last.rows.data() + last.rows.size()})};
}

/// Where some times leave computation out, those that do not are whole by themselves.
void complete_wholes(const Comparison& comparison, const std::vector<Row>& rows, std::vector<Group>& groups) {
  const auto is_left_out = [&](const Group& group) { return leaves_out(comparison, group).value_or(false); };
  if (std::ranges::none_of(groups, is_left_out)) return;
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
    TOROID_ASSERT(one.group < groups.size());
    auto& group = groups[one.group];
    if (one.whole) group.whole_normalized = *least > 0 ? *one.whole / *least : 1;
    if (!contest.lowest_mean || one.times.empty()) continue;
    group.normalized = best > 0 ? mean(one.times) / best : 1;
    group.place = in_order[i];
  }
}

std::vector<Change> changes_of(const Comparison& comparison, std::span<const Group> groups) {
  const auto& spec = comparison.spec();
  const auto per_machine = spec.traces.size() * spec.collectives.size() * spec.placements.size() * spec.maps.size();
  std::vector<Change> changes;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto machine = groups[i].run.platform;
    const auto baseline = spec.baselines.empty() ? machine : spec.baselines[machine];
    if (baseline == machine) continue;
    const auto of_baseline = baseline * per_machine + i % per_machine;
    TOROID_ASSERT(of_baseline < groups.size() &&
                  without({Factor::platform}, groups[of_baseline].run) == without({Factor::platform}, groups[i].run));
    Change change{i, of_baseline, {}, {}};
    const auto &times = groups[i].times, &before = groups[of_baseline].times;
    if (!times.empty() && !before.empty() && mean(before) > 0) change.relative = mean(times) / mean(before) - 1;
    const auto &whole = groups[i].with_computation, &whole_before = groups[of_baseline].with_computation;
    if (whole && whole_before && *whole_before > 0) change.whole = *whole / *whole_before - 1;
    changes.push_back(change);
  }
  return changes;
}

std::vector<Layout> layouts_of(const Comparison& comparison, const std::vector<Group>& groups) {
  std::vector<Layout> all;
  if (comparison.spec().subject() != Factor::map || !comparison.compares_trainings()) return all;
  for (const auto& numbers : beside_each_other(groups, {Factor::trace, Factor::map})) {
    std::map<std::size_t, Layout> best;  // by trace
    double least = std::numeric_limits<double>::infinity();
    for (const auto i : numbers) {
      const auto& group = groups[i];
      if (group.times.empty() || !fits(comparison, group)) continue;
      const double seconds = comparison.time_factor(group.run.trace) * mean(group.times);
      least = std::min(least, seconds);
      const auto [layout, is_first] = best.try_emplace(group.run.trace, Layout{i, seconds, 1});
      if (!is_first && seconds < layout->second.seconds) layout->second = {i, seconds, 1};
    }
    for (const auto& [trace, layout] : best)
      all.push_back({layout.group, layout.seconds, least > 0 ? layout.seconds / least : 1});
  }
  return all;
}

std::vector<CorrelationSummary> over_all_cases(const std::vector<Case>& cases) {
  std::vector<CorrelationSummary> all(netsim::proxies().size());
  for (std::size_t p = 0; p < all.size(); ++p) {
    Sample ranks, values;
    for (const auto& one : cases) {
      TOROID_ASSERT(one.correlations.size() == all.size());
      const auto& correlation = one.correlations[p];
      if (!correlation.spearman || !correlation.pearson) continue;
      ranks.push_back(*correlation.spearman);
      values.push_back(*correlation.pearson);
    }
    if (ranks.empty()) continue;
    const auto [lowest, highest] = std::ranges::minmax_element(ranks);
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
  const auto& trace = comparison.trace(group.run.trace);
  const auto work = trace.training();
  if (!work || group.times.empty()) return std::nullopt;
  return netsim::training_rate(*work, comparison.computation(group.run.platform, group.run.trace), trace.ranks(),
                               mean(group.times));
}

std::size_t map_to_gain_over(const ComparisonSpec& spec) {
  return spec.subject() == Factor::map ? spec.gains_over.value_or(0) : 0;
}

std::optional<double> mean_to_gain_over(const Comparison& comparison, const Report& report, std::size_t platform,
                                        std::size_t trace) {
  std::optional<double> slowest;
  for (const auto& group : report.groups)
    if (group.run.platform == platform && group.run.trace == trace &&
        group.run.map == map_to_gain_over(comparison.spec()) && !group.times.empty())
      slowest = std::max(slowest.value_or(0), mean(group.times));
  return slowest;
}

Report make_report(const Comparison& comparison, std::vector<Row> rows, double alpha) {
  TOROID_ASSERT(rows.size() == comparison.runs().size());
  Report report;
  report.rows = std::make_shared<const std::vector<Row>>(std::move(rows));
  report.alpha = alpha;
  report.groups = groups_of(*report.rows);
  auto& groups = report.groups;
  TOROID_ASSERT_HEAVY(std::ranges::equal(*report.rows, comparison.runs(), {}, &Row::run));
  complete_wholes(comparison, *report.rows, groups);
  for (const auto& numbers : beside_each_other(groups, {Factor::map}))
    report.cases.push_back(case_of(comparison, groups, numbers, alpha));
  if (const auto subject = comparison.spec().subject(); subject != Factor::map)
    for (const auto& numbers : beside_each_other(groups, {subject}))
      report.others.push_back(contest_of(comparison, groups, numbers, subject, alpha));
  for (const auto* contest : report.contests()) place(*contest, groups);
  report.changes = changes_of(comparison, groups);
  report.layouts = layouts_of(comparison, groups);
  report.correlations = over_all_cases(report.cases);
  return report;
}

}  // namespace toroid::study
