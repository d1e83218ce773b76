#include "cosim/schedule.hpp"

#include "core/error.hpp"
#include "netsim/network.hpp"

namespace toroid::cosim {

namespace {

std::unique_ptr<netsim::Network> make_network(const ScheduleRequest& request, netsim::Clock& clock) {
  if (request.engine.empty()) return nullptr;
  if (netsim::load_engine(request.engine).own_process)
    core::fail_input("engine '{}': needs a process of its own, expected one that does not, such as fluid",
                     request.engine);
  return netsim::engines().make(request.engine, request.machine, clock);
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
  TotalsObserver totals(request.machine);
  std::vector<Observer*> observers{&totals};
  observers.insert(observers.end(), request.observers.begin(), request.observers.end());
  Loop(Parts{request.jobs, *scheduler, free, *allocator, clock, observers}, request.options).run();
  return {totals.totals(), allocator->figures()};
}

}  // namespace toroid::cosim
