// How good mappings are when nobody knows the order of the ranks: mappers beside Scotch, on programs and machines of
// many kinds; and the best mappings that are known of these jobs, for others to compare with.
//
//   mapping [--only NAME]... [--map SPEC]... [--seeds N] [--large] [--held-out] [--predict [--adaptive]]
//   mapping --best [--export FOLDER] ...
//
// The ranks of each instance (instances.cpp) are renumbered at random, with several seeds. A mapper is told by the
// means of its hops per byte, of the bytes on the most loaded link, and of its CPU seconds. With --predict there is the
// mean run time of the program, too, or of all messages of a matrix at once, as the engine fluid predicts it, or
// packets that choose their ways (--adaptive). `SPEC*N` is the best of N runs, by hops per byte, and the time of all of
// them.
//
// --best prints a table in Markdown: of each instance the fewest hop-bytes and the fewest bytes on the most loaded link
// that one of the mappers found, under one of N numberings of the ranks. --export writes the instances and these
// mappings as files, which docs/validation/best-known.md describes.

#include <cmath>
#include <filesystem>
#include <optional>

#include "bench/instances.hpp"
#include "bench/measure.hpp"
#include "bench/renumber.hpp"
#include "core/output.hpp"
#include "toroid/core/text.hpp"
#include "toroid/mapping/metrics.hpp"
#include "toroid/netsim/run.hpp"

