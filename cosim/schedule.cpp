#include "cosim/schedule.hpp"

#include "core/error.hpp"
#include "netsim/network.hpp"

namespace toroid::cosim {

namespace {

/// The spec of the engine, or nothing if there is to be no network.
std::string engine_of(const ScheduleRequest& request) {
  return request.engine.empty() && request.replayed ? "fluid" : request.engine;
}

std::unique_ptr<netsim::Network> make_network(const ScheduleRequest& request, netsim::Clock& clock) {
  const auto engine = engine_of(request);
  if (engine.empty()) return nullptr;
  if (netsim::load_engine(engine).own_process)
    core::fail_input("engine '{}': needs a process of its own, expected one that does not, such as fluid", engine);
  return netsim::engines().make(engine, request.machine, clock);
}

std::unique_ptr<Worker> make_worker(const ScheduleRequest& request, netsim::Network* network) {
  if (!request.replayed) return nullptr;
  if (request.options.dynamic)
    core::fail_input("jobs whose demand changes last as long as their log says, they cannot be replayed");
  auto worker = std::make_unique<Replayed>(*request.replayed, *network, engine_of(request), request.seed);
  worker->programs().check(request.jobs, static_cast<std::int32_t>(request.machine.compute_nodes().size()),
                           request.replayed->ranks_per_node);
  return worker;
}

}  // namespace

core::Json result_json(const ScheduleResult& result) {
  auto json = totals_json(result.totals);
  for (const auto& figure : result.figures) json["allocator"][figure.name] = figure.value;
  return json;
}

ScheduleResult run_schedule(const ScheduleRequest& request) {
  netsim::Clock clock;
  const auto network = make_network(request, clock);
  alloc::FreeNodes free(request.machine);
  const auto allocator = alloc::make_allocator(request.allocator, {free, network.get(), request.seed, &clock});
  const auto scheduler = schedulers().make(request.scheduler);
  const auto worker = make_worker(request, network.get());
  TotalsObserver totals(request.machine);
  std::vector<Observer*> observers{&totals};
  observers.insert(observers.end(), request.observers.begin(), request.observers.end());
  const Parts parts{request.jobs, *scheduler, free, *allocator, clock, std::move(observers), worker.get()};
  Loop(parts, request.options).run();
  return {totals.totals(), allocator->figures()};
}

}  // namespace toroid::cosim
