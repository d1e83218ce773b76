// What passing over iterations that repeat saves, and what looking for them costs where they do not: each case with
// --repeats off and exact, one after the other, in CPU seconds of the run without the process around it.
//
//   repeats [TRACE@MACHINE...]     a trace in random order on a machine, instead of the usual cases

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/cases.hpp"
#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "netsim/run.hpp"
#include "workloads/trace_source.hpp"

namespace {

using namespace toroid;

struct Case {
  std::string trace, machine;
  bool shuffled = true;
};

const std::vector<Case> usual_cases{
    {"lu:class=B,ranks=64", "torus:8x8", false},
    {"lu:class=B,ranks=64", "torus:8x8"},
    {"lulesh:ranks=64,steps=300", "torus:4x4x4"},
    {"llm:steps=50", "torus:4x4x4"},
    {"minighost:ranks=512,steps=100", "torus:8x8x8"},
    {"stencil:grid=8x8x8,steps=200", "torus:8x8x8", false},
    {"stencil:grid=8x8x8,steps=200", "torus:8x8x8"},
    {"cg:class=A,ranks=64", "torus:8x8"},
    {"sp:class=A,ranks=64", "torus:8x8"},
    {"bt:class=A,ranks=64", "torus:8x8"},
};

struct Run {
  netsim::Result result;
  double cpu_s = 0;
};

Run run(netsim::RunRequest request, netsim::Repeats repeats) {
  request.options.repeats = repeats;
  const double before = bench::cpu_seconds();
  auto result = netsim::run(request);
  return {std::move(result), bench::cpu_seconds() - before};
}

void measure(const Case& c) {
  const auto machine = platforms::make_machine(c.machine);
  const auto trace = workloads::open_trace(c.trace);
  std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
  if (c.shuffled) core::Random(1, "repeats").shuffle(nodes);
  nodes.resize(static_cast<std::size_t>(trace->ranks()));
  const netsim::RunRequest request{machine, *trace, netsim::Mapping(nodes), {.compute_scale = 1}, "fluid", false, 64};
  const auto full = run(request, netsim::Repeats::off), short_cut = run(request, netsim::Repeats::exact);
  std::uint64_t passed = 0;
  for (const auto& repeated : short_cut.result.repeated) passed += repeated.messages;
  fmt::print("{:<34} {:<15} {:<6} {:8.3f} {:8.3f} {:7.2f} {:6.1f} % {:8.1e}\n", c.trace, c.machine,
             c.shuffled ? "random" : "order", full.cpu_s, short_cut.cpu_s, full.cpu_s / short_cut.cpu_s,
             100 * netsim::share(static_cast<double>(passed), static_cast<double>(full.result.messages)),
             std::abs(short_cut.result.runtime / full.result.runtime - 1));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    std::vector<Case> cases;
    for (auto& [trace, machine] : bench::traces_on_machines(count, arguments))
      cases.push_back({std::move(trace), std::move(machine)});
    fmt::print("{:<34} {:<15} {:<6} {:>8} {:>8} {:>7} {:>8} {:>8}\n", "trace", "machine", "ranks", "off, s", "exact, s",
               "times", "passed", "differs");
    for (const auto& c : cases.empty() ? usual_cases : cases) measure(c);
  } catch (const std::exception& error) {
    fmt::print(stderr, "repeats: {}\n", error.what());
    return 1;
  }
}
