// Whether a unit of netsim::CountsWork takes about 10 ns of CPU time, whatever is simulated: searches count on it.
//
//   simulation_price [--only NAME]... [--engine SPEC]... [--large] [--seconds S]
//
// Each job of bench/instances.cpp runs on its machine, ranks in order on its nodes, again and again for S seconds.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "bench/instances.hpp"
#include "bench/measure.hpp"
#include "core/table.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/run.hpp"

namespace {

using namespace toroid;

struct Options {
  std::vector<std::string> only, engines{"fluid", "packet", "packet:routing=adaptive"};
  double seconds = 0.2;
  bool large = false;
};

/// A line of the table.
std::vector<std::string> row(const bench::Instance& instance, const std::string& engine, double seconds) {
  const auto machine = platforms::make_machine(instance.machine);
  const mapping::Traffic traffic(instance.traffic());
  const auto trace = instance.program ? instance.program() : bench::all_at_once(traffic.matrix());
  const auto mapping = mapping::make_mapping("consecutive", {machine, instance.slots(machine), traffic});
  double work = 0;
  std::uint64_t messages = 0;
  int runs = 0;
  const double start = bench::cpu_seconds();
  double taken = 0;
  for (; taken < seconds || runs == 0; ++runs, taken = bench::cpu_seconds() - start) {
    const auto run = netsim::run_counted({machine, *trace, mapping, {}, engine});
    work = run.work;
    messages = run.result.messages;
  }
  const double each = taken / runs;
  return {instance.name,
          engine,
          std::to_string(messages),
          fmt::format("{:.2f}", 1e3 * each),
          fmt::format("{:.3f}", 1e-6 * work),
          fmt::format("{:.1f}", 1e9 * each / work)};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"CPU time by counted work"};
  Options o;
  app.add_option("--only", o.only, "jobs whose names contain one of these");
  app.add_option("--engine", o.engines, "engines, instead of the usual");
  app.add_option("--seconds", o.seconds, "CPU seconds for each at least");
  app.add_flag("--large", o.large, "the jobs of 2,048 ranks and more, too");
  CLI11_PARSE(app, argc, argv);
  try {
    core::Table table({"job", "engine", "messages", "CPU ms", "million units", "ns a unit"});
    for (const auto& instance : bench::chosen(bench::instances(), o.only, o.large))
      for (const auto& engine : o.engines) {
        try {
          table.add(row(instance, engine, o.seconds));
        } catch (const core::InputError&) {
          table.add({instance.name, engine, "refuses", "", "", ""});
        }
      }
    fmt::print("{}", table.text());
  } catch (const std::exception& error) {
    fmt::print(stderr, "simulation_price: {}\n", error.what());
    return 1;
  }
}