namespace {

using namespace toroid;

struct Options {
  std::vector<std::string> only, mappers{"mj",   "multilevel", "multilevel:sweeps=10000", "multilevel:cost=weighted",
                                         "tabu", "minmaxload", "minmaxload:more-hops=30", "auto:engine=none"};
  std::vector<std::pair<std::string, std::string>> engines;  ///< engines that predict run times, and their columns
  std::string folder;
  std::uint64_t seeds = 2;
  bool large = false, held_out = false, best = false;
};

struct Figures {
  double hops = 0, load = 0, seconds = 0;
  std::vector<double> predicted_ms = {};  ///< predictions by engine
};

/// An instance under one numbering of its ranks.
struct Numbered {
  Numbered(const bench::Instance& instance, std::uint64_t seed)
      : traffic(bench::renumbered(instance.work.traffic(), seed)) {
    if (instance.work.program)
      trace = bench::renumbered(*instance.work.program(), seed);
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
    return NAN;
  }
}

Figures measure(const std::string& text, mapping::MappingProblem problem, const Options& o) {
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
  for (const auto& [engine, column] : o.engines) best.predicted_ms.push_back(predicted_ms(problem, *chosen, engine));
  return best;
}

/// A line of the table; nothing is averaged over numberings that a mapper refuses.
std::vector<std::string> row(const bench::Instance& instance, const std::string& mapper, const Options& o) {
  const auto machine = platforms::make_machine(instance.machine);
  const auto slots = instance.slots(machine);
  Figures mean;
  mean.predicted_ms.resize(o.engines.size());
  double least = 1e300, most = 0;
  for (std::uint64_t seed = 1; seed <= o.seeds; ++seed) {
    const Numbered numbered(instance, seed);
    const mapping::Program program{*numbered.trace, {}};
    const auto figures = measure(mapper, {machine, slots, numbered.traffic, seed * 1000, &program}, o);
    const auto n = static_cast<double>(o.seeds);
    mean.hops += figures.hops / n;
    mean.load += figures.load / n;
    mean.seconds += figures.seconds / n;
    for (std::size_t i = 0; i < o.engines.size(); ++i) mean.predicted_ms[i] += figures.predicted_ms[i] / n;
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
  for (const auto& [engine, column] : o.engines) columns.push_back(column);
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

/// The mapping with the fewest bytes of a kind.
struct Best {
  std::uint64_t bytes = ~std::uint64_t{0};
  std::string mapper;
  mapping::Mapping mapping;

  void offer(std::uint64_t other, const std::string& by, const mapping::Mapping& made) {
    if (other >= bytes) return;
    bytes = other;
    mapper = by;
    mapping = made;
  }
};

struct Known {
  Best hop_bytes, load;
};

/// A node for each rank of the instance, from the mapping of its renumbered ranks.
mapping::Mapping of_old_numbers(const mapping::Mapping& mapping, std::uint64_t seed) {
  const auto number = bench::random_numbers(mapping.size(), seed);
  mapping::Mapping old;
  for (const auto rank : number.ids()) old.add(mapping[number[rank]]);
  return old;
}

Known search(const workloads::CommunicationMatrix& matrix, const platforms::Machine& machine,
             const std::vector<platforms::NodeId>& slots, const Options& o) {
  Known known;
  for (std::uint64_t seed = 1; seed <= o.seeds; ++seed) {
    const mapping::Traffic traffic(bench::renumbered(matrix, seed));
    for (const auto& mapper : o.mappers) {
      try {
        const auto made = of_old_numbers(mapping::make_mapping(mapper, {machine, slots, traffic, seed, nullptr}), seed);
        const auto metrics = mapping::measure(machine, made, matrix);
        known.hop_bytes.offer(metrics.hop_bytes, mapper, made);
        known.load.offer(metrics.loads.max_bytes, mapper, made);
      } catch (const core::InputError&) {  // mj finds no grid
      }
    }
  }
  return known;
}

template <class Nodes>
std::string lines(const Nodes& nodes) {
  std::string text;
  for (const auto node : nodes) text += fmt::format("{}\n", node.value());
  return text;
}

void write(const std::string& instance, const workloads::CommunicationMatrix& matrix,
           std::vector<platforms::NodeId> slots, const Known& known, const std::string& folder) {
  std::filesystem::create_directories(folder);
  auto name = instance;
  std::ranges::replace(name, '/', '-');
  const auto path = folder + "/" + name;
  std::string messages = "from,to,bytes,messages\n";
  for (const auto from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from])
      messages += fmt::format("{},{},{},{}\n", from.value(), cell.to.value(), cell.bytes, cell.messages);
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());  // ranks that share a node have one slot
  core::write_text(path + ".csv", messages);
  core::write_text(path + ".nodes", lines(slots));
  core::write_text(path + ".hops.map", lines(known.hop_bytes.mapping));
  core::write_text(path + ".load.map", lines(known.load.mapping));
}

void tell(const bench::Instance& instance, const Options& o) {
  const auto machine = platforms::make_machine(instance.machine);
  const auto slots = instance.slots(machine);
  const auto matrix = instance.work.traffic();
  const auto known = search(matrix, machine, slots, o);
  if (known.hop_bytes.mapper.empty()) throw core::InputError("no mapper finds a mapping of " + instance.name);
  if (!o.folder.empty()) write(instance.name, matrix, slots, known, o.folder);
  fmt::print("| {} | `{}` | {} | {} | {:.4f} | `{}` | {} | `{}` |\n", instance.name, instance.machine,
             matrix.rows.size(), known.hop_bytes.bytes,
             static_cast<double>(known.hop_bytes.bytes) / static_cast<double>(matrix.total_bytes()),
             known.hop_bytes.mapper, known.load.bytes, known.load.mapper);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"mappers beside Scotch, ranks renumbered at random"};
  Options o;
  app.add_option("--only", o.only, "instances whose names contain one of these");
  app.add_option("--map", o.mappers, "mappers, instead of the usual");
  app.add_option("--seeds", o.seeds, "numberings of the ranks")->check(CLI::Range(1, 1000));
  app.add_flag("--held-out", o.held_out, "the instances on which no mapper was tuned, instead");
  app.add_flag("--large", o.large, "the instances of 2,048 ranks and more, too");
  const auto predict = [&](const std::string& option, const char* engine, const char* column) {
    app.add_flag_callback(
        option, [&o, engine, column] { o.engines.emplace_back(engine, column); }, "run times, too");
  };
  predict("--predict", "fluid", "fluid, ms");
  predict("--adaptive", "packet:routing=adaptive", "adaptive, ms");
  app.add_flag("--best", o.best, "the best that any mapper finds");
  app.add_option("--export", o.folder, "with --best: folder for the instances and the mappings");
  return bench::run_program(app, argc, argv, [&] {
    if (o.best) {
      for (const auto& mapper : o.mappers) mapping::MapperChoice{mapper};  // a mapper that there is not is told at once
      fmt::print("| job | machine | ranks | hop-bytes | per byte | by | bytes on the most loaded link | by |\n");
      fmt::print("|---|---|--:|--:|--:|---|--:|---|\n");
    }
    for (const auto& instance :
         bench::chosen(o.held_out ? bench::held_out_instances() : bench::instances(), o.only, o.large))
      (o.best ? tell : compare)(instance, o);
    return 0;
  });
}
