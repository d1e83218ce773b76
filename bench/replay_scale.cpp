// How the replay grows: stencils of 64 to 4,096 ranks, each rank on a node of its own, in time and memory. The last
// columns are ratios to the first row: flat is ideal for what is given per message and per rank.
//
//   replay_scale [--engine simgrid] [--steps 10]

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <numeric>

#include "bench/measure.hpp"
#include "core/table.hpp"
#include "netsim/run.hpp"
#include "workloads/summary.hpp"

namespace {

using namespace toroid;

struct Case {
  const char* ranks;
  const char* machine;
};

void run_case(const std::string& machine_spec, const workloads::Trace& trace, const std::string& engine) {
  const auto machine = platforms::make_machine(machine_spec);
  std::vector<platforms::NodeId> placement(static_cast<std::size_t>(trace.ranks()));
  std::iota(placement.begin(), placement.end(), 0);
  netsim::run({machine, trace, placement, {.compute_scale = 1}, engine});
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
    core::Table table({"ranks", "machine", "messages", "CPU s", "memory MB", "us per message", "times the first"});
    double first = 0;
    for (const Case c : {Case{"4x4x4", "torus:4x4x4"}, {"8x8x8", "torus:8x8x8"}, {"16x16x16", "torus:16x16x16"}}) {
      const auto trace = workloads::open_trace(
          fmt::format("stencil:grid={},steps={},bytes=8KiB,flops=100kf,periodic=yes", c.ranks, steps));
      const auto messages = workloads::communication_matrix(*trace, {}).total_messages();
      const auto cost = bench::measure([&] {
        run_case(c.machine, *trace, engine);
        return 0;
      });
      const double each = 1e6 * cost.cpu_s / static_cast<double>(messages);
      if (first == 0) first = each;
      table.add({std::to_string(trace->ranks()), c.machine, std::to_string(messages), fmt::format("{:.2f}", cost.cpu_s),
                 fmt::format("{:.0f}", cost.memory_mb), fmt::format("{:.2f}", each),
                 fmt::format("{:.2f}", each / first)});
    }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "replay_scale: {}\n", error.what());
    return 1;
  }
}
