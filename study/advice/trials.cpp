#include "study/advice/trials.hpp"

#include <cmath>

#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {

std::string PropertyChange::text() const {
  std::vector<std::string> texts;
  for (const auto& [name, value] : properties) texts.push_back(name + "=" + value);
  return core::join(texts, " --set ");
}

platforms::Machine PropertyChange::apply(const platforms::Machine& machine) const {
  auto description = machine.description();
  for (const auto& [name, value] : properties) platforms::set_property(description, name, value);
  return platforms::Machine(std::move(description));
}

std::vector<PropertyChange> usual_changes(const platforms::Machine& machine) {
  constexpr std::int32_t least_ring = 3;  // a ring of two has no wrap of its own
  std::vector<PropertyChange> changes;
  const auto& grid = machine.grid();
  const auto name_of = [&](std::size_t d) { return grid.name(d); };
  const auto has_links = [&](std::size_t d) { return grid.dimension(d).extent > 1; };
  bool any_latency = false;
  std::size_t with_links = 0;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) with_links += has_links(d) ? 1U : 0U;
  if (with_links > 0) changes.push_back({{{"bandwidth", "x2"}}});
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (!has_links(d)) continue;
    if (with_links > 1) changes.push_back({{{name_of(d) + ".bandwidth", "x2"}}});
    any_latency |= grid.dimension(d).latency > 0;
  }
  PropertyChange ports;
  if (machine.limits_injection()) ports.properties.emplace_back("injection-bandwidth", "x2");
  if (machine.limits_ejection()) ports.properties.emplace_back("ejection-bandwidth", "x2");
  if (!ports.properties.empty()) changes.push_back(std::move(ports));
  if (any_latency) changes.push_back({{{"latency", "x0.5"}}});
  const auto& node = machine.parameters();
  for (const auto& [property, seconds] : {std::pair{"base-latency", node.base_latency},
                                          {"overhead", node.overhead},
                                          {"gap", node.gap},
                                          {"handshake", node.handshake},
                                          {"copy", node.copy},
                                          {"reduce", node.reduce},
                                          {"memcpy", node.memcpy}})
    if (seconds > 0) changes.push_back({{{property, "x0.5"}}});
  for (std::size_t d = 0; d < grid.dimension_count(); ++d)
    if (grid.dimension(d).wrap == platforms::Wrap::mesh && grid.dimension(d).extent >= least_ring)
      changes.push_back({{{name_of(d) + ".wrap", "torus"}}});
  return changes;
}

std::vector<PropertyChange> changes_by_dimension(const platforms::Machine& machine) {
  std::vector<PropertyChange> changes;
  const auto& grid = machine.grid();
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) {
    if (grid.dimension(d).extent == 1) continue;
    changes.push_back({{{grid.name(d) + ".bandwidth", "x2"}}});
    if (grid.dimension(d).latency > 0) changes.push_back({{{grid.name(d) + ".latency", "x0.5"}}});
  }
  return changes;
}

std::shared_ptr<const platforms::Machine> changed(const platforms::Machine& machine, const PropertyChange& change) {
  try {
    return std::make_shared<const platforms::Machine>(change.apply(machine));
  } catch (const core::InputError&) {
    return nullptr;
  }
}

bool is_one_program(const netsim::Run& request) {
  return request.jobs.size() == 1 && request.job().name.empty();
}

netsim::Run plain(netsim::Run request) {
  request.windows = 0;
  request.keep_windows = false;
  for (auto& job : request.jobs) {
    auto& options = job.options;
    options.log_causes = false;
    options.activity_windows = 0;
    options.keep_timeline = false;
    options.progress = {};
    if (options.repeats == netsim::Repeats::sample) options.repeats = netsim::Repeats::exact;
  }
  return request;
}

namespace {

using platforms::Machine;

/// One thing that is changed of a run of some jobs.
struct ChangeOfJobs {
  std::string change;                                ///< the change as options take it
  std::shared_ptr<const Machine> machine = nullptr;  ///< null: that of the run, or no such machine
  std::optional<std::size_t> without = {};           ///< the job that is left out
  std::optional<std::size_t> placed = {};            ///< the job that has another mapping
  netsim::Mapping mapping = {};                      ///< the mapping that `placed` has

