#include "study/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/error.hpp"
#include "netsim/run.hpp"
#include "platforms/load.hpp"
#include "study/statistics.hpp"

namespace toroid::study {

using core::Json;

namespace {

constexpr const char* shares[] = {"compute_share", "latency_share", "bandwidth_share", "contention_share"};

double relative_difference(double value, double reference) {
  return reference > 0 ? value / reference - 1 : 0;
}

void check_distinct(const std::vector<std::string>& names) {
  const std::set<std::string> distinct(names.begin(), names.end());
  for (const auto& name : distinct)
    if (std::count(names.begin(), names.end(), name) > 1) core::fail_input("'{}' is given twice", name);
}

Json row_of(const Json& result) {
  Json row{{"runtime_s", result["runtime_s"]}};
  for (const char* metric : metrics) row[metric] = result[metric];
  for (const char* share : shares) row[share] = result["critical_path"][share];
  return row;
}

}  // namespace

struct Comparison::Group {
  std::size_t platform, trace, map;
  std::vector<std::size_t> runs;  ///< that succeeded
  std::size_t failed = 0;
};

Comparison::Comparison(ComparisonSpec spec) : spec_(std::move(spec)) {
  for (const auto* names : {&spec_.platforms, &spec_.traces, &spec_.maps}) check_distinct(*names);
  for (const auto& platform : spec_.platforms) {
    machines_.push_back(platforms::make_machine(platform));
    slots_.push_back(spec_.slots(machines_.back()));
  }
  for (const auto& trace : spec_.traces) {
    traces_.push_back(workloads::open_trace(trace));
    traffics_.push_back(std::make_unique<mapping::Traffic>(*traces_.back(), spec_.options.collectives, spec_.matrix));
  }
  // Made here once, not in every worker.
  const bool need_traffic = std::any_of(spec_.maps.begin(), spec_.maps.end(), [](const std::string& map) {
    return mapping::make_mapper(map)->uses_traffic();
  });
  for (const auto& traffic : traffics_)
    if (need_traffic) traffic->matrix();
  netsim::engines().find(core::Spec::parse(spec_.engine));
  for (std::size_t p = 0; p < machines_.size(); ++p)
    for (std::size_t t = 0; t < traces_.size(); ++t)
      for (std::size_t m = 0; m < spec_.maps.size(); ++m) add_runs(p, t, m);
}

void Comparison::add_runs(std::size_t platform, std::size_t trace, std::size_t map) {
  const auto mapper = mapping::make_mapper(spec_.maps[map]);
  if (static_cast<std::size_t>(traces_[trace]->ranks()) > slots_[platform].size())
    core::fail_input("{}: {} ranks do not fit on {} slots of {}", spec_.traces[trace], traces_[trace]->ranks(),
                     slots_[platform].size(), spec_.platforms[platform]);
  // At once: what is wrong must not cost the study.
  const mapping::Program program{*traces_[trace], spec_.options};
  mapper->check({machines_[platform], slots_[platform], *traffics_[trace], spec_.seed, &program});
  for (std::size_t r = 0; r < (mapper->uses_seed() ? spec_.repeats : 1); ++r)
    runs_.push_back({platform, trace, map, r});
}

mapping::Mapping Comparison::place(const Run& run) const {
  const mapping::Program program{*traces_[run.trace], spec_.options};
  return mapping::make_mapping(spec_.maps[run.map], {machines_[run.platform], slots_[run.platform],
                                                     *traffics_[run.trace], spec_.seed + run.repetition, &program});
}

std::vector<std::string> Comparison::input_files() const {
  std::vector<std::string> files;
  for (const auto& trace : traces_)
    for (const auto& file : trace->files()) files.push_back(file);
  for (const auto& map : spec_.maps) files.push_back(mapping::make_mapper(map)->file());
  for (const auto& platform : spec_.platforms) files.push_back(platforms::platform_file(platform));
  return files;
}

Comparison::~Comparison() = default;

std::string Comparison::work(std::size_t task) const {
  const Run& run = runs_[task % runs_.size()];
  const auto& machine = machines_[run.platform];
  const auto& trace = *traces_[run.trace];
  const auto placement = place(run);
  std::uint64_t progress = 0;
  const auto& engine = task < runs_.size() ? spec_.engine : std::string("simgrid");
  return core::json_text(row_of(netsim::run_in_process({machine, trace, placement, spec_.options, engine}, progress)));
}

std::vector<Comparison::Group> Comparison::groups(const std::vector<Json>& results) const {
  std::vector<Group> all;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    if (run.repetition == 0) all.push_back({run.platform, run.trace, run.map, {}});
    if (results[i].contains("error"))
      ++all.back().failed;
    else
      all.back().runs.push_back(i);
  }
  return all;
}

std::vector<std::size_t> Comparison::best_runs(const std::vector<Json>& results) const {
  std::vector<std::size_t> best;
  const auto runtime = [&](std::size_t i) { return results[i]["runtime_s"].get<double>(); };
  for (const auto& group : groups(results)) {
    const auto first = std::min_element(group.runs.begin(), group.runs.end(),
                                        [&](std::size_t a, std::size_t b) { return runtime(a) < runtime(b); });
    if (first != group.runs.end()) best.push_back(*first);
  }
  return best;
}

Json Comparison::rows(const std::vector<Json>& results) const {
  Json rows = Json::array();
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    Json row{
        {"platform", spec_.platforms[run.platform]},
        {"trace", spec_.traces[run.trace]},
        {"map", spec_.maps[run.map]},
        {"repetition", run.repetition},
        {"seed", mapping::make_mapper(spec_.maps[run.map])->uses_seed() ? Json(spec_.seed + run.repetition) : Json()}};
    row["runtime_s"] = nullptr;
    for (const char* metric : metrics) row[metric] = nullptr;
    for (const char* share : shares) row[share] = nullptr;
    row["verified_runtime_s"] = nullptr;
    row["error"] = "";
    row["verification_error"] = "";
    row.update(results[i]);
    rows.push_back(row);
  }
  return rows;
}

Json Comparison::summary(const std::vector<Json>& results) const {
  Json summary = Json::array();
  for (const auto& group : groups(results)) {
    Json line{{"platform", spec_.platforms[group.platform]},
              {"trace", spec_.traces[group.trace]},
              {"map", spec_.maps[group.map]},
              {"runs", group.runs.size()},
              {"failed", group.failed}};
    Sample times;
    Json deviation;
    for (const auto i : group.runs) {
      times.push_back(results[i]["runtime_s"]);
      if (results[i].contains("verified_runtime_s"))
        deviation = relative_difference(times.back(), results[i]["verified_runtime_s"]);
    }
    const bool any = !times.empty();
    line["best_s"] = any ? Json(*std::min_element(times.begin(), times.end())) : Json();
    line["worst_s"] = any ? Json(*std::max_element(times.begin(), times.end())) : Json();
    line["mean_s"] = any ? Json(mean(times)) : Json();
    line["standard_deviation_s"] = times.size() > 1 ? Json(standard_deviation(times)) : Json();
    line["verification_deviation"] = deviation;
    summary.push_back(line);
  }
  // Normalised to the best mean of the same machine and trace.
  for (auto& line : summary) {
    double best = INFINITY;
    for (const auto& other : summary)
      if (other["platform"] == line["platform"] && other["trace"] == line["trace"] && !other["mean_s"].is_null())
        best = std::min(best, other["mean_s"].get<double>());
    line["mean_normalized"] = line["mean_s"].is_null() ? Json() : Json(1 + relative_difference(line["mean_s"], best));
  }
  return summary;
}

}  // namespace toroid::study
