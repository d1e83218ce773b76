#include "netsim/run.hpp"

#include "core/error.hpp"
#include "core/isolate.hpp"
#include "netsim/result.hpp"
#include "netsim/simulation.hpp"

namespace toroid::netsim {
namespace {

core::Json run_here(const RunRequest& request, std::uint64_t& progress) {
  const auto spec = core::Spec::parse(request.engine);
  const auto network = engines().find(spec).make(request.machine, spec);
  Simulation simulation(*network);
  auto options = request.options;
  options.progress = &progress;
  const auto job = simulation.add({&request.trace, request.placement, options});
  simulation.run();
  auto result = result_json(*network, simulation.report(job));
  core::Json settings;
  for (const auto& [key, value] : network->settings()) settings[key] = value;
  result["engine_settings"] = settings;
  return result;
}

}  // namespace

core::Json run(const RunRequest& request, core::Progress* bar) {
  engines().find(core::Spec::parse(request.engine));
  if (request.placement.size() != static_cast<std::size_t>(request.trace.ranks()))
    core::fail_input("the placement has {} nodes for {} ranks", request.placement.size(), request.trace.ranks());
  for (const NodeId node : request.placement)
    if (node < 0 || node >= request.machine.node_count())
      core::fail_input("the placement names node {}; {} has nodes 0 to {}", node, request.machine.name(),
                       request.machine.node_count() - 1);
  const auto bytes = core::run_isolated(
      [&](std::uint64_t& progress) {
        const auto packed = core::Json::to_cbor(run_here(request, progress));
        return std::string(packed.begin(), packed.end());
      },
      bar);
  return core::Json::from_cbor(bytes);
}

}  // namespace toroid::netsim
