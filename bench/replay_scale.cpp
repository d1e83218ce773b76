// How the replay grows: stencils of 512 to 97,336 ranks (with simgrid to 4,096), each rank on a node of its own, in
// time and memory; the process without the machine and the run is not counted. Flat is ideal for what is given per
// message and per rank.
//
//   replay_scale [--engine simgrid] [--steps 10]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <numeric>

#include "bench/measure.hpp"
#include "core/table.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/summary.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace {

using namespace toroid;

struct Case {
  const char* ranks;
  const char* machine;
};

void run_case(const std::string& machine_spec, const workloads::Trace& trace, const std::string& engine) {
  const auto machine = platforms::make_machine(machine_spec);
  netsim::Mapping mapping;
  for (const auto node : core::ids<platforms::NodeId>(trace.ranks())) mapping.add(node);
  netsim::run({machine, trace, mapping, {.compute_scale = 1, .repeats = netsim::Repeats::off}, engine});
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"the replay of stencils of growing size"};
  std::string engine = "simgrid";
  int steps = 10;
  app.add_option("--engine", engine)->capture_default_str();
  app.add_option("--steps", steps)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    core::Table table(
        {"ranks", "machine", "messages", "CPU s", "us per message", "times the first", "MB", "KB per rank"});
    double first = 0;
    std::vector<Case> cases{{"8x8x8", "torus:8x8x8"}, {"16x16x16", "torus:16x16x16"}};
    if (engine.starts_with("simgrid"))
      cases.insert(cases.begin(), {"4x4x4", "torus:4x4x4"});
    else
      cases.insert(cases.end(), {{"32x32x32", "torus:32x32x32"}, {"46x46x46", "torus:46x46x46"}});
    for (const Case c : cases) {
      const auto trace = workloads::open_trace(
          fmt::format("stencil:grid={},steps={},bytes=8KiB,flops=100kf,periodic=yes", c.ranks, steps));
      const auto messages = workloads::communication_matrix(*trace, {}).total_messages();
      const auto idle = bench::measure([] { return 0; });
      const auto cost = bench::measure([&] {
        run_case(c.machine, *trace, engine);
        return 0;
      });
      const double each = 1e6 * cost.cpu_s / static_cast<double>(messages);
      if (first == 0) first = each;
      const double megabytes = cost.memory_mb - idle.memory_mb;
      table.add({std::to_string(trace->ranks()), c.machine, std::to_string(messages), fmt::format("{:.2f}", cost.cpu_s),
                 fmt::format("{:.2f}", each), fmt::format("{:.2f}", each / first), fmt::format("{:.0f}", megabytes),
                 fmt::format("{:.1f}", 1024 * megabytes / trace->ranks())});
    }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay_scale: {}\n", error.what());
    return 1;
  }
}
