#include "netsim/run.hpp"

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/simulation.hpp"

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

Result run_in_process(const RunRequest& request) {
  check_mapping(request.mapping, request.trace, request.machine);
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
  simulation.run();
  auto result = make_result(*network, std::move(report), request.keep_windows);
  if (request.profile) result.profile = network->profile();
  return result;
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
