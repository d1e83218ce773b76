// How good mappings are when nobody knows the order of the ranks: mappers beside Scotch, on programs and machines of
// many kinds.
//
//   mapping [--only NAME]... [--map SPEC]... [--seeds N] [--large] [--held-out | --maplib FOLDER]
//           [--predict [--adaptive]]
//
// The ranks of each instance (instances.cpp) are renumbered at random, with several seeds. A mapper is told by the
// means of its hops per byte, of the bytes on the most loaded link, and of its CPU seconds. With --predict there is the
// mean run time of the program, too, or of all messages of a matrix at once, as the engine fluid predicts it, or
// packets that choose their ways (--adaptive). `SPEC*N` is the best of N runs, by hops per byte, and the time of all of
// them.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "bench/instances.hpp"
#include "bench/measure.hpp"
#include "bench/renumber.hpp"
#include "core/table.hpp"
#include "toroid/core/text.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/mapping/metrics.hpp"
#include "toroid/netsim/run.hpp"

namespace {

using namespace toroid;

struct Options {
  std::vector<std::string> only, mappers{"scotch*16", "scotch:strategy=quality*16", "mj", "multilevel", "anneal"};
  std::string maplib;
  std::uint64_t seeds = 8;
  bool large = false, held_out = false, predict = false, adaptive = false;

  /// Engines that predict run times.
  std::vector<std::string> engines() const {
    std::vector<std::string> all;
    if (predict) all.emplace_back("fluid");
    if (adaptive) all.emplace_back("packet:routing=adaptive");
    return all;
  }
};

struct Figures {
  double hops = 0, load = 0, seconds = 0;
  std::vector<double> predicted_ms = {};  ///< predictions by engine
};

/// An instance under one numbering of its ranks.
struct Numbered {
  Numbered(const bench::Instance& instance, std::uint64_t seed) : traffic(bench::renumbered(instance.traffic(), seed)) {
    if (instance.program)
      trace = std::make_unique<bench::RenumberedTrace>(instance.program(), seed);
    else
      trace = bench::all_at_once(traffic.matrix());
  }
  mapping::Traffic traffic;
  std::unique_ptr<workloads::Trace> trace;
};

/// Not a number if the engine cannot simulate that machine.
double predicted_ms(const mapping::MappingProblem& problem, const mapping::Mapping& mapping,
                    const std::string& engine) {
  const auto& program = *problem.program;
  try {
    return 1e3 * netsim::run({problem.machine, program.trace, mapping, program.replay, engine}).runtime;
  } catch (const core::InputError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

Figures measure(const std::string& text, mapping::MappingProblem problem, const std::vector<std::string>& engines) {
  const auto star = text.find('*');
  const auto runs = star == std::string::npos ? 1 : core::parse_number<int>(text.substr(star + 1)).value_or(1);
  Figures best;
  std::optional<mapping::Mapping> chosen;
  double seconds = 0;
  for (int run = 0; run < runs; ++run, ++problem.seed) {
    const double before = bench::cpu_seconds();
    auto mapping = mapping::make_mapping(text.substr(0, star), problem);
    seconds += bench::cpu_seconds() - before;
    const auto metrics = mapping::measure(problem.machine, mapping, problem.traffic.matrix());
    const double hops = static_cast<double>(metrics.hop_bytes) / static_cast<double>(metrics.bytes);
    if (chosen && hops >= best.hops) continue;
    best = {hops, static_cast<double>(metrics.loads.max_bytes), 0};
    chosen = std::move(mapping);
  }
  best.seconds = seconds;
  for (const auto& engine : engines) best.predicted_ms.push_back(predicted_ms(problem, *chosen, engine));
  return best;
}

/// A line of the table; nothing is averaged over numberings that a mapper refuses.
std::vector<std::string> row(const bench::Instance& instance, const std::string& mapper, const Options& o) {
  const auto machine = platforms::make_machine(instance.machine);
  const auto slots = instance.slots(machine);
  const auto engines = o.engines();
  Figures mean;
  mean.predicted_ms.resize(engines.size());
  double least = 1e300, most = 0;
  for (std::uint64_t seed = 1; seed <= o.seeds; ++seed) {
    const Numbered numbered(instance, seed);
    const mapping::Program program{*numbered.trace, {}};
    const auto figures = measure(mapper, {machine, slots, numbered.traffic, seed * 1000, &program}, engines);
    const auto n = static_cast<double>(o.seeds);
    mean.hops += figures.hops / n;
    mean.load += figures.load / n;
    mean.seconds += figures.seconds / n;
    for (std::size_t i = 0; i < engines.size(); ++i) mean.predicted_ms[i] += figures.predicted_ms[i] / n;
    least = std::min(least, figures.hops);
    most = std::max(most, figures.hops);
  }
  std::vector<std::string> cells{mapper,
                                 fmt::format("{:.4f}", mean.hops),
                                 fmt::format("{:.4f}", least),
                                 fmt::format("{:.4f}", most),
                                 fmt::format("{:.0f}", mean.load),
                                 fmt::format("{:.3f}", mean.seconds)};
  for (const double ms : mean.predicted_ms) cells.push_back(std::isnan(ms) ? "refused" : fmt::format("{:.4g}", ms));
  return cells;
}

void compare(const bench::Instance& instance, const Options& o) {
  std::vector<std::string> columns{"mapper", "hops per byte", "best", "worst", "link load", "CPU s"};
  if (o.predict) columns.emplace_back("fluid, ms");
  if (o.adaptive) columns.emplace_back("adaptive, ms");
  core::Table table(columns);
  for (const auto& mapper : o.mappers) {
    try {
      table.add(row(instance, mapper, o));
    } catch (const core::InputError&) {
      std::vector<std::string> refused(columns.size());
      refused[0] = mapper;
      refused[1] = "refuses";
      table.add(refused);
    }
  }
  fmt::print("\n{} ({})\n{}", instance.name, instance.machine, table.text());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"mappers beside Scotch, ranks renumbered at random"};
  Options o;
  app.add_option("--only", o.only, "instances whose names contain one of these");
  app.add_option("--map", o.mappers, "mappers, instead of the usual");
  app.add_option("--seeds", o.seeds, "numberings of the ranks")->check(CLI::Range(1, 1000));
  auto* held_out = app.add_flag("--held-out", o.held_out, "the instances on which no mapper was tuned, instead");
  app.add_option("--maplib", o.maplib, "folder with matrices of MapLib: these instead of our own")
      ->check(CLI::ExistingDirectory)
      ->excludes(held_out);
  app.add_flag("--large", o.large, "the instances of 2,048 ranks and more, too");
  app.add_flag("--predict", o.predict, "run times by fluid");
  app.add_flag("--adaptive", o.adaptive, "run times by packets with adaptive routes");
  CLI11_PARSE(app, argc, argv);
  try {
    const auto all = o.held_out         ? bench::held_out_instances()
                     : o.maplib.empty() ? bench::instances()
                                        : bench::maplib_instances(o.maplib);
    for (const auto& instance : bench::chosen(all, o.only, o.large)) compare(instance, o);
  } catch (const std::exception& error) {
    fmt::print(stderr, "mapping: {}\n", error.what());
    return 1;
  }
}
