#include "cosim/link_loads.hpp"
#include "cosim/loop/loop.hpp"
#include "cosim/placed_jobs.hpp"
#include "cosim/run_times/epochs.hpp"
#include "cosim/run_times/modelled.hpp"
#include "cosim/run_times/replayed.hpp"
#include "cosim/totals_observer.hpp"
#include "netsim/machine_changer.hpp"

namespace toroid::cosim {
namespace {

/// The engine that replays jobs alone on the machine. A process has some engines only once, for all jobs together; then
/// the fast one, which solves the same model, replays jobs alone.
netsim::EngineChoice engine_alone(const netsim::EngineChoice& engine) {
  return netsim::load(engine).own_process ? netsim::fast_engine : engine;
}

/// How long jobs run, with the programs that they run if the network decides.
struct ChosenRunTimes {
  ChosenRunTimes(const ScheduleRequest& request, netsim::Clock& clock, netsim::Network* network,
                 netsim::LinkUsage* usage) {
    if (request.has_programs())
      programs.emplace(request.programs, request.machine,
                       engine_alone(request.used_engine().value_or(netsim::fast_engine)), request.seed);
    switch (request.times) {
      case ScheduleRequest::Times::logged:
        run_times = std::make_unique<Logged>(clock);
        break;
      case ScheduleRequest::Times::replayed:
        run_times = std::make_unique<Replayed>(*programs, *network);
        break;
      case ScheduleRequest::Times::epochs:
        run_times = std::make_unique<Epochs>(request.epochs, *programs, *network, request.seed, usage);
        break;
      case ScheduleRequest::Times::modelled:
        run_times = std::make_unique<Modelled>(*programs, clock, request.seed);
        break;
    }
  }
  std::optional<PlacedPrograms> programs;
  std::unique_ptr<RunTimes> run_times;
};

void check_programs(const ScheduleRequest& request) {
  if (request.options.dynamic)
    core::fail_input("jobs whose demand changes last as long as their log says, they cannot be programs");
  mapping::check_ranks_per_node(request.machine, request.programs.ranks_per_node);
  request.programs.map.make();  // which reads its files
}

/// Jobs whose messages are simulated are killed at their estimate, which must leave them time to start.
void check_estimates(const ScheduleRequest& request) {
  if (!request.options.kill) return;
  jobs::Job job;
  for (const auto stream = request.jobs.open(); stream->next(job);)
    if (estimate(job, request.options) == Time())
      core::fail_input("job {}: its estimate is 0 s, at which it would be killed before it starts", job.id());
}

/// A job larger than the machine would end the run when it comes; one of no known run time would end as it starts, in
/// silence. Files that have none are not read again.
void check_each(const ScheduleRequest& request) {
  const auto free = alloc::FreeNodes(request.machine).count();
  const auto counts = request.jobs.counts();
  const bool all_fit =
      request.options.too_large == Options::TooLarge::reject || (counts.most_nodes > 0 && counts.most_nodes <= free);
  const bool all_last = request.has_messages() || counts.of_unknown_length == 0;
  if (all_fit && all_last) return;
  const auto files = core::join(request.jobs.files(), ", ");
  jobs::Job job;
  for (const auto stream = request.jobs.open(); stream->next(job);) {
    if (!all_fit && first_demand(job, request.options) > free) refuse_large(job, request.machine, free, {});
    if (!all_last && !job.has_run_time())
      core::fail_input("{}{}job {}: found no run time, expected one, or a program and --times replayed or epochs",
                       files, files.empty() ? "" : ": ", job.id());
  }
}

/// An allocator with books of its own would not hear of nodes that are out.
void check_failures(const ScheduleRequest& request) {
  if (!traits_of(request.allocator, request.machine).is_local)
    core::fail_input("allocator '{}': keeps books of its own of the nodes, none of which may fail or be reserved",
                     request.allocator.text());
}

/// Links count where they decide how long jobs run.
void check_link_failures(const ScheduleRequest& request) {
  if (request.times != ScheduleRequest::Times::replayed && request.times != ScheduleRequest::Times::modelled)
    core::fail_input("--at: found fail-link, expected --times replayed or modelled with it, in which links count");
  if (request.times == ScheduleRequest::Times::replayed)
    netsim::check_engine_for({.changes = {{0, &request.machine}}}, *request.used_engine());
}

/// Reads the nodes that jobs had in their log, if the allocator uses them and a job that never fits ends the run.
/// Throws InputError, with the files of the log and the job, where these nodes cannot be read and the job gets no
/// others.
void check_logged_nodes(const ScheduleRequest& request, const alloc::Allocator& allocator) {
  if (!allocator.uses_logged_nodes() || request.options.too_large == Options::TooLarge::reject) return;
  const alloc::LoggedNodes logged(request.machine);
  const auto files = core::join(request.jobs.files(), ", ");
  jobs::Job job;
  for (const auto stream = request.jobs.open(); stream->next(job);)
    core::in_context(fmt::format("{}{}job {}", files, files.empty() ? "" : ": ", job.id()), [&] {
      const auto nodes = first_demand(job, request.options);
      if (!allocator.fits({.nodes = nodes})) logged.read(job.nodes, nodes);
    });
}

/// Numbers by their names; absent without any.
core::Json figures_json(const std::vector<core::Figure>& figures) {
  core::Json all = figures.empty() ? core::absent() : core::Json::object();
  for (const auto& figure : figures) all[figure.name] = figure.value;
  return all;
}

const core::Object<ScheduleResult> schedule_object{
    "schedule",
    {core::field<ScheduleResult>(core::version_text, {}),
     {"...", "fields of schedule totals", "what became of the jobs", [](auto& r) { return totals_json(r.totals); }},
     {"allocator", "number by name", "only if the allocator counts: messages, for example",
      [](auto& r) { return figures_json(r.figures); }},
     core::field<ScheduleResult>(epochs_field, [](auto& r) { return figures_json(r.epochs); }),
     {"link_loads", "link loads", "only with --windows",
      [](auto& r) { return r.link_loads ? link_loads_json(*r.link_loads) : core::absent(); }},
     {"events", "list of event", "only with --at",
      [](auto& r) { return r.events.empty() ? core::absent() : events_json(r.events); }},
     // What others know of the run:
     {"left_out", "count", "jobs of the log that were left out", {}},
     {"remarks", "list of text", "only if there are some: on the engine", {}},
     core::field<ScheduleResult>(core::manifest_text, {})}};

}  // namespace

std::optional<netsim::EngineChoice> ScheduleSettings::used_engine() const {
  return engine || !has_messages() ? engine : netsim::fast_engine;
}

ScheduleRequest::ScheduleRequest(const Machine& on_machine, const jobs::Jobs& of_jobs, SchedulerChoice by,
                                 alloc::AllocatorChoice with)
    : machine(on_machine), jobs(of_jobs), scheduler(std::move(by)), allocator(std::move(with)) {}

core::Json result_json(const ScheduleResult& result) {
  return schedule_object(result);
}

std::vector<core::ObjectText> schedule_objects() {
  std::vector<core::ObjectText> all{schedule_object,
                                    totals_text(),
                                    event_text(),
                                    {"epochs",
                                     {{"mixes", "number", "of jobs whose rates were asked for"},
                                      {"simulated", "number", "of these, until rates were steady"},
                                      {"replayed", "share", "of all rounds"}}}};
  std::ranges::move(link_loads_objects(), std::back_inserter(all));
  return all;
}

void check(const ScheduleRequest& request) {
  if (const auto engine = request.used_engine()) netsim::load(*engine);
  if (request.has_programs()) check_programs(request);
  if (request.options.failures.any()) check_failures(request);
  if (request.options.failures.any_of_links()) check_link_failures(request);
}

void check_jobs(const ScheduleRequest& request) {
  outages_of(request.options.failures.outages, request.machine, request.jobs);
  link_failures_of(request.options.failures.outages, request.machine, request.jobs);
  check_each(request);
  if (!request.has_programs()) return;
  request.programs.rules.check(request.jobs, request.machine, request.programs.ranks_per_node);
  check_estimates(request);
}

ScheduleResult run_schedule(const ScheduleRequest& request) {
  check(request);
  if (!request.jobs_are_checked) check_jobs(request);
  netsim::Clock clock;
  const auto engine = request.used_engine();
  const bool replays = request.times == ScheduleRequest::Times::replayed;
  const auto network = engine ? engine->make(request.machine, clock) : nullptr;
  if (network && request.has_messages() && request.programs.alone && engine_alone(*engine) != *engine &&
      !network->why_not_shared().empty())
    core::fail_input("engine '{}': {}, while jobs are alone on {}; expected --no-alone", engine->text(),
                     network->why_not_shared(), netsim::fast_engine);
  alloc::FreeNodes free(request.machine);
  const auto allocator = request.allocator.make(alloc::Site{free, network.get(), request.seed, &clock});
  check_logged_nodes(request, *allocator);
  auto outages = outages_of(request.options.failures.outages, request.machine, request.jobs);
  std::optional<NodeFailures> failures;
  if (request.options.failures.mtbf > 0 || !outages.unforeseen.empty())
    failures.emplace(request.options.failures, std::move(outages.unforeseen), request.machine, clock, request.seed);
  const auto scheduler = request.scheduler.make();
  netsim::LinkUsage usage(request.machine);  // in epochs; else the network has one
  usage.measure_windows(request.windows);
  if (replays && request.windows > 0) network->measure_windows(request.windows);
  if (network && request.windows == 0) network->ignore_links();
  const ChosenRunTimes chosen(request, clock, network.get(), request.windows > 0 ? &usage : nullptr);
  const auto links = link_failures_of(request.options.failures.outages, request.machine, request.jobs);
  const netsim::MachineChanger changer(clock, links.changes,
                                       [&](const Machine& machine) { chosen.run_times->change(machine); });
  TotalsObserver totals(request.machine);
  std::vector<Observer*> observers{&totals};
  observers.insert(observers.end(), request.observers.begin(), request.observers.end());
  const Parts parts{request.jobs,
                    *scheduler,
                    free,
                    *allocator,
                    clock,
                    *chosen.run_times,
                    std::move(observers),
                    failures ? &*failures : nullptr,
                    ReservedNodes(outages.announced)};
  Loop(parts, request.options).run();
  ScheduleResult result{totals.totals(), allocator->figures(), chosen.run_times->figures(), {}, {}};
  result.events =
      events_of(request.options.failures.outages, request.jobs, result.totals.first_submission, result.totals.last_end);
  if (request.windows > 0)
    result.link_loads =
        link_loads_over_time(replays ? network->usage() : usage, request.machine, Time(result.totals.last_end));
  return result;
}

}  // namespace toroid::cosim
