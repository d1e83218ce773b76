// Mappers side by side: the hops per byte that they reach, and their CPU time.
//
//   map_quality torus:16x16x16 stencil:grid=16x16x16,periodic=yes consecutive anneal "refine:base=(random)"
//
// Ranks are renumbered at random first (unless --keep-order), so that nobody gains by the order they come in.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/measure.hpp"
#include "bench/renumber.hpp"
#include "core/table.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/workloads/collectives/choice.hpp"
#include "toroid/workloads/trace_source.hpp"

using namespace toroid;

int main(int argc, char** argv) {
  CLI::App app{"mappers side by side"};
  std::string platform, trace_spec;
  std::vector<std::string> specs;
  std::uint64_t seed = 1;
  bool keep_order = false;
  app.add_option("platform", platform)->required();
  app.add_option("trace", trace_spec)->required();
  app.add_option("mappers", specs)->required();
  app.add_option("--seed", seed)->capture_default_str();
  app.add_flag("--keep-order", keep_order);
  CLI11_PARSE(app, argc, argv);
  try {
    const auto machine = platforms::make_machine(platform);
    const auto trace = workloads::open_trace(trace_spec);
    const auto given = workloads::communication_matrix(*trace, {});
    const auto matrix = keep_order ? given : bench::renumbered(given, seed);
    const mapping::Traffic traffic(matrix);
    const mapping::MappingProblem problem{machine, mapping::all_nodes(machine), traffic, seed};
    core::Table table({"mapper", "hops per byte", "CPU s"});
    for (const auto& spec : specs) {
      double hop_bytes = 0;
      const double start = bench::cpu_seconds();
      const auto nodes = mapping::make_mapping(spec, problem);
      const double seconds = bench::cpu_seconds() - start;
      for (const auto from : matrix.rows.ids())
        for (const auto& cell : matrix.rows[from])
          hop_bytes += static_cast<double>(cell.bytes) * machine.hops(nodes[from], nodes[cell.to]);
      table.add({spec, fmt::format("{:.4f}", hop_bytes / static_cast<double>(matrix.total_bytes())),
                 fmt::format("{:.2f}", seconds)});
    }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "map_quality: {}\n", error.what());
    return 1;
  }
}
