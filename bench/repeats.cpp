// What passing over iterations that repeat saves, and what looking for them costs where they do not: each case with
// --repeats off and exact, one after the other, in CPU seconds of the run and of the processes that it starts.
//
//   repeats [--simgrid] [--in-order] [TRACE@MACHINE...]
//
// A trace on a machine takes the place of the usual cases, its ranks in random order, or in the order of the nodes.
// With --simgrid the engine simgrid, which simulates every iteration, runs each case as well: its seconds, how many
// times those of exact they are, and how far its run time is from that of exact.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/cases.hpp"
#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "toroid/core/error.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

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

Run run(netsim::Run request, netsim::Repeats repeats) {
  request.job().options.repeats = repeats;
  const double before = bench::cpu_seconds_with_children();
  auto result = netsim::run(request);
  return {std::move(result), bench::cpu_seconds_with_children() - before};
}

double difference(const Run& a, const Run& b) {
  return std::abs(a.result.runtime / b.result.runtime - 1);
}

void measure(const Case& c, bool beside_simgrid) {
  const auto machine = platforms::make_machine(c.machine);
  const auto trace = workloads::open_trace(c.trace);
  std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
  if (c.shuffled) core::Random(1, "repeats").shuffle(nodes);
  nodes.resize(static_cast<std::size_t>(trace->ranks()));
  const netsim::Run request{machine, *trace, netsim::Mapping(nodes), {.compute_scale = 1}, "fluid", 64};
  const auto full = run(request, netsim::Repeats::off), short_cut = run(request, netsim::Repeats::exact);
  std::uint64_t passed = 0;
  for (const auto& repeated : short_cut.result.repeated) passed += repeated.messages;
  fmt::print("{:<34} {:<15} {:<6} {:8.3f} {:8.3f} {:7.2f} {:6.1f} % {:8.1e}", c.trace, c.machine,
             c.shuffled ? "random" : "order", full.cpu_s, short_cut.cpu_s, full.cpu_s / short_cut.cpu_s,
             100 * netsim::share(static_cast<double>(passed), static_cast<double>(full.result.messages)),
             difference(short_cut, full));
  std::fflush(stdout);
  if (beside_simgrid) {
    auto other = request;
    other.engine = "simgrid";
    const auto simgrid = run(other, netsim::Repeats::off);
    fmt::print(" {:10.3f} {:7.0f} {:8.1e}", simgrid.cpu_s, simgrid.cpu_s / short_cut.cpu_s,
               difference(short_cut, simgrid));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  try {
    bool beside_simgrid = false, in_order = false;
    std::vector<char*> others;
    for (int i = 0; i < count; ++i) {
      const std::string_view argument = arguments[i];
      beside_simgrid |= argument == "--simgrid";
      in_order |= argument == "--in-order";
      if (argument != "--simgrid" && argument != "--in-order") others.push_back(arguments[i]);
    }
    std::vector<Case> cases;
    for (auto& [trace, machine] : bench::traces_on_machines(static_cast<int>(others.size()), others.data()))
      cases.push_back({std::move(trace), std::move(machine), !in_order});
    if (in_order && cases.empty()) core::fail_input("found --in-order alone, expected TRACE@MACHINE, too");
    fmt::print("{:<34} {:<15} {:<6} {:>8} {:>8} {:>7} {:>8} {:>8}", "trace", "machine", "ranks", "off, s", "exact, s",
               "/ exact", "passed", "differs");
    if (beside_simgrid) fmt::print(" {:>10} {:>7} {:>8}", "simgrid, s", "/ exact", "differs");
    fmt::print("\n");
    for (const auto& c : cases.empty() ? usual_cases : cases) measure(c, beside_simgrid);
  } catch (const std::exception& error) {
    fmt::print(stderr, "repeats: {}\n", error.what());
    return 1;
  }
}
