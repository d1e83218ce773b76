// The replay of whole programs: iterations that repeat, and ranks of growing number.

#include <cmath>

#include "bench/speed/parts.hpp"
#include "core/random.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::bench {
namespace {

using netsim::Repeats;

netsim::Mapping in_order(std::int32_t ranks) {
  netsim::Mapping mapping;
  for (const auto node : core::ids<platforms::NodeId>(ranks)) mapping.add(node);
  return mapping;
}

/// CPU seconds of a run whose ranks lie in random order, and its run time.
std::pair<double, double> timed(const platforms::Machine& machine, const workloads::Trace& trace, Repeats repeats,
                                const std::string& engine) {
  std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
  core::Random(1, "repeats").shuffle(nodes);
  nodes.resize(static_cast<std::size_t>(trace.ranks()));
  double runtime = 0;
  const double seconds = cpu_seconds_of([&] {
    runtime =
        netsim::run({machine, trace, netsim::Mapping(nodes), {.compute_scale = 1, .repeats = repeats}, engine}).runtime;
  });
  return {seconds, runtime};
}

}  // namespace

/// What passing over iterations that repeat saves, and what looking for them costs where they do not. SimGrid simulates
/// every iteration: it has a twentieth of the steps, and its time is taken twenty times.
void measure_repeats(const SpeedOptions& o) {
  struct Case {
    const char *trace, *machine;
    int steps = 0;  ///< programs that stand beside SimGrid have so many
  };
  static constexpr std::array cases{Case{"stencil:grid=4x4x4", "torus:4x4x4", 1000},
                                    Case{"stencil:grid=16x16", "torus:16x16", 1000},
                                    Case{"stencil:grid=8x8x8", "torus:8x8x8", 1000},
                                    Case{"stencil:grid=4x4x4", "torus:4x4x4", 10000},
                                    Case{"lu:class=B,ranks=64", "torus:8x8"},
                                    Case{"lulesh:ranks=64,steps=300", "torus:4x4x4"},
                                    Case{"minighost:ranks=512,steps=100", "torus:8x8x8"},
                                    Case{"cg:class=A,ranks=64", "torus:8x8"}};
  constexpr int part = 20;
  core::Table table({"program", "machine", "simgrid, CPU s", "fluid --repeats off", "exact", "exact differs by",
                     "simgrid over exact"});
  for (const auto& c : o.of(cases)) {
    const auto machine = platforms::make_machine(c.machine);
    const auto program = [&](int steps) {
      if (o.small) return workloads::open_trace("stencil:grid=4x4x4,steps=20");
      return workloads::open_trace(steps == 0 ? c.trace : fmt::format("{},steps={}", c.trace, steps));
    };
    const auto trace = program(c.steps);
    const auto [off_s, off] = timed(machine, *trace, Repeats::off, "fluid");
    const auto [exact_s, exact] = timed(machine, *trace, Repeats::exact, "fluid");
    const double simgrid_s =
        c.steps > 0 ? part * timed(machine, *program(c.steps / part), Repeats::off, "simgrid").first : 0;
    table.add({c.steps > 0 ? fmt::format("{},steps={}", c.trace, c.steps) : c.trace, c.machine,
               c.steps > 0 ? fmt::format("{:.2f}", simgrid_s) : "", fmt::format("{:.2f}", off_s),
               fmt::format("{:.3f}", exact_s), fmt::format("{:.1e}", std::abs(exact / off - 1)),
               c.steps > 0 ? fmt::format("{:.0f}", simgrid_s / exact_s) : ""});
  }
  print(table);
}

/// Stencils of growing size, each rank on a node of its own. The process without the machine and the run is not
/// counted.
void measure_sizes(const SpeedOptions& o) {
  core::Table table(
      {"ranks", "machine", "messages", "fluid, us per message", "memory, kB per rank", "simgrid, us per message"});
  for (const std::string shape : o.of(std::array{"8x8x8", "16x16x16", "32x32x32", "46x46x46"})) {
    const auto trace = workloads::open_trace(
        fmt::format("stencil:grid={},steps={},bytes=8KiB,flops=100kf,periodic=yes", shape, o.small ? 1 : 10));
    const auto messages = workloads::communication_matrix(*trace, {}).total_messages();
    const auto run = [&](const std::string& engine) {
      return measure([&] {
        netsim::run({platforms::make_machine("torus:" + shape),
                     *trace,
                     in_order(trace->ranks()),
                     {.compute_scale = 1, .repeats = Repeats::off},
                     engine});
        return 0;
      });
    };
    const auto each = [&](const Measured& cost) {
      return fmt::format("{:.1f}", 1e6 * cost.cpu_s / static_cast<double>(messages));
    };
    const auto idle = measure([] { return 0; }), fluid = run("fluid");
    table.add({std::to_string(trace->ranks()), "torus:" + shape, std::to_string(messages), each(fluid),
               fmt::format("{:.0f}", 1024 * (fluid.memory_mb - idle.memory_mb) / trace->ranks()),
               shape == "8x8x8" ? each(run("simgrid")) : ""});
  }
  print(table);
}

}  // namespace toroid::bench
