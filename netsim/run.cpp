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

namespace {

/// Throws InputError if the result is to tell what is not known of iterations that are left out of a sample.
void check_sampling(const RunRequest& request) {
  const auto& o = request.options;
  if (o.repeats != Repeats::sample) return;
  const auto refuse = [](bool wanted, std::string_view what) {
    if (wanted)
      core::fail_input("--repeats sample leaves iterations out and cannot tell {}; expected exact or off", what);
  };
  refuse(o.log_causes || o.keep_messages, "the steps of the critical path");
  refuse(o.activity_windows > 0 || request.keep_windows, "what ranks and links do over time");
  refuse(o.keep_timeline, "single calls and messages");
  refuse(!request.changes.changes.empty(), "what happens at a time");
}

Result run_as_it_is(const RunRequest& request) {
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

}  // namespace

Result run_in_process(const RunRequest& request) {
  check_mapping(request.mapping, request.trace, request.machine);
  check_sampling(request);
  if (request.options.repeats != Repeats::sample) return run_as_it_is(request);
  try {
    return run_as_it_is(request);
  } catch (const core::SimulationError&) {  // perhaps because iterations were left out that are no iterations
    auto whole = request;
    whole.options.repeats = Repeats::exact;
    auto result = run_as_it_is(whole);
    result.sampled =
        SampledIterations{.wanted = request.options.sampling_width,
                          .why_whole = "without the iterations that a sample leaves out the program fails"};
    return result;
  }
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
