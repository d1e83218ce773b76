// What comes of a sweep, as JSON.

#include <array>
#include <string>

#include "study/json.hpp"
#include "study/trade_offs.hpp"

namespace toroid::study {

using core::Json;

namespace {

/// A tidy row: what was run, then what came of it.
Json row_json(const Sweep& sweep, const SweepRow& row) {
  Json json = sweep.name(row.run);
  json["repetition"] = row.run.repetition;
  json["paired_by"] = sweep.paired_by(row.run);
  for (const auto& [key, value] : row.result.items())
    if (key != "allocator") json[key] = value;
  json["allocator"] = row.result.is_null() ? Json() : row.result.value("allocator", Json());
  json["error"] = row.error.empty() ? Json() : Json(row.error);
  return json;
}

/// How one contender differs from another in a metric; null where the metric cannot be compared.
Json metric_json(const Contrast& contrast, std::string_view metric) {
  const auto found = contrast.differences.find(metric);
  if (found == contrast.differences.end()) return {};
  const auto& d = found->second;
  Json json{{"mean", d.mean}, {"interval", interval_json(d.interval)}};
  json.update(difference_json(d, "effective_pairs", d.paired_by.empty() ? Json() : Json(d.effective_pairs)));
  return json;
}

/// What became of a contender; null where nothing can be said.
Json verdict_json(const TradeOffs& found, std::size_t group) {
  if (found.contrasts.empty() || found.are_single_runs()) return {};
  return !found.dominators(group).empty() ? "dominated" : found.is_undecided(group) ? "undecided" : "not dominated";
}

std::string_view name_of(Contrast::Relation relation) {
  static constexpr std::array names{"one run of each", "undecided",     "alike",
                                    "trade",           "one dominates", "other dominates"};
  return names.at(static_cast<std::size_t>(relation));
}

Json rows_json(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  Json keys = Json::object();
  auto list = Json::array();
  for (const auto& row : rows)
    if (!row.result.is_null() && keys.empty()) keys = row_json(sweep, row);
  for (const auto& row : rows) {
    const auto found = row_json(sweep, row);
    Json whole = Json::object();
    for (const auto& [key, value] : (keys.empty() ? found : keys).items()) whole[key] = found.value(key, Json());
    list.push_back(whole);
  }
  return list;
}

Json summary_json(const JudgedSweep& judged) {
  auto list = Json::array();
  for (const auto& group : judged.groups) {
    auto json = names_json(judged.sweep->names(), group.run);
    json["runs"] = group.rows.size();
    const bool any = !group.rows.empty();
    for (const auto& metric : cosim::schedule_metrics())
      json[metric.name] = any ? Json(group.mean(metric.name)) : Json();
    for (const auto& metric : cosim::schedule_metrics())
      json["intervals"][metric.name] = interval_json(interval_of_mean(group.values(metric.name)));
    json["verdict"] = Json();
    json["dominated_by"] = Json::array();
    list.push_back(json);
  }
  for (const auto& found : judged.trade_offs)
    for (const auto group : found.groups) {
      list[group]["verdict"] = verdict_json(found, group);
      for (const auto by : found.dominators(group)) list[group]["dominated_by"].push_back(by);
    }
  return list;
}

Json trade_offs_json(const JudgedSweep& judged, const TradeOffs& found) {
  const auto name = names_json(judged.sweep->names(), judged.groups[found.groups[0]].run);
  return {{"platform", name["platform"]},
          {"workload", name["workload"]},
          {"criteria", array_of(criteria(*judged.sweep), [](const auto& criterion) { return criterion.name; })},
          {"margin", Contrast::margin},
          {"confidence", found.confidence},
          {"pairs", array_of(found.contrasts, [](const Contrast& contrast) {
             Json pair{{"one", contrast.one}, {"other", contrast.other}, {"relation", name_of(contrast.relation)}};
             for (const auto& metric : cosim::schedule_metrics())
               pair["differences"][metric.name] = metric_json(contrast, metric.name);
             return pair;
           })}};
}

}  // namespace

Json labels_json(const Sweep& sweep) {
  Json labels = Json::object();
  for (const auto factor : {Factor::platform, Factor::workload, Factor::scheduler, Factor::alloc, Factor::map}) {
    const auto &names = sweep.names().of(factor), &told = sweep.spec().labels.of(factor);
    for (std::size_t i = 0; i < names.size(); ++i)
      labels[key_of(factor)].push_back({{"name", names[i]}, {"label", told[i]}});
  }
  return labels;
}

Json judged_json(const JudgedSweep& judged) {
  return {{"rows", rows_json(*judged.sweep, judged.rows)},
          {"summary", summary_json(judged)},
          {"trade_offs", array_of(judged.trade_offs, [&](const auto& one) { return trade_offs_json(judged, one); })}};
}

}  // namespace toroid::study
