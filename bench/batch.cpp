// What a run costs more in `toroid batch`, and in Python, than in a program of the library: the same 1,000 runs by
// each, one after the other, in CPU seconds of the whole process.
//
//   batch [TRACE@MACHINE...]     the runs, by the engine fluid, each in another random order
//
// "times" is a batch whose results have their run times alone (--fields).

#include <fmt/format.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases.hpp"
#include "bench/measure.hpp"
#include "mapping/mapper.hpp"
#include "netsim/run.hpp"
#include "platforms/load.hpp"
#include "workloads/trace_source.hpp"

namespace {

using namespace toroid;

constexpr std::uint64_t runs = 1000;

struct Case {
  std::string trace, machine;
};

const std::vector<Case> usual_cases{{"stencil:grid=2x2,steps=1", "mesh:2x2"},
                                    {"stencil:grid=4x4x4,steps=1", "torus:4x4x4"},
                                    {"stencil:grid=4x4x4", "torus:4x4x4"},
                                    {"cg:class=S,ranks=16,iterations=1", "torus:4x4"}};

/// The runs by the library: machine and trace once, then mapping and run.
int by_library(const Case& c) {
  const auto machine = platforms::make_machine(c.machine);
  const auto trace = workloads::open_trace(c.trace);
  const auto mapper = mapping::MapperChoice("random").make();
  const netsim::ReplayOptions options;
  const mapping::Traffic traffic(*trace, options.collectives, mapping::MatrixKind::expanded);
  const mapping::Program program{*trace, options};
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto nodes = mapping::make_mapping(*mapper, {machine, mapping::all_nodes(machine), traffic, seed, &program});
    if (!(netsim::run({machine, *trace, nodes, options, "fluid", false, 64}).runtime > 0)) return 1;
  }
  return 0;
}

int by_batch(const std::string& file) {
  ::execl(TOROID_COMMAND, "toroid", "batch", file.c_str(), "-o", "/dev/null", nullptr);
  return 127;
}

int by_batch_of_times(const std::string& file) {
  ::execl(TOROID_COMMAND, "toroid", "batch", file.c_str(), "-o", "/dev/null", "--fields", "runtime_s", nullptr);
  return 127;
}

int by_python(const Case& c) {
  const auto script = fmt::format(
      "import toroid\n"
      "machine, trace = toroid.machine('{}'), toroid.trace('{}')\n"
      "for seed in range({}):\n"
      "  toroid.simulate(machine, trace, toroid.map(machine, trace, 'random', seed=seed), engine='fluid')\n",
      c.machine, c.trace, runs);
  ::setenv("PYTHONPATH", TOROID_MODULE, 1);
  ::execlp(TOROID_PYTHON, "python3", "-c", script.c_str(), nullptr);
  return 127;
}

void measure(const Case& c) {
  const std::string file = fmt::format("/tmp/toroid-batch-{}.jsonl", ::getpid());
  {
    std::ofstream lines(file);
    for (std::uint64_t seed = 0; seed < runs; ++seed)
      lines << fmt::format(R"({{"platform": "{}", "trace": "{}", "engine": "fluid", "map": "random", "seed": {}}})"
                           "\n",
                           c.machine, c.trace, seed);
  }
  const auto library = bench::measure([&] { return by_library(c); });
  const auto batch = bench::measure([&] { return by_batch(file); });
  const auto times = bench::measure([&] { return by_batch_of_times(file); });
  const auto python = bench::measure([&] { return by_python(c); });
  ::unlink(file.c_str());
  fmt::print("{:<34} {:<12} {:10.3f}", c.trace, c.machine, library.cpu_s);
  for (const auto& other : {batch, times, python})
    fmt::print(" {:10.3f} {:7.2f}", other.cpu_s, other.cpu_s / library.cpu_s);
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    std::vector<Case> cases;
    for (auto& [trace, machine] : bench::traces_on_machines(count, arguments))
      cases.push_back({std::move(trace), std::move(machine)});
    fmt::print("{} runs\n{:<34} {:<12} {:>10} {:>10} {:>7} {:>10} {:>7} {:>10} {:>7}\n", runs, "trace", "machine",
               "library, s", "batch, s", "ratio", "times, s", "ratio", "Python, s", "ratio");
    for (const auto& c : cases.empty() ? usual_cases : cases) measure(c);
  } catch (const std::exception& error) {
    fmt::print(stderr, "batch: {}\n", error.what());
    return 1;
  }
}
