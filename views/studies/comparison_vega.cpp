#include "views/studies/comparison_vega.hpp"

#include <fmt/format.h>

#include "core/json.hpp"
#include "netsim/result_json.hpp"

namespace toroid::views {

using core::Json;

namespace {

using Subject = ComparedTimes::Subject;

/// The names of the rows of plots: machines, or machines with each allocator where mappers are compared by these.
class Places {
 public:
  explicit Places(const ComparedTimes& times)
      : times_(times), by_alloc_(times.allocs.size() > 1 && times.subject != Subject::allocs) {}

  std::string name(std::size_t platform, std::size_t alloc) const {
    const auto& machine = times_.platforms[platform].label;
    return by_alloc_ ? machine + ", " + times_.allocs[alloc].label : machine;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (std::size_t p = 0; p < times_.platforms.size(); ++p)
      for (std::size_t a = 0; a < (by_alloc_ ? times_.allocs.size() : 1); ++a) all.push_back(name(p, a));
    return all;
  }

 private:
  const ComparedTimes& times_;
  bool by_alloc_;
};

/// A row for each run of each engine that succeeded.
Json values_of(const ComparedTimes& times) {
  const Places places(times);
  auto all = Json::array();
  for (const auto& engine : times.engines)
    for (std::size_t i = 0; i < engine.groups.size(); ++i) {
      const auto [platform, trace, alloc, map] = times.place(i);
      for (const auto& run : engine.groups[i].runs) {
        all.push_back({{"machine", places.name(platform, alloc)},
                       {"trace", times.traces[trace].label},
                       {"map", times.maps[map].label},
                       {"engine", engine.name},
                       {"seed", run.seed ? Json(*run.seed) : Json()},
                       {"runtime_s", run.runtime_s}});
        for (const auto& [name, value] : run.metrics) all.back()[name] = netsim::metric_json(value);
        if (times.has_allocs) all.back()["alloc"] = times.allocs[alloc].label;
      }
    }
  return all;
}

Json field(const char* name, const char* type) {
  return {{"field", name}, {"type", type}};
}

/// An encoding by a field of names, which stand in the order of `labels`, not in that of the alphabet.
Json named(const char* name, const char* title, const Json& labels) {
  auto encoding = field(name, "nominal");
  encoding["title"] = title;
  encoding["sort"] = labels;
  return encoding;
}

}  // namespace

std::string comparison_vega(const ComparedTimes& times) {
  auto time = field("runtime_s", "quantitative");
  time["title"] = fmt::format("{} [s]", time_in_words(times));
  auto mean = time;
  mean["aggregate"] = "mean";
  const bool of_allocs = times.subject == Subject::allocs;
  const auto* along = of_allocs ? "alloc" : "map";
  const auto map = named(along, along, labels_of(of_allocs ? times.allocs : times.maps));
  Json engines = Json::array();
  for (const auto& engine : times.engines) engines.push_back(engine.name);
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
      {"data", {{"values", values_of(times)}}},
      {"facet",
       {{"row", named("machine", "machine", Places(times).names())},
        {"column", named("trace", "trace", labels_of(times.traces))}}},
      {"resolve", {{"scale", {{"y", "independent"}}}}},
      {"spec", {{"layer", Json::array({bars, intervals, points})}}}};
  return core::json_text(spec, 1) + "\n";
}

}  // namespace toroid::views
