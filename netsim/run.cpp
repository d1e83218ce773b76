#include "netsim/run.hpp"

#include <fmt/format.h>

#include <limits>

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/simulation.hpp"
#include "netsim/work.hpp"

namespace toroid::netsim {

void check_mapping(const Mapping& mapping, const workloads::Trace& trace, const Machine& machine) {
  if (mapping.size() != static_cast<std::size_t>(trace.ranks()))
    core::fail_input("the mapping has {} nodes for {} ranks", mapping.size(), trace.ranks());
  for (const NodeId node : mapping)
    if (node < 0 || node.value() >= machine.node_count())
      core::fail_input("the mapping names node {}; {} has nodes 0 to {}", node, machine.name(),
                       machine.node_count() - 1);
    else if (!machine.computes(node))
      core::fail_input("the mapping names node {} of {}, which does not compute", node, machine.name());
  core::IdVector<NodeId, std::int32_t> ranks_on(machine.node_count(), 0);
  const auto cores = machine.parameters().cores;
  for (const NodeId node : mapping)
    if (++ranks_on[node] > cores)
      core::fail_input("the mapping names node {} more than {} times; {} allows 1 to {} ranks per node (its cores)",
                       node, cores, machine.name(), cores);
}

std::string_view untold_by_samples(const RunRequest& request) {
  const auto& o = request.options;
  if (o.log_causes || o.keep_messages) return "the steps of the critical path";
  if (o.activity_windows > 0 || request.keep_windows) return "what ranks and links do over time";
  if (o.keep_timeline) return "single calls and messages";
  if (!request.changes.changes.empty()) return "what happens at a time";
  return {};
}

namespace {

void check_sampling(const RunRequest& request) {
  if (request.options.repeats != Repeats::sample) return;
  if (const auto what = untold_by_samples(request); !what.empty())
    core::fail_input("--repeats sample leaves iterations out and cannot tell {}; expected exact or off", what);
}

// In units of CountsWork.
constexpr double work_of_a_run = 10'000, work_of_a_link = 20, work_of_a_rank = 500, work_of_a_message = 150;
constexpr double uncounted_work_of_a_message = 2000;  // of an engine that does not count

/// The messages but those of iterations that were passed over.
double simulated_messages(const Result& result) {
  auto messages = result.messages;
  for (const auto& iterations : result.repeated) messages -= iterations.messages;
  return static_cast<double>(messages);
}

void give_up_beyond(double most_work, Clock& clock, const CountsWork& engine) {
  if (most_work == std::numeric_limits<double>::infinity()) return;
  clock.after_instant([&engine, most_work] {
    if (engine.work() > most_work)
      throw core::SimulationError(fmt::format("a simulation takes more than {:.1f} million steps", most_work / 1e6));
  });
}

CountedRun run_as_it_is(const RunRequest& request, double most_work) {
  Clock clock;
  const auto network = request.engine.make(request.machine, clock);
  if (request.profile) network->enable_profile();
  network->measure_windows(request.windows);
  const MachineChanger changer(*network, request.changes);
  Simulation simulation(*network);
  ReplayReport report;
  simulation.on_end([&](Simulation::JobEnd end) { report = std::move(end.report); });
  simulation.add({&request.trace, request.mapping, request.options});
  simulation.pass_over_repeats();
  const auto* engine = dynamic_cast<const CountsWork*>(network.get());
  if (engine != nullptr) give_up_beyond(most_work, clock, *engine);
  simulation.run();
  auto result = make_result(*network, std::move(report), request.keep_windows);
  if (request.profile) result.profile = network->profile();
  return {std::move(result), engine == nullptr ? 0 : engine->work()};
}

/// Iterations are left out of a sample only if all of them do the same; a program in which they do not may fail.
CountedRun run_here(const RunRequest& request, double most_work) {
  check_mapping(request.mapping, request.trace, request.machine);
  check_sampling(request);
  if (request.options.repeats != Repeats::sample) return run_as_it_is(request, most_work);
  try {
    return run_as_it_is(request, most_work);
  } catch (const core::SimulationError&) {
    auto whole = request;
    whole.options.repeats = Repeats::exact;
    auto run = run_as_it_is(whole, most_work);
    run.result.sampled =
        SampledIterations{.wanted = request.options.sampling_width,
                          .why_whole = "without the iterations that a sample leaves out the program fails"};
    return run;
  }
}

}  // namespace

Result run_in_process(const RunRequest& request) {
  return run_here(request, std::numeric_limits<double>::infinity()).result;
}

CountedRun run_counted(const RunRequest& request, double most_work) {
  const bool counts = !load(request.engine).own_process;
  auto run = counts ? run_here(request, most_work) : CountedRun{netsim::run(request)};
  const double each = counts ? work_of_a_message : uncounted_work_of_a_message;
  run.work += work_of_a_run + work_of_a_link * static_cast<double>(request.machine.link_count()) +
              work_of_a_rank * static_cast<double>(request.mapping.size()) + each * simulated_messages(run.result);
  return run;
}

double least_work(std::uint64_t messages) {
  return work_of_a_run + work_of_a_message * static_cast<double>(messages);
}

Result run(const RunRequest& request, core::Progress* bar) {
  check_engine_for(request.changes, request.engine);
  auto watched = request;
  if (!load(request.engine).own_process) {
    if (bar != nullptr) watched.options.progress = [bar](std::uint64_t operations) { bar->update(operations); };
    return run_in_process(watched);
  }
  return unpacked(core::run_isolated(
      [&](std::uint64_t& progress) {
        watched.options.progress = [&progress](std::uint64_t operations) { progress = operations; };
        return packed(run_in_process(watched));
      },
      bar));
}

}  // namespace toroid::netsim
