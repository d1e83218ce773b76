// How long a machine takes to load, and how much memory, up to the largest that there are.
//
//   platform_load [PLATFORM...]
//
// Time per node should not grow with the machine.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/platforms/machine.hpp"

int main(int argc, char** argv) {
  using namespace toroid;
  CLI::App app{"time and memory to load a machine, and for a million routes"};
  std::vector<std::string> names{"torus:12x12x12",
                                 "torus:25x25x20",
                                 "torus:50x50x40",
                                 "torus:100x100x100",
                                 "torus:50x50x40,x.twist=z+20",
                                 "torus:50x50x40,failed-links=0-1",
                                 "torus:50x50x40,x.cabling=folded,nodes-per-router=2"};
  for (const auto& name : platforms::preset_names()) names.push_back(name);
  app.add_option("PLATFORM", names, "machines, instead of some tori and all presets");
  CLI11_PARSE(app, argc, argv);
  core::Table table({"machine", "nodes", "load CPU s", "ns/node", "MB", "million routes CPU s"});
  for (const auto& name : names) {
    const auto m = platforms::describe(name);
    std::int64_t count = m.nodes_per_router;
    for (const auto& dimension : m.dimensions) count *= dimension.extent;
    const auto load = bench::measure([&] { return platforms::make_machine(name).node_count() > 0 ? 0 : 1; });
    const auto routes = bench::measure([&] {
      const auto machine = platforms::make_machine(name);
      const auto nodes = machine.compute_nodes();
      core::Random random(1, "routes");
      std::int64_t links = 0;
      for (int i = 0; i < 1000000; ++i)
        machine.for_each_link(nodes[random.below(nodes.size())], nodes[random.below(nodes.size())],
                              [&](platforms::LinkId) { ++links; });
      return links > 0 ? 0 : 1;
    });
    table.add({name, std::to_string(count), fmt::format("{:.3f}", load.cpu_s),
               fmt::format("{:.0f}", 1e9 * load.cpu_s / static_cast<double>(count)),
               fmt::format("{:.0f}", load.memory_mb), fmt::format("{:.2f}", routes.cpu_s)});
  }
  fmt::print("{}", table.text());
}
