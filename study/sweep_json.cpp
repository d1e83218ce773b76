#include "study/sweep_json.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "study/interval_json.hpp"

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

/// How one contender differs from another in a metric.
Json difference_json(const Contrast& contrast, const std::string& metric) {
  const auto& d = contrast.differences.at(metric);
  const bool tested = !d.test.empty(), paired = !d.paired_by.empty();
  return {{"mean", d.mean},
          {"interval", interval_json(d.interval)},
          {"test", tested ? Json(d.test) : Json()},
          {"paired_by", paired ? Json(d.paired_by) : Json()},
          {"pairs", paired ? Json(d.pairs) : Json()},
          {"effective_pairs", paired ? Json(d.effective_pairs) : Json()},
          {"p", tested ? Json(d.p) : Json()},
          {"p_holm", tested ? Json(contrast.p_holm.at(metric)) : Json()}};
}

/// The name of a contender, without its seed.
Json contender(const Sweep& sweep, const SweepGroup& group) {
  auto json = sweep.name(group.first);
  json.erase("seed");
  return json;
}

/// What became of a contender; null where nothing can be said.
Json verdict_json(const TradeOffs& found, std::size_t group) {
  if (found.contrasts.empty() || found.are_single_runs()) return {};
  return !found.dominators(group).empty() ? "dominated" : found.is_undecided(group) ? "undecided" : "not dominated";
}

std::string_view name_of(Contrast::Relation relation) {
  using Relation = Contrast::Relation;
  switch (relation) {
    case Relation::untold:
      return "one run of each";
    case Relation::undecided:
      return "undecided";
    case Relation::alike:
      return "alike";
    case Relation::trade:
      return "trade";
    case Relation::one_dominates:
      return "one dominates";
    case Relation::other_dominates:
      return "other dominates";
  }
  return "";
}

}  // namespace

Json sweep_rows_json(const Sweep& sweep, const std::vector<SweepRow>& rows) {
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

Json sweep_labels_json(const Sweep& sweep) {
  Json labels = Json::object();
  for (const auto& run : sweep.runs()) {
    const auto name = sweep.name(run), label = sweep.label(run);
    for (const auto& [field, text] : label.items()) {
      auto& all = labels[field];
      const Json pair{{"name", name[field]}, {"label", text}};
      if (std::find(all.begin(), all.end(), pair) == all.end()) all.push_back(pair);
    }
  }
  return labels;
}

Json sweep_summary_json(const Sweep& sweep, const std::vector<SweepGroup>& groups,
                        const std::vector<TradeOffs>& trade_offs) {
  auto list = Json::array();
  for (const auto& group : groups) {
    auto json = contender(sweep, group);
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
  for (const auto& found : trade_offs)
    for (const auto group : found.groups) {
      list[group]["verdict"] = verdict_json(found, group);
      for (const auto by : found.dominators(group)) list[group]["dominated_by"].push_back(by);
    }
  return list;
}

Json trade_offs_json(const Sweep& sweep, const std::vector<SweepGroup>& groups,
                     const std::vector<TradeOffs>& trade_offs) {
  auto list = Json::array();
  for (const auto& found : trade_offs) {
    const auto name = sweep.name(groups[found.groups[0]].first);
    Json json{{"platform", name["platform"]}, {"workload", name["workload"]},   {"criteria", Json::array()},
              {"margin", Contrast::margin},   {"confidence", found.confidence}, {"pairs", Json::array()}};
    for (const auto& criterion : criteria(sweep)) json["criteria"].push_back(criterion.name);
    for (const auto& contrast : found.contrasts) {
      Json pair{{"one", contrast.one}, {"other", contrast.other}, {"relation", name_of(contrast.relation)}};
      pair["differences"] = Json::object();
      for (const auto& metric : cosim::schedule_metrics()) {
        const std::string field(metric.name);
        pair["differences"][field] = contrast.differences.contains(field) ? difference_json(contrast, field) : Json();
      }
      json["pairs"].push_back(pair);
    }
    list.push_back(json);
  }
  return list;
}

}  // namespace toroid::study
