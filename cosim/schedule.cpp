#include "cosim/schedule.hpp"

#include "core/error.hpp"
#include "cosim/link_loads.hpp"
#include "cosim/replayed.hpp"
#include "mapping/slots.hpp"
#include "netsim/network.hpp"

namespace toroid::cosim {

namespace {

/// The spec of the engine, or nothing if there is to be no network.
std::string engine_of(const ScheduleRequest& request) {
  return request.engine.empty() && request.times != ScheduleRequest::Times::logged ? "fluid" : request.engine;
}

/// On which a job has the machine to itself. Of some engines a process has only one, which is that of all jobs; `fluid`
/// solves the same model.
std::string engine_alone(const ScheduleRequest& request) {
  const auto engine = engine_of(request);
  return netsim::load_engine(engine).own_process ? "fluid" : engine;
}

/// What jobs do, if that is more than to last as long as their log says.
struct Workers {
  Workers(const ScheduleRequest& request, netsim::Network* network, netsim::LinkUsage* usage) {
    if (request.times == ScheduleRequest::Times::logged) return;
    programs.emplace(request.programs, request.machine, engine_alone(request), request.seed);
    if (request.times == ScheduleRequest::Times::replayed)
      worker = std::make_unique<Replayed>(*programs, *network);
    else
      worker = std::make_unique<Epochs>(request.epochs, *programs, *network, request.seed, usage);
  }
  std::optional<PlacedPrograms> programs;
  std::unique_ptr<Worker> worker;
};

void check_programs(const ScheduleRequest& request) {
  if (request.options.dynamic)
    core::fail_input("jobs whose demand changes last as long as their log says, they cannot be programs");
  const auto& how = request.programs;
  mapping::check_ranks_per_node(request.machine, how.ranks_per_node);
  mapping::make_mapper(how.map);
  alloc::allocators().find(how.reference);
}

/// An allocator with books of its own would not hear of nodes that are out.
void check_failures(const ScheduleRequest& request) {
  netsim::Clock clock;
  alloc::FreeNodes free(request.machine);
  const auto allocator = alloc::make_allocator(request.allocator, {free, nullptr, request.seed, &clock});
  if (allocator->local() == nullptr)
    core::fail_input("allocator '{}': keeps books of its own of the nodes, none of which may fail", request.allocator);
}

}  // namespace

ScheduleRequest::ScheduleRequest(const Machine& on_machine, const workloads::Jobs& of_jobs, std::string scheduler_spec,
                                 std::string allocator_spec)
    : machine(on_machine), jobs(of_jobs), scheduler(std::move(scheduler_spec)), allocator(std::move(allocator_spec)) {}

core::Json result_json(const ScheduleResult& result) {
  auto json = totals_json(result.totals);
  for (const auto& figure : result.figures) json["allocator"][figure.name] = figure.value;
  for (const auto& figure : result.epochs) json["epochs"][figure.name] = figure.value;
  if (!result.link_loads.is_null()) json["link_loads"] = result.link_loads;
  return json;
}

void check(const ScheduleRequest& request) {
  schedulers().find(request.scheduler);
  alloc::allocators().find(request.allocator);
  if (const auto engine = engine_of(request); !engine.empty()) netsim::load_engine(engine);
  if (request.times != ScheduleRequest::Times::logged) check_programs(request);
  if (request.options.failures.mtbf > 0) check_failures(request);
}

void check_jobs(const ScheduleRequest& request) {
  if (request.times == ScheduleRequest::Times::logged) return;
  const auto nodes = static_cast<std::int32_t>(request.machine.compute_nodes().size());
  Programs(request.programs.rules, request.seed).check(request.jobs, nodes, request.programs.ranks_per_node);
}

ScheduleResult run_schedule(const ScheduleRequest& request) {
  check(request);
  if (!request.jobs_are_checked) check_jobs(request);
  netsim::Clock clock;
  const auto engine = engine_of(request);
  const bool replays = request.times == ScheduleRequest::Times::replayed;
  const auto network = engine.empty() ? nullptr : netsim::engines().make(engine, request.machine, clock);
  if (network && request.programs.alone && engine_alone(request) != engine && !network->why_not_shared().empty())
    core::fail_input("engine '{}': {}, while jobs are alone on fluid; expected --no-alone", engine,
                     network->why_not_shared());
  alloc::FreeNodes free(request.machine);
  const auto allocator = alloc::make_allocator(request.allocator, {free, network.get(), request.seed, &clock});
  std::optional<NodeFailures> failures;
  if (request.options.failures.mtbf > 0)
    failures.emplace(request.options.failures, request.machine, clock, request.seed);
  const auto scheduler = schedulers().make(request.scheduler);
  netsim::LinkUsage usage(request.machine);  // in epochs; else the network has one
  usage.measure_windows(request.windows);
  if (replays && request.windows > 0) network->measure_windows(request.windows);
  if (network && request.windows == 0) network->ignore_links();
  const Workers workers(request, network.get(), request.windows > 0 ? &usage : nullptr);
  TotalsObserver totals(request.machine);
  std::vector<Observer*> observers{&totals};
  observers.insert(observers.end(), request.observers.begin(), request.observers.end());
  const Parts parts{request.jobs,
                    *scheduler,
                    free,
                    *allocator,
                    clock,
                    std::move(observers),
                    workers.worker.get(),
                    failures ? &*failures : nullptr};
  Loop(parts, request.options).run();
  ScheduleResult result{totals.totals(), allocator->figures(), {}, {}};
  if (workers.worker) result.epochs = workers.worker->figures();
  if (request.windows > 0)
    result.link_loads =
        link_loads_json(replays ? network->usage() : usage, request.machine, Time(result.totals.last_end));
  return result;
}

}  // namespace toroid::cosim