  bool is_possible() const { return machine || without || placed; }
};

/// The machine with each of changes_by_dimension() and usual_changes(); once where several make the same of it.
std::vector<ChangeOfJobs> changes_of(const Machine& machine) {
  auto changes = changes_by_dimension(machine);
  for (auto& change : usual_changes(machine)) changes.push_back(std::move(change));
  std::vector<ChangeOfJobs> all;
  for (const auto& change : changes) {
    ChangeOfJobs one{"--set " + change.text(), changed(machine, change)};
    const auto is_known = [&](const auto& other) {
      return other.machine && other.machine->description() == one.machine->description();
    };
    if (!one.machine || std::ranges::none_of(all, is_known)) all.push_back(std::move(one));
  }
  return all;
}

std::vector<ChangeOfJobs> changes_of(const netsim::Run& request, const std::vector<std::vector<OtherMapping>>& others) {
  auto changes = changes_of(request.machine);
  for (std::size_t job = 0; job < others.size(); ++job)
    for (const auto& other : others[job])
      if (other.mapping != request.jobs[job].mapping)
        changes.push_back({.change = is_one_program(request)
                                         ? "--map " + other.name
                                         : fmt::format("map={} for {}", other.name, request.jobs[job].name),
                           .placed = job,
                           .mapping = other.mapping});
  for (std::size_t job = 0; job < request.jobs.size() && request.jobs.size() > 1; ++job)
    changes.push_back({.change = "without " + request.jobs[job].name, .without = job});
  return changes;
}

struct JobsAgain {
  netsim::Run request;
  std::vector<std::size_t> number = {};  ///< the number of each job in the other run
};

JobsAgain again_with(const netsim::Run& request, const ChangeOfJobs& change) {
  TOROID_ASSERT(!change.placed || *change.placed < request.jobs.size());
  const auto base = plain(request);
  JobsAgain again{
      {change.machine ? *change.machine : request.machine, std::vector<netsim::PlacedJob>(), request.engine}};
  again.request.on_failure = request.on_failure;
  again.request.with_charges = false;
  for (std::size_t job = 0; job < request.jobs.size(); ++job) {
    if (job == change.without) continue;
    again.number.push_back(job);
    auto& placed = again.request.jobs.emplace_back(base.jobs[job]);
    if (job == change.placed) placed.mapping = change.mapping;
  }
  for (const auto& [time, job] : request.kills)
    if (const auto left = std::ranges::find(again.number, job); left != again.number.end())
      again.request.kills.push_back({time, static_cast<std::size_t>(left - again.number.begin())});
  return again;
}

/// For each job, the seconds of its last round after a change; null for jobs that did none.
Json last_rounds(const netsim::Run& request, const ChangeOfJobs& change) {
  Json times(request.jobs.size(), Json());
  const auto again = again_with(request, change);
  const auto ends = [](const netsim::PlacedJob& job) { return job.rounds != netsim::until_end; };
  if (std::ranges::none_of(again.request.jobs, ends)) return times;
  const auto result = netsim::run_in_process(again.request);
  for (std::size_t i = 0; i < again.number.size(); ++i)
    if (const auto& rounds = result.jobs[i].rounds; !rounds.empty()) times[again.number[i]] = rounds.back();
  return times;
}

/// The jobs but one whose times change by much, the largest change first.
std::vector<OtherJob> others_than(std::size_t one, const std::vector<std::optional<double>>& before,
                                  const Json& times) {
  std::vector<OtherJob> others;
  for (std::size_t job = 0; job < times.size(); ++job) {
    if (job == one || times[job].is_null() || !before[job]) continue;
    const double saves = *before[job] > 0 ? 1 - times[job].get<double>() / *before[job] : 0;
    if (std::abs(saves) >= Trial::margin) others.push_back({job, saves});
  }
  std::ranges::stable_sort(others, std::greater{}, [](const OtherJob& other) { return std::abs(other.saves); });
  return others;
}

}  // namespace

std::vector<OtherMapping> other_mappings(const mapping::MapperChoice& map,
                                         const std::function<netsim::Mapping(const mapping::MapperChoice&)>& make) {
  const mapping::MapperChoice quick = "quick";
  if (map == quick) return {};
  return {{quick.text(), make(quick)}};
}

std::vector<std::vector<Trial>> trials_of(const netsim::Run& request, const netsim::Result& result,
                                          const std::vector<std::vector<OtherMapping>>& others, std::size_t workers) {
  std::vector<std::optional<double>> before;
  for (const auto& job : result.jobs)
    before.push_back(job.rounds.empty() ? std::nullopt : std::optional(job.rounds.back()));
  const auto changes = changes_of(request, others);
  const auto done = run_all("changing one thing", changes.size(), workers, [&](std::size_t i) {
    return changes[i].is_possible() ? last_rounds(request, changes[i]) : Json(before.size(), Json());
  });
  std::vector<std::vector<Trial>> trials(before.size());
  for (std::size_t i = 0; i < changes.size(); ++i)
    for (std::size_t job = 0; job < trials.size(); ++job) {
      if (changes[i].without == job) continue;
      const auto& times = done[i].result;  // null where the run failed
      TOROID_ASSERT(times.is_null() || times.size() == before.size());
      auto& trial = trials[job].emplace_back(Trial{.change = changes[i].change});
      if (!times.is_null() && !times[job].is_null()) trial.runtime = times[job].get<double>();
      trial.others = others_than(job, before, times);
    }
  return trials;
}

bool has_ties(const platforms::Machine& machine) {
  return std::ranges::any_of(machine.description().dimensions, [](const auto& ring) {
    return ring.wrap == platforms::Wrap::torus && ring.extent > 2 && ring.extent % 2 == 0;
  });
}

}  // namespace toroid::study
