#include <algorithm>

#include "netsim/result_json.hpp"
#include "study/json.hpp"
#include "study/report.hpp"

namespace toroid::study {

using core::Json;

namespace {

Json labels_json(const Names& labels) {
  Json json{{"platforms", labels.platforms}, {"traces", labels.traces}, {"maps", labels.maps}};
  if (!labels.allocs.empty()) json["allocs"] = labels.allocs;
  return json;
}

/// Names without those of mappers.
Names of_places(Names names) {
  names.maps.clear();
  return names;
}

Json row_json(const Comparison& comparison, const Names& names, const Row& row) {
  auto json = names_json(names, row.run);
  json["repetition"] = row.run.repetition;
  json["seed"] = or_null(comparison.seed(row.run));
  json.update(measures_json(row.measures));
  json["verified_runtime_s"] = or_null(row.verified_runtime);
  json["with_computation_s"] = or_null(row.with_computation);
  json["error"] = row.error;
  json["verification_error"] = row.verification_error;
  json["with_computation_error"] = row.with_computation_error;
  return json;
}

/// The computations of each trace on each machine.
Json computations_json(const Comparison& comparison, const Names& names, const Report& report) {
  Json all = Json::array();
  for (std::size_t platform = 0; platform < names.platforms.size(); ++platform)
    for (std::size_t trace = 0; trace < names.traces.size(); ++trace) {
      all.push_back({{"platform", names.platforms[platform]}, {"trace", names.traces[trace]}});
      all.back().update(netsim::computation_json(comparison.computation(platform, trace),
                                                 mean_to_gain_over(comparison, report, platform, trace)));
    }
  return all;
}

/// How fast the group's mean run trains a model; null of other programs.
Json training_json(const Comparison& comparison, const Group& group) {
  const auto& trace = comparison.trace(group.run.trace);
  return netsim::training_json(trace.training(), comparison.computation(group.run.platform, group.run.trace),
                               trace.ranks(), group.times.empty() ? 0 : mean(group.times));
}

Json summary_json(const Comparison& comparison, const Names& names, const Group& group) {
  const auto& times = group.times;
  const bool any = !times.empty();
  auto json = names_json(names, group.run);
  json["runs"] = times.size();
  json["failed"] = group.failed;
  json["best_s"] = any ? Json(*std::min_element(times.begin(), times.end())) : Json();
  json["worst_s"] = any ? Json(*std::max_element(times.begin(), times.end())) : Json();
  json["mean_s"] = any ? Json(mean(times)) : Json();
  json["mean_interval_s"] = interval_json(interval_of_mean(times));
  json["standard_deviation_s"] = times.size() > 1 ? Json(standard_deviation(times)) : Json();
  json["verification_deviation"] = or_null(group.off_reference);
  json["mean_normalized"] = or_null(group.normalized);
  json["place"] = or_null(group.place);
  json["with_computation_s"] = or_null(group.with_computation);
  json["with_computation_normalized"] = or_null(group.whole_normalized);
  json["training"] = training_json(comparison, group);
  json["exposed_s"] = exposed_of(group);
  return json;
}

/// How two differ, apart from their names.
Json pair_json(const Contest::Pair& pair) {
  auto json = difference_json(pair.difference, "equal_share", pair.difference.equal_share);
  json["comparisons"] = pair.difference.tests;
  json["conclusion"] = pair.conclusion;
  return json;
}

Json gain_json(const Contest& contest, const Contest::Gain& gain) {
  const auto &one = contest.contenders[gain.pair.one], &baseline = contest.contenders[gain.pair.other];
  auto json = pair_json(gain.pair);
  json["runs"] = one.times.size();
  json["baseline_runs"] = baseline.times.size();
  json["speedup"] = gain.speedup ? Json(gain.speedup->value) : Json();
  json["speedup_interval"] = interval_json(gain.speedup ? gain.speedup->interval : std::nullopt);
  json["interval_confidence"] = gain.confidence;
  json["speedup_with_computation"] = or_null(gain.speedup_of_whole);
  json["runs_to_show"] = or_null(gain.runs_to_show);
  return json;
}

/// Adds what came of a contest, whose contenders are of this subject.
void add_contest(Json& json, const Contest& contest, Factor subject) {
  const std::string kind(key_of(subject));
  const auto name = [&](std::size_t contender) { return contest.contenders[contender].name; };
  const auto add = [&](const char* list, const Contest::Pair& pair, Json found) {
    found[kind] = name(pair.one);
    found["other"] = name(pair.other);
    json[list].push_back(found);
  };
  json["verdict"] = contest.verdict;
  json["lowest_mean"] = contest.lowest_mean ? Json(name(*contest.lowest_mean)) : Json();
  json["kruskal_wallis"] = nullptr;
  if (const auto& all = contest.over_all) {
    Json members = Json::array();
    for (const auto member : all->members) members.push_back(name(member));
    json["kruskal_wallis"] = {{kind + "s", members},
                              {"h", all->test.h},
                              {"degrees_of_freedom", all->test.degrees_of_freedom},
                              {"p", all->test.p}};
  }
  json["pairs"] = json["gains"] = Json::array();
  for (const auto& pair : contest.pairs) {
    auto found = pair_json(pair);
    found["faster_share"] = pair.difference.share_below;
    found["difference_s"] = pair.difference.mean;
    found["difference_interval_s"] = interval_json(pair.difference.interval);
    add("pairs", pair, found);
  }
  for (const auto& gain : contest.gains) add("gains", gain.pair, gain_json(contest, gain));
}

/// Adds a contest of what is judged with one mapper, where contests on this subject stand.
void add_other(Json& json, const Names& names, const Report& report, const Contest& contest, Factor subject) {
  const auto& group = report.groups[contest.contenders.front().group];
  Json one;
  if (subject != Factor::platform) one["platform"] = names.platforms[group.run.platform];
  if (subject != Factor::trace) one["trace"] = names.traces[group.run.trace];
  add_contest(one, contest, subject);
  if (subject == Factor::trace)
    json["programs"] = std::move(one);
  else
    json[subject == Factor::alloc ? "allocators" : "machines"].push_back(std::move(one));
}

Json case_json(const Names& names, const Case& one) {
  auto json = names_json(of_places(names), one.run);
  add_contest(json, one.mappers, Factor::map);
  json["correlations"] = Json::array();
  for (std::size_t p = 0; p < one.correlations.size(); ++p)
    json["correlations"].push_back({{"metric", netsim::proxies()[p].name},
                                    {"spearman", or_null(one.correlations[p].spearman)},
                                    {"pearson", or_null(one.correlations[p].pearson)}});
  return json;
}

Json correlation_json(const netsim::Metric& proxy, const CorrelationSummary& c) {
  return {{"metric", proxy.name},
          {"count", c.count},
          {"spearman_median", or_null(c.spearman_median)},
          {"spearman_lowest", or_null(c.spearman_lowest)},
          {"spearman_highest", or_null(c.spearman_highest)},
          {"pearson_median", or_null(c.pearson_median)}};
}

Json layout_json(const Comparison& comparison, const Names& names, const Report& report, const Layout& one) {
  const auto& group = report.groups[one.group];
  auto json = names_json(names, group.run);
  json["tokens"] = or_null(comparison.equal_tokens());
  json["mean_s"] = one.seconds;
  json["normalized"] = one.normalized;
  json["training"] = training_json(comparison, group);
  return json;
}

Json change_json(const Names& names, const Report& report, const Change& change) {
  const auto& group = report.groups[change.group];
  const auto& before = report.groups[change.baseline];
  auto json = names_json(names, group.run);
  json["baseline"] = names.platforms[before.run.platform];
  json["relative_change"] = or_null(change.relative);
  json["with_computation_change"] = or_null(change.whole);
  return json;
}

}  // namespace

Json report_json(const Comparison& comparison, const std::vector<Row>& rows, const Report& report) {
  const auto names = comparison.spec().names();
  Json json{{"labels", labels_json(comparison.spec().labels)}, {"subject", key_of(comparison.spec().subject())}};
  json["computation"] = computations_json(comparison, names, report);
  json["summary"] = array_of(report.groups, [&](const Group& group) { return summary_json(comparison, names, group); });
  json["statistics"] = array_of(report.cases, [&](const Case& one) { return case_json(names, one); });
  json["correlations"] = Json::array();
  for (std::size_t p = 0; p < report.correlations.size(); ++p)
    json["correlations"].push_back(correlation_json(netsim::proxies()[p], report.correlations[p]));
  if (!names.allocs.empty()) json["allocators"] = Json::array();
  json["machines"] = Json::array();
  json["programs"] = nullptr;
  for (const auto& contest : report.others) add_other(json, names, report, contest, comparison.spec().subject());
  const auto tokens = comparison.equal_tokens();
  if (tokens && comparison.spec().subject() == Factor::trace) {
    json["programs"]["tokens"] = *tokens;
    for (std::size_t t = 0; t < names.traces.size(); ++t)
      json["programs"]["time_factors"][names.traces[t]] = comparison.time_factor(t);
  }
  if (!report.layouts.empty())
    json["layouts"] =
        array_of(report.layouts, [&](const Layout& one) { return layout_json(comparison, names, report, one); });
  json["gain_notes"] = notes_on_gains(comparison, report);
  json["what_ifs"] = array_of(report.changes, [&](const Change& change) { return change_json(names, report, change); });
  json["rows"] = rows_json(comparison, rows);
  return json;
}

Json rows_json(const Comparison& comparison, const std::vector<Row>& rows) {
  const auto names = comparison.spec().names();
  return array_of(rows, [&](const Row& row) { return row_json(comparison, names, row); });
}

}  // namespace toroid::study
