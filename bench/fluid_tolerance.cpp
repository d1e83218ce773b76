// How far run times are off with a tolerance of the engine fluid: random programs on random machines, by each tolerance
// and without one. A case hangs on chance if its time without one changes by more than 3e-5 where all bandwidths change
// by 1e-5 or less: who comes first then decides more than any rate.
//
//   fluid_tolerance [--cases 400] [--tolerance 0.1%]...

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>

#include "bench/measure.hpp"
#include "core/random.hpp"
#include "core/table.hpp"
#include "toroid/netsim/run.hpp"
#include "toroid/workloads/trace_source.hpp"

namespace {

using namespace toroid;

template <class T>
const T& any_of(core::Random& random, const std::vector<T>& all) {
  return all[random.below(all.size())];
}

std::string random_program(core::Random& random, const std::string& shape, std::int32_t nodes) {
  static const std::vector<std::string> patterns{"uniform", "hot-spot", "random", "neighbour", "tornado"};
  const int most = nodes >= 64 ? 64 : 16;
  switch (random.below(7)) {
    case 0:
      return fmt::format("lu:class=W,iterations=10,ranks={}", most);
    case 1:
      return fmt::format("cg:class={},iterations=4,ranks={}", random.below(2) == 0 ? "S" : "W", most);
    case 2:
      return "ft:class=S,ranks=16";
    case 3:
      return fmt::format("lulesh:ranks={},steps={},elements={}", nodes >= 64 ? 64 : 8, 1 + random.below(10),
                         5 + random.below(40));
    case 4:
      return fmt::format("stencil:grid={},bytes={}KiB,steps={}", shape, 1 + random.below(200), 1 + random.below(20));
    default:
      return fmt::format("traffic:pattern={},grid={},messages={},bytes={}KiB,seed={}", any_of(random, patterns), shape,
                         5 + random.below(40), 1 + random.below(100), random.below(1000));
  }
}

/// A program in random places, or in order.
struct Case {
  explicit Case(core::Random& random) {
    static const std::vector<std::string> shapes{"8x8", "4x4x4", "16", "6x6", "12x12", "4x4"};
    const auto& shape = any_of(random, shapes);
    description = platforms::make_machine(fmt::format("{}:{},bw={}MBps", random.below(2) == 0 ? "mesh" : "torus", shape,
                                                      100 + random.below(2000)))
                      .description();
    const platforms::Machine machine(description);
    trace = workloads::open_trace(random_program(random, shape, machine.node_count()));
    std::vector<platforms::NodeId> nodes(machine.nodes().begin(), machine.nodes().end());
    if (random.below(3) > 0) random.shuffle(nodes);
    nodes.resize(static_cast<std::size_t>(trace->ranks()));
    mapping = netsim::Mapping(nodes);
    options = {.repeats = netsim::Repeats::off};
    if (random.below(3) == 0) options.compute_scale = 1;
  }
  double runtime(const std::string& engine, double bandwidths = 1) const {
    auto changed = description;
    for (auto& dimension : changed.dimensions) dimension.bandwidth *= bandwidths;
    const platforms::Machine machine(changed);
    return netsim::run({machine, *trace, mapping, options, engine}).runtime;
  }
  bool hangs_on_chance() const {
    const double first = runtime("fluid", 1 + 1e-9);
    return std::ranges::any_of(std::vector{-1e-9, 1e-7, -1e-5}, [&](double change) {
      return std::abs(runtime("fluid", 1 + change) / first - 1) > 3e-5;
    });
  }
  platforms::Description description;
  std::unique_ptr<workloads::Trace> trace;
  netsim::Mapping mapping;
  netsim::ReplayOptions options;
};

void add_distribution(core::Table& table, std::vector<std::string> row, std::vector<double> off) {
  if (off.empty()) return;
  double mean = 0;
  for (const double each : off) mean += each / static_cast<double>(off.size());
  for (auto& each : off) each = std::abs(each);
  std::sort(off.begin(), off.end());
  row.push_back(std::to_string(off.size()));
  row.push_back(fmt::format("{:+.1e}", mean));
  for (const double part : {0.5, 0.9, 0.99, 1.0}) {
    const auto at = static_cast<std::size_t>(std::ceil(part * static_cast<double>(off.size()))) - 1;
    row.push_back(fmt::format("{:.1e}", off[at]));
  }
  table.add(std::move(row));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"how far run times are off with a tolerance of the engine fluid"};
  int cases = 400;
  std::vector<std::string> tolerances{"0.1%"};
  app.add_option("--cases", cases)->capture_default_str();
  app.add_option("--tolerance", tolerances)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    core::Random random(7, "fluid_tolerance");
    std::vector<std::vector<double>> steady(tolerances.size()), others(tolerances.size());
    for (int i = 0; i < cases; ++i) {
      const Case one(random);
      const double exact = one.runtime("fluid");
      const bool by_chance = one.hangs_on_chance();
      for (std::size_t t = 0; t < tolerances.size(); ++t)
        (by_chance ? others : steady)[t].push_back(one.runtime("fluid:tolerance=" + tolerances[t]) / exact - 1);
    }
    core::Table table({"tolerance", "run times", "cases", "mean", "median", "90 %", "99 %", "worst"});
    for (std::size_t t = 0; t < tolerances.size(); ++t) {
      add_distribution(table, {tolerances[t], "steady"}, steady[t]);
      add_distribution(table, {tolerances[t], "by chance"}, others[t]);
    }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "fluid_tolerance: {}\n", error.what());
    return 1;
  }
}
