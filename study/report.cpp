#include "study/report.hpp"

#include <algorithm>

namespace toroid::study {
namespace {

Contender contender(const Comparison& comparison, const Group& group, std::string name, std::string label) {
  const bool constant = !comparison.draws_lots(group.map);
  return {std::move(name),   std::move(label),          constant, group.times, group.failed,
          group.repetitions, comparison.lots(group.map)};
}

std::vector<Correlation> correlations_of(std::span<const Row> rows) {
  std::vector<Correlation> all;
  for (const auto& proxy : proxies()) {
    Sample values, times;
    for (const auto& row : rows) {
      if (!row.measures) continue;
      values.push_back(proxy.of(*row.measures));
      times.push_back(row.measures->runtime);
    }
    all.push_back({spearman(values, times), pearson(values, times)});
  }
  return all;
}

/// What the mean of the times is of.
std::string_view mean_in_words(const Comparison& comparison, const Group& group) {
  return comparison.computation(group.platform, group.trace).is_left_out() ? "mean communication time" : "mean";
}

/// The statistics of the groups of one machine and trace.
Case case_of(const Comparison& comparison, std::span<const Group> groups, double alpha) {
  const auto& spec = comparison.spec();
  std::vector<Contender> mappers;
  for (const auto& group : groups)
    mappers.push_back(contender(comparison, group, spec.maps[group.map].text(), spec.labels.maps[group.map]));
  const auto* begin = groups.front().rows.data();
  const auto* end = groups.back().rows.data() + groups.back().rows.size();
  return {groups[0].platform, groups[0].trace, judge(std::move(mappers), alpha, mean_in_words(comparison, groups[0])),
          correlations_of({begin, end})};
}

/// With one mapper there is a group per machine and trace, in this order.
Contest contest_of_machines(const Comparison& comparison, std::span<const Group> groups, std::size_t trace,
                            double alpha) {
  const auto& spec = comparison.spec();
  std::vector<Contender> machines;
  for (const auto& group : groups)
    if (group.trace == trace)
      machines.push_back(
          contender(comparison, group, spec.platforms[group.platform], spec.labels.platforms[group.platform]));
  return judge(std::move(machines), alpha, mean_in_words(comparison, groups[trace]));
}

std::vector<Change> changes_of(const Comparison& comparison, std::span<const Group> groups) {
  const auto& spec = comparison.spec();
  const auto per_machine = spec.traces.size() * spec.maps.size();
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

std::vector<CorrelationSummary> over_all_cases(const std::vector<Case>& cases) {
  std::vector<CorrelationSummary> all(proxies().size());
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

Report make_report(const Comparison& comparison, const std::vector<Row>& rows, double alpha) {
  const auto& spec = comparison.spec();
  Report report;
  report.groups = groups_of(rows);
  const std::span<const Group> groups(report.groups);
  const auto maps = spec.maps.size();
  for (std::size_t i = 0; i < groups.size(); i += maps)
    report.cases.push_back(case_of(comparison, groups.subspan(i, maps), alpha));
  if (maps == 1 && spec.platforms.size() > 1)
    for (std::size_t t = 0; t < spec.traces.size(); ++t)
      report.machines.push_back(contest_of_machines(comparison, groups, t, alpha));
  report.changes = changes_of(comparison, groups);
  report.correlations = over_all_cases(report.cases);
  return report;
}

}  // namespace toroid::study
