// Sparse, large problems: hop-bytes and CPU time of the mappers beside Scotch's, in one table.
//
//   sparse_mapping [--map SPEC]... [--repeat N] [--seeds N]
//
// The job is the miniGhost stencil of 4,096 ranks, 16x32x8. It has a torus of its own, or 4,096 nodes of the 4,608 of a
// torus like Cielo's, scattered at random, or 2,048 of them with two ranks each. Each is asked twice: with the ranks in
// the job's natural order, which favours mappers that go by it, and renumbered at random with several seeds, which
// favours none; those figures are means. Times are CPU seconds of the mapper
// alone, its preparation of the traffic and the distances included, the least of several runs; the pass over the trace
// is not, it is the same for all.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "bench/measure.hpp"
#include "bench/renumber.hpp"
#include "core/table.hpp"
#include "mapping/mapper.hpp"
#include "workloads/trace.hpp"

namespace {

using namespace toroid;

double hop_bytes_of(const mapping::Mapping& mapping, const mapping::MappingProblem& problem) {
  double sum = 0;
  const auto& rows = problem.traffic.matrix().rows;
  for (const auto from : rows.ids())
    for (const auto& cell : rows[from])
      sum += static_cast<double>(cell.bytes) * problem.machine.hops(mapping[from], mapping[cell.to]);
  return sum;
}

/// What a mapper makes of a problem.
struct Figures {
  double cost = 0, seconds = 0;
};

Figures measure(const std::string& spec, const mapping::MappingProblem& problem, int repeat) {
  double seconds = 1e300;
  mapping::Mapping mapping;
  for (int i = 0; i < repeat && (i == 0 || seconds < 2); ++i) {
    const double before = bench::cpu_seconds();
    mapping = mapping::make_mapping(spec, problem);
    seconds = std::min(seconds, bench::cpu_seconds() - before);
  }
  return {hop_bytes_of(mapping, problem), seconds};
}

/// Means over the traffics, all of which carry the same bytes.
void compare(const std::string& title, const platforms::Machine& machine, const std::vector<platforms::NodeId>& slots,
             const std::vector<std::unique_ptr<mapping::Traffic>>& traffics, const std::vector<std::string>& mappers,
             int repeat) {
  const auto bytes = static_cast<double>(traffics.front()->matrix().total_bytes());
  const auto count = static_cast<double>(traffics.size());
  core::Table table({"mapper", "hop-bytes", "hops per byte", "to Scotch", "CPU s", "time to Scotch"});
  Figures scotch;
  for (const auto& spec : mappers) {
    Figures mean;
    for (const auto& traffic : traffics) {
      const auto one = measure(spec, {machine, slots, *traffic}, repeat);
      mean.cost += one.cost / count;
      mean.seconds += one.seconds / count;
    }
    if (scotch.cost == 0) scotch = mean;
    table.add({spec, fmt::format("{:.0f}", mean.cost), fmt::format("{:.4f}", mean.cost / bytes),
               fmt::format("{:.3f}", mean.cost / scotch.cost), fmt::format("{:.4f}", mean.seconds),
               fmt::format("{:.2f}", mean.seconds / scotch.seconds)});
  }
  fmt::print("\n{}\n{}", title, table.text());
}

/// `count` slots, `each` on nodes drawn at random.
std::vector<platforms::NodeId> scattered(const platforms::Machine& machine, std::size_t count, std::size_t each) {
  auto nodes = mapping::all_nodes(machine);
  core::Random(1, "sparse_mapping").shuffle(nodes);
  nodes.resize(count / each);
  std::sort(nodes.begin(), nodes.end());
  std::vector<platforms::NodeId> slots;
  for (const auto node : nodes) slots.insert(slots.end(), each, node);
  return slots;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"mappers on sparse, large problems"};
  std::vector<std::string> specs{"scotch",      "scotch:strategy=quality",
                                 "consecutive", "rcm",
                                 "spectral",    "bisect",
                                 "greedy",      "greedyallc",
                                 "geom",        "mj",
                                 "gsearch"};
  std::vector<std::string> more;
  int repeat = 5, seeds = 3;
  app.add_option("--map", more, "mappers besides the usual");
  app.add_option("--repeat", repeat, "runs of which the fastest counts");
  app.add_option("--seeds", seeds, "random numberings of the ranks")->check(CLI::Range(1, 1000));
  CLI11_PARSE(app, argc, argv);
  specs.insert(specs.end(), more.begin(), more.end());
  try {
    const auto trace = workloads::generators().make("stencil:grid=16x32x8");
    using Traffics = std::vector<std::unique_ptr<mapping::Traffic>>;
    Traffics natural, renamed;
    natural.push_back(std::make_unique<mapping::Traffic>(*trace));
    for (int seed = 1; seed <= seeds; ++seed)
      renamed.push_back(std::make_unique<mapping::Traffic>(
          bench::renumbered(natural.front()->matrix(), static_cast<std::uint64_t>(seed))));
    const auto torus = platforms::make_machine("torus:16x16x16"), cielo = platforms::make_machine("torus:16x12x24");
    const auto compare_on = [&](const std::string& title, const platforms::Machine& machine,
                                const std::vector<platforms::NodeId>& slots) {
      compare(title + ", ranks in natural order", machine, slots, natural, specs, repeat);
      compare(fmt::format("{}, ranks renumbered with {} seeds", title, seeds), machine, slots, renamed, specs, repeat);
    };
    compare_on("torus:16x16x16, all nodes", torus, mapping::all_nodes(torus));
    compare_on("torus:16x12x24, 4,096 of 4,608 nodes, scattered", cielo, scattered(cielo, 4096, 1));
    compare_on("torus:16x12x24, 2,048 nodes with two ranks each, scattered", cielo, scattered(cielo, 4096, 2));
  } catch (const std::exception& error) {
    fmt::print(stderr, "sparse_mapping: {}\n", error.what());
    return 1;
  }
}
