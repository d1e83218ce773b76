#include <fmt/format.h>

#include <map>
#include <utility>

#include "views/comparison.hpp"
#include "views/comparison_charts.hpp"

namespace toroid::views {

using core::Json;

namespace {

/// The labels of names of a kind: `maps`, which stand in rows as `map`.
std::map<std::string, std::string> labels_of(const Json& comparison, const char* kind) {
  std::map<std::string, std::string> labels;
  if (!comparison["labels"].contains(kind)) return labels;
  const auto &names = comparison["manifest"][kind], &texts = comparison["labels"][kind];
  for (std::size_t i = 0; i < names.size(); ++i) labels[names[i]] = texts[i];
  return labels;
}

/// Whether mappers are compared by allocator, each of which then has plots of its own.
bool by_allocator(const Json& comparison) {
  return allocator_names(comparison).size() > 1 && !compares_allocators(comparison);
}

/// The name of a row of plots: a machine with an allocator.
std::string place_name(const std::string& machine, const std::string& alloc) {
  return machine + ", " + alloc;
}

/// The names of all rows of plots.
Json place_names(const Json& comparison) {
  const auto& machines = comparison["labels"]["platforms"];
  if (!by_allocator(comparison)) return machines;
  Json all = Json::array();
  for (const auto& machine : machines)
    for (const auto& alloc : allocator_labels(comparison)) all.push_back(place_name(machine, alloc));
  return all;
}

/// Adds a row for each run of an engine that succeeded.
void add_values(Json& all, const Json& comparison, const Json& engine, const Json& rows) {
  const auto machines = labels_of(comparison, "platforms"), traces = labels_of(comparison, "traces"),
             maps = labels_of(comparison, "maps"), allocs = labels_of(comparison, "allocs");
  for (const auto& row : rows) {
    if (row["runtime_s"].is_null()) continue;
    const auto alloc = allocator_of(row);
    const auto& machine = machines.at(row["platform"]);
    all.push_back({{"machine", by_allocator(comparison) ? place_name(machine, allocs.at(alloc)) : machine},
                   {"trace", traces.at(row["trace"])},
                   {"map", maps.at(row["map"])},
                   {"engine", engine},
                   {"seed", row["seed"]},
                   {"runtime_s", row["runtime_s"]},
                   {"hop_bytes", row["hop_bytes"]},
                   {"max_link_load_bytes", row["max_link_load_bytes"]}});
    if (!alloc.empty()) all.back()["alloc"] = allocs.at(alloc);
  }
}

Json field(const char* name, const char* type) {
  return {{"field", name}, {"type", type}};
}

/// One of the names in their order, not in that of the alphabet.
Json named(const char* name, const char* title, const Json& labels) {
  auto encoding = field(name, "nominal");
  encoding["title"] = title;
  encoding["sort"] = labels;
  return encoding;
}

}  // namespace

std::string comparison_vega(const Json& comparison) {
  const auto& labels = comparison["labels"];
  auto time = field("runtime_s", "quantitative");
  time["title"] = fmt::format("{} [s]", time_in_words(comparison));
  auto mean = time;
  mean["aggregate"] = "mean";
  const std::string along = compares_allocators(comparison) ? "alloc" : "map";
  const auto map = named(along.c_str(), along.c_str(), labels[along + "s"]);
  auto engines = Json::array({comparison["manifest"]["engine"]}), values = Json::array();
  add_values(values, comparison, engines[0], comparison["rows"]);
  for (const auto& opinion : comparison.value("opinions", Json::array())) {
    engines.push_back(opinion["engine"]);
    add_values(values, comparison, opinion["engine"], opinion["rows"]);
  }
  // Several engines stand side by side above each mapper, each in its colour.
  Json place{{"x", map}}, colour{{"field", along}, {"legend", nullptr}};
  if (engines.size() > 1) {
    colour = named("engine", "engine", engines);
    place["xOffset"] = {{"field", "engine"}, {"sort", engines}};
  }
  auto of_means = place, of_runs = place;
  of_means["y"] = mean;
  of_means["color"] = colour;
  of_runs["y"] = time;
  // Bars are the means, lines their 95 % confidence intervals by bootstrap, points the runs.
  const Json bars{{"mark", {{"type", "bar"}, {"opacity", 0.6}}}, {"encoding", of_means}};
  const Json intervals{{"mark", {{"type", "errorbar"}, {"extent", "ci"}}}, {"encoding", of_runs}};
  const Json points{{"mark", {{"type", "point"}, {"size", 12}, {"tooltip", {{"content", "data"}}}}},
                    {"encoding", of_runs}};
  const Json spec{
      {"$schema", "https://vega.github.io/schema/vega-lite/v5.json"},
      {"description", "Times that toroid compare predicted: means, 95 % confidence intervals, and each run"},
      {"data", {{"values", values}}},
      {"facet",
       {{"row", named("machine", "machine", place_names(comparison))},
        {"column", named("trace", "trace", labels["traces"])}}},
      {"resolve", {{"scale", {{"y", "independent"}}}}},
      {"spec", {{"layer", Json::array({bars, intervals, points})}}}};
  return core::json_text(spec, 1) + "\n";
}

}  // namespace toroid::views
