#include "cli/simulate_options.hpp"

#include "cli/outputs.hpp"
#include "cli/version.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/json_object.hpp"
#include "study/tasks/executor.hpp"

namespace toroid::cli {

using core::Json;

std::size_t SimulateOptions::worker_count() const {
  return workers == 0 ? study::default_workers(1) : workers;
}

Json manifest(const SimulateOptions& o, Kept& kept) {
  constexpr std::size_t others = 30;  // below
  auto manifest = core::object(
      {{"toroid", version}, {"command", "simulate"}, {"arguments", o.arguments}, {"platform", o.platform}}, others);
  if (o.jobs.empty())
    manifest["trace"] = o.trace;
  else
    manifest["jobs"] = o.jobs;
  manifest["inputs"] = inputs_json();
  o.placement.record(manifest);
  if (!o.jobs.empty()) manifest.erase("nodes");  // each has its own
  manifest["map"] = o.map.text();
  manifest["matrix"] = o.matrix;
  manifest["seed"] = o.seed;
  o.replay.record(manifest);
  o.events.record(manifest);
  if (!o.jobs.empty() || o.placement.has_neighbours()) manifest["others"] = o.others;
  if (o.draws > 0) manifest["uncertainty"] = o.draws;
  manifest["windows"] = o.windows;
  manifest["engine"] = o.engine.text();
  manifest["provenance"] = *kept.provenance(o.platform);
  return manifest;
}

std::vector<std::pair<const core::Entry<views::RunFormat>*, std::string>> wanted_formats(const SimulateOptions& o) {
  std::vector<std::pair<const core::Entry<views::RunFormat>*, std::string>> wanted;
  const auto& formats = views::run_formats().entries();
  for (std::size_t i = 0; i < formats.size(); ++i)
    if (!o.run_files[i].empty()) wanted.emplace_back(&formats[i], o.run_files[i]);
  return wanted;
}

void check_shown(const SimulateOptions& o) {
  const auto check_windows = [&](std::string_view option, bool shows) {
    if (shows && o.windows == 0)
      core::fail_input("--{} shows the use of links over time; expected --windows of 1 or more", option);
  };
  check_windows("html", !o.html.empty());
  check_windows("columns", !o.columns.empty());
  check_windows("explain", o.explain);
  const bool tells_instants = !o.html.empty() || !o.columns.empty() || o.explain || !o.critical_path_csv.empty() ||
                              !o.events.at.empty() || !wanted_formats(o).empty();
  if (tells_instants)
    o.replay.refuse_sample(
        "as --html, --columns, --explain, --critical-path-csv, --at and timelines tell what happens when");
  for (const auto& [format, path] : wanted_formats(o)) {
    if (!format->make.missing.empty())
      core::fail_input("{}: cannot be written: this toroid was built without {}", path, format->make.missing);
    check_windows(format->name, format->make.draws_links);
  }
}

std::optional<views::Slice> plane_of(const SimulateOptions& o, const platforms::Machine& machine) {
  if (o.plane.empty()) return std::nullopt;
  return core::in_context("--plane", [&] { return views::parse_slice(machine, o.plane); });
}

bool writes_tables(const SimulateOptions& o) {
  return !o.json.empty() && !o.no_tables;
}

std::string json_file(const SimulateOptions& o, const Json& result) {
  if (!o.no_tables) return core::json_text(result, 1) + "\n";
  auto rest = result;
  for (const auto* table : {"links", "ranks"}) {
    rest.erase(table);
    if (rest.contains("jobs"))
      for (auto& job : rest["jobs"]) job.erase(table);
  }
  return core::json_text(rest, 1) + "\n";
}

}  // namespace toroid::cli
