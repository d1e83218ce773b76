#include "netsim/run.hpp"

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/result.hpp"
#include "netsim/simulation.hpp"

namespace toroid::netsim {
namespace {

void check_placement(const RunRequest& request) {
  if (request.placement.size() != static_cast<std::size_t>(request.trace.ranks()))
    core::fail_input("the placement has {} nodes for {} ranks", request.placement.size(), request.trace.ranks());
  for (const NodeId node : request.placement)
    if (node < 0 || node >= request.machine.node_count())
      core::fail_input("the placement names node {}; {} has nodes 0 to {}", node, request.machine.name(),
                       request.machine.node_count() - 1);
}

}  // namespace

core::Json run_in_process(const RunRequest& request, std::uint64_t& progress) {
  check_placement(request);
  const auto spec = core::Spec::parse(request.engine);
  Clock clock;
  const auto network = engines().find(spec).make(request.machine, spec, clock);
  if (request.profile) network->enable_profile();
  network->measure_windows(request.windows);
  Simulation simulation(*network);
  auto options = request.options;
  options.progress = &progress;
  ReplayReport report;
  simulation.on_end([&](Simulation::JobEnd end) { report = std::move(end.report); });
  simulation.add({&request.trace, request.placement, options});
  simulation.run();
  auto result = result_json(*network, report);
  core::Json settings;
  for (const auto& [key, value] : network->settings()) settings[key] = value;
  result["engine_settings"] = settings;
  if (request.profile) {
    const auto& p = network->profile();
    result["profile"] = {{"replay_s", p.clients}, {"solver_s", p.solver}, {"events_s", p.total - p.clients - p.solver}};
  }
  return result;
}

core::Json run(const RunRequest& request, core::Progress* bar) {
  const auto bytes = core::run_isolated(
      [&](std::uint64_t& progress) {
        const auto packed = core::Json::to_cbor(run_in_process(request, progress));
        return std::string(packed.begin(), packed.end());
      },
      bar);
  return core::Json::from_cbor(bytes);
}

}  // namespace toroid::netsim
