#include "netsim/run.hpp"

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/simulation.hpp"

namespace toroid::netsim {
namespace {

void check_mapping(const RunRequest& request) {
  if (request.mapping.size() != static_cast<std::size_t>(request.trace.ranks()))
    core::fail_input("the mapping has {} nodes for {} ranks", request.mapping.size(), request.trace.ranks());
  for (const NodeId node : request.mapping)
    if (node < 0 || node.value() >= request.machine.node_count())
      core::fail_input("the mapping names node {}; {} has nodes 0 to {}", node, request.machine.name(),
                       request.machine.node_count() - 1);
    else if (!request.machine.computes(node))
      core::fail_input("the mapping names node {} of {}, which does not compute", node, request.machine.name());
}

}  // namespace

Result run_in_process(const RunRequest& request) {
  check_mapping(request);
  Clock clock;
  const auto network = engines().make(request.engine, request.machine, clock);
  if (request.profile) network->enable_profile();
  network->measure_windows(request.windows);
  Simulation simulation(*network);
  ReplayReport report;
  simulation.on_end([&](Simulation::JobEnd end) { report = std::move(end.report); });
  simulation.add({&request.trace, request.mapping, request.options});
  simulation.run();
  auto result = make_result(*network, std::move(report));
  if (request.profile) result.profile = network->profile();
  return result;
}

Result run(const RunRequest& request, core::Progress* bar) {
  auto watched = request;
  if (!load_engine(request.engine).own_process) {
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
