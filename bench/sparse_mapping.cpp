// Sparse, large problems: hop-bytes and CPU time of the mappers beside Scotch's, in one table.
//
//   sparse_mapping [--map SPEC]... [--repeat N]
//
// The job is the miniGhost stencil of 4,096 ranks, 16x32x8. It has a torus of its own, or 4,096 nodes of the 4,608 of a
// torus like Cielo's, scattered at random, or 2,048 of them with two ranks each. Times are CPU seconds of the mapper
// alone, its preparation of the traffic and the distances included, the least of several runs; the pass over the trace
// is not, it is the same for all.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>

#include "core/random.hpp"
#include "core/table.hpp"
#include "mapping/mapper.hpp"
#include "workloads/trace.hpp"

namespace {

using namespace toroid;

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double hop_bytes_of(const mapping::Mapping& mapping, const mapping::MappingProblem& problem) {
  double sum = 0;
  const auto& rows = problem.traffic.matrix().rows;
  for (std::size_t from = 0; from < rows.size(); ++from)
    for (const auto& cell : rows[from])
      sum += static_cast<double>(cell.bytes) *
             problem.machine.hops(mapping[from], mapping[static_cast<std::size_t>(cell.to)]);
  return sum;
}

void compare(const std::string& title, const mapping::MappingProblem& problem, const std::vector<std::string>& mappers,
             int repeat) {
  const auto bytes = static_cast<double>(problem.traffic.matrix().total_bytes());
  core::Table table({"mapper", "hop-bytes", "hops per byte", "to Scotch", "CPU s", "time to Scotch"});
  double scotch_cost = 0, scotch_s = 0;
  for (const auto& spec : mappers) {
    double seconds = 1e300;
    mapping::Mapping mapping;
    for (int i = 0; i < repeat && (i == 0 || seconds < 2); ++i) {
      const double before = cpu_seconds();
      mapping = mapping::make_mapping(spec, problem);
      seconds = std::min(seconds, cpu_seconds() - before);
    }
    const double cost = hop_bytes_of(mapping, problem);
    if (scotch_cost == 0) scotch_cost = cost, scotch_s = seconds;
    table.add({spec, fmt::format("{:.0f}", cost), fmt::format("{:.4f}", cost / bytes),
               fmt::format("{:.3f}", cost / scotch_cost), fmt::format("{:.4f}", seconds),
               fmt::format("{:.2f}", seconds / scotch_s)});
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
  int repeat = 5;
  app.add_option("--map", more, "mappers besides the usual");
  app.add_option("--repeat", repeat, "runs of which the fastest counts");
  CLI11_PARSE(app, argc, argv);
  specs.insert(specs.end(), more.begin(), more.end());
  try {
    const auto trace = workloads::generators().make("stencil:grid=16x32x8");
    const mapping::Traffic traffic(*trace);
    const auto torus = platforms::make_machine("torus:16x16x16");
    compare("torus:16x16x16, all nodes", {torus, mapping::all_nodes(torus), traffic}, specs, repeat);
    const auto cielo = platforms::make_machine("torus:16x12x24");
    compare("torus:16x12x24, 4,096 of 4,608 nodes, scattered", {cielo, scattered(cielo, 4096, 1), traffic}, specs,
            repeat);
    compare("torus:16x12x24, 2,048 nodes with two ranks each, scattered", {cielo, scattered(cielo, 4096, 2), traffic},
            specs, repeat);
  } catch (const std::exception& error) {
    fmt::print(stderr, "sparse_mapping: {}\n", error.what());
    return 1;
  }
}
