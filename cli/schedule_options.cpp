#include "cli/schedule_options.hpp"

#include <algorithm>

#include "cli/option.hpp"
#include "core/context.hpp"
#include "core/text.hpp"
#include "cosim/outages.hpp"

namespace toroid::cli {

using core::Json;

std::string out_of_time(const std::vector<cosim::TimedEvent>& events, double first_submission, double last_end) {
  std::string text;
  for (const auto& event : events) {
    if (event.in_time) continue;
    const bool is_late = event.time > last_end;
    text += fmt::format("too {:<11}{} at {:.10g} s: the {} job {} at {:.10g} s\n", is_late ? "late" : "early",
                        core::excerpt(event.event), event.time, is_late ? "last" : "first",
                        is_late ? "had ended" : "came", is_late ? last_end : first_submission);
  }
  return text;
}

void ScheduleOptions::name_all() {
  const auto take = [](std::string& first, std::vector<std::string>& more, const auto& change) {
    std::vector<std::string> names{first};
    names.insert(names.end(), more.begin(), more.end());
    auto found = cli::take_labels(names, change);
    first = names.front();
    more.assign(names.begin() + 1, names.end());
    return found;
  };
  labels.platforms = take(platform, more_platforms, [this](const std::string& name) { return what_if.apply(name); });
  labels.workloads = take(jobs, more_jobs, nullptr);
  if (labels.schedulers.empty()) labels.schedulers = core::texts_of(schedulers);
  if (labels.allocs.empty()) labels.allocs = core::texts_of(allocators);
  if (labels.maps.empty()) labels.maps = core::texts_of(programs.maps);
}

cosim::Options ScheduleOptions::options() const {
  cosim::Options options;
  core::in_context("--estimates", [&] { return cosim::read_estimates(estimates, options); });
  options.kill = kill;
  options.dynamic = dynamic;
  options.failed_job = programs.on_failure();
  constexpr double hour = 3600;
  options.failures = {mtbf_hours * hour, repair_hours * hour, requeues, {}};
  for (const auto& text : at) options.failures.outages.push_back(cosim::read_outage(text));
  options.too_large = too_large == "fail" ? cosim::Options::TooLarge::fail : cosim::Options::TooLarge::reject;
  return options;
}

bool ScheduleOptions::nodes_fail() const {
  return mtbf_hours > 0 || std::any_of(at.begin(), at.end(), [](const std::string& text) {
           return !cosim::read_outage(text).is_announced();
         });
}

bool ScheduleOptions::is_sweep() const {
  return !csv.empty() || !svg.empty() || repeats > 1 || schedulers.size() > 1 || allocators.size() > 1 ||
         programs.maps.size() > 1 || !more_platforms.empty() || !more_jobs.empty();
}

cosim::ScheduleSettings ScheduleOptions::run_settings() const {
  return {engine, options(), programs.how_long(), programs.options(), programs.epochs, windows};
}

Json ScheduleOptions::settings() const {
  const auto used = run_settings().used_engine();
  Json settings{{"lenient", lenient}, {"estimates", estimates}, {"kill", kill},
                {"dynamic", dynamic}, {"too_large", too_large}, {"engine", used ? used->text() : "none"}};
  if (mtbf_hours > 0) {
    settings["mtbf_hours"] = mtbf_hours;
    settings["repair_hours"] = repair_hours;
  }
  if (!at.empty()) settings["at"] = at;
  if (nodes_fail()) settings["requeue"] = requeues;
  if (windows > 0) settings["windows"] = windows;
  programs.record(settings);
  return settings;
}

}  // namespace toroid::cli
