// Runs of the command, of `toroid batch`, and of the module for Python, as whole processes.

#include <fcntl.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "bench/speed/parts.hpp"
#include "toroid/core/text.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace toroid::bench {
namespace {

Measured run_command(std::vector<std::string> words) {
  return measure([&] {
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::dup2(::open("/dev/null", O_WRONLY), STDOUT_FILENO);
    ::execvp(arguments[0], arguments.data());
    return 127;
  });
}

/// Runs by the library: machine and trace once, then mapping and run.
int by_library(const std::string& platform, const std::string& program, std::uint64_t runs) {
  const auto machine = platforms::make_machine(platform);
  const auto trace = workloads::open_trace(program);
  const auto mapper = mapping::MapperChoice("random").make();
  const netsim::ReplayOptions options;
  const mapping::Traffic traffic(*trace, options.collectives, mapping::MatrixKind::expanded);
  const mapping::Program job{*trace, options};
  for (std::uint64_t seed = 0; seed < runs; ++seed) {
    const auto nodes = mapping::make_mapping(*mapper, {machine, mapping::all_nodes(machine), traffic, seed, &job});
    if (!(netsim::run({machine, *trace, nodes, options, "fluid", 64}).runtime > 0)) return 1;
  }
  return 0;
}

Measured by_python(const std::string& platform, const std::string& program, std::uint64_t runs) {
  return run_command(
      {"env", "PYTHONPATH=" TOROID_MODULE, TOROID_PYTHON, "-c",
       fmt::format(
           "import numpy, toroid\n"
           "machine, trace = toroid.machine('{}'), toroid.trace('{}')\n"
           "for seed in range({}):\n"
           "  toroid.simulate(machine, trace, toroid.map(machine, trace, 'random', seed=seed), engine='fluid')\n",
           platform, program, runs)});
}

}  // namespace

/// Commands that take long; those with logs of the Parallel Workloads Archive need --data.
void measure_commands(const SpeedOptions& o) {
  std::vector<std::string> commands{
      "simulate torus:16x16x16 stencil:grid=16x16x16,steps=1000 --engine fluid --repeats sample:1%",
      "simulate torus:16x16x16 lu:class=D,ranks=4096 --compute trace --engine fluid",
      "advise torus:8x8x8 cg:class=A,ranks=512,iterations=1 --budget 5s",
      "advise torus:8x8x8 lulesh:ranks=216,steps=5 --budget 5s"};
  if (!o.data.empty())
    commands.insert(commands.end(), {"schedule mesh:32x32 LANL-CM5-1994-4.1-cln.swf.zst --alloc gen-alg",
                                     "schedule mesh:32x32 LANL-CM5-1994-4.1-cln.swf.zst --alloc mc1x1",
                                     "schedule mesh:32x32 LANL-CM5-1994-4.1-cln.swf.zst:first=10000 --alloc mm",
                                     "schedule torus:46x46x46 LANL-CM5-1994-4.1-cln.swf.zst:first=150 --alloc gen-alg",
                                     "schedule torus:46x46x46 LANL-CM5-1994-4.1-cln.swf.zst:first=150 --alloc mm",
                                     "advise torus:8x4x4 SDSC-SP2-1998-4.2-cln.swf.zst:first=20000",
                                     "advise torus:5x5x4 KTH-SP2-1996-2.1-cln.swf.zst:first=20000",
                                     "advise torus:8x7x6 CTC-SP2-1996-3.1-cln.swf.zst:first=20000",
                                     "advise mesh:32x32 LANL-CM5-1994-4.1-cln.swf.zst:first=20000"});
  if (o.small) commands = {"simulate torus:4x4 stencil:grid=4x4 --engine fluid"};
  core::Table table({"toroid", "CPU s", "MB"});
  for (const auto& command : commands) {
    std::vector<std::string> words{TOROID_COMMAND};
    for (const auto word : core::split(command, ' '))
      words.push_back(word.find(".swf") == std::string_view::npos ? std::string(word)
                                                                  : fmt::format("{}/swf/{}", o.data, word));
    const auto cost = run_command(words);
    table.add({command, fmt::format("{:.1f}", cost.cpu_s), fmt::format("{:.0f}", cost.memory_mb)});
  }
  print(table);
}

/// What a run costs more in `toroid batch`, and in Python, than in a program of the library: the same 1,000 runs by
/// each, several times in turn; the least counts. The start of Python, with its modules, is not counted.
void measure_batch(const SpeedOptions& o) {
  if (std::string_view(TOROID_PYTHON).empty()) return;
  struct Case {
    const char *program, *machine;
  };
  static constexpr std::array cases{
      Case{"stencil:grid=2x2,steps=1", "mesh:2x2"}, Case{"cg:class=S,ranks=16,iterations=1", "torus:4x4"},
      Case{"stencil:grid=4x4x4,steps=1", "torus:4x4x4"}, Case{"stencil:grid=4x4x4", "torus:4x4x4"}};
  const std::uint64_t runs = o.small ? 10 : 1000;
  const std::string file = std::filesystem::temp_directory_path() / fmt::format("toroid-batch-{}.jsonl", ::getpid());
  core::Table table({"program", "machine", "library, ms a run", "toroid batch", "with --fields runtime_s",
                     "Python, after its start", "Python's start, s"});
  for (const auto& [program, machine] : o.of(cases)) {
    {
      std::ofstream lines(file);
      for (std::uint64_t seed = 0; seed < runs; ++seed)
        lines << fmt::format(R"({{"platform": "{}", "trace": "{}", "engine": "fluid", "map": "random", "seed": {}}})"
                             "\n",
                             machine, program, seed);
    }
    const std::vector<std::string> words{TOROID_COMMAND, "batch", file, "-o", "/dev/null"};
    auto of_times = words;
    of_times.insert(of_times.end(), {"--fields", "runtime_s"});
    std::array<double, 5> least{};
    least.fill(std::numeric_limits<double>::infinity());
    for (int turn = 0; turn < (o.small ? 1 : 5); ++turn) {
      const std::array costs{measure([&] { return by_library(machine, program, runs); }), run_command(words),
                             run_command(of_times), by_python(machine, program, 0), by_python(machine, program, runs)};
      for (std::size_t way = 0; way < costs.size(); ++way) least[way] = std::min(least[way], costs[way].cpu_s);
    }
    const auto [library, batch, times, start, python] = least;
    const auto ratio = [over = library](double seconds) { return fmt::format("{:.2f}", seconds / over); };
    table.add({program, machine, fmt::format("{:.2f}", 1e3 * library / static_cast<double>(runs)), ratio(batch),
               ratio(times), ratio(python - start), fmt::format("{:.2f}", start)});
  }
  std::filesystem::remove(file);
  print(table);
}

}  // namespace toroid::bench
