// What a run costs more in `toroid batch`, and in Python, than in a program of the library: the same 1,000 runs by
// each, in CPU seconds of the whole process, several times in turn; the least counts, as other work on the computer
// only adds to it.
//
//   batch [TRACE@MACHINE...]     the runs, by the engine fluid, each in another random order
//
// "times" is a batch whose results have their run times alone (--fields). The seconds until Python has loaded the
// module and numpy stand beside those of its runs, which do not have them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/cases.hpp"
#include "bench/measure.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace {

using namespace toroid;

constexpr std::uint64_t runs = 1000;
constexpr int turns = 5;

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
    if (!(netsim::run({machine, *trace, nodes, options, "fluid", 64}).runtime > 0)) return 1;
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

int by_python(const Case& c, std::uint64_t count) {
  const auto script = fmt::format(
      "import numpy, toroid\n"
      "machine, trace = toroid.machine('{}'), toroid.trace('{}')\n"
      "for seed in range({}):\n"
      "  toroid.simulate(machine, trace, toroid.map(machine, trace, 'random', seed=seed), engine='fluid')\n",
      c.machine, c.trace, count);
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
  enum Way { library, batch, times, python_start, python, ways };
  std::array<double, ways> least{};
  least.fill(std::numeric_limits<double>::infinity());
  const auto take = [&](Way way, const auto& work) { least[way] = std::min(least[way], bench::measure(work).cpu_s); };
  for (int turn = 0; turn < turns; ++turn) {
    take(library, [&] { return by_library(c); });
    take(batch, [&] { return by_batch(file); });
    take(times, [&] { return by_batch_of_times(file); });
    take(python_start, [&] { return by_python(c, 0); });
    take(python, [&] { return by_python(c, runs); });
  }
  ::unlink(file.c_str());
  least[python] -= least[python_start];
  fmt::print("{:<34} {:<12} {:10.3f}", c.trace, c.machine, least[library]);
  for (const auto way : {batch, times, python})
    fmt::print(" {:10.3f} {:7.2f}", least[way], least[way] / least[library]);
  fmt::print(" {:10.3f}\n", least[python_start]);
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    std::vector<Case> cases;
    for (auto& [trace, machine] : bench::traces_on_machines(count, arguments))
      cases.push_back({std::move(trace), std::move(machine)});
    fmt::print("{} runs\n{:<34} {:<12} {:>10} {:>10} {:>7} {:>10} {:>7} {:>10} {:>7} {:>10}\n", runs, "trace",
               "machine", "library, s", "batch, s", "ratio", "times, s", "ratio", "Python, s", "ratio", "start, s");
    for (const auto& c : cases.empty() ? usual_cases : cases) measure(c);
  } catch (const std::exception& error) {
    fmt::print(stderr, "batch: {}\n", error.what());
    return 1;
  }
}
