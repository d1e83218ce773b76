// The best mappings that are known of the instances of bench/mapping, for others to compare with, and the instances as
// files for their programs.
//
//   best_known [--only NAME]... [--large] [--held-out] [--seeds N] [--map SPEC]... [--export FOLDER]
//
// Prints a table in Markdown: of each instance the fewest hop-bytes and the fewest bytes on the most loaded link that
// one of the mappers found, under one of N numberings of the ranks.
// --export writes of each instance, whose name has - where it has /:
//   NAME.csv        what the ranks send each other, as `toroid map` reads it
//   NAME.nodes      the nodes on which they may run, one a line, as its --nodes takes them
//   NAME.hops.map   the mapping with the fewest hop-bytes, as its --map takes it
//   NAME.load.map   the one with the least load

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <limits>

#include "bench/instances.hpp"
#include "bench/renumber.hpp"
#include "core/output.hpp"
#include "toroid/core/error.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/mapping/metrics.hpp"

namespace {

using namespace toroid;

struct Options {
  std::vector<std::string> only, mappers{"mj",   "multilevel", "multilevel:sweeps=10000", "multilevel:cost=weighted",
                                         "tabu", "minmaxload", "minmaxload:more-hops=30", "auto:engine=none"};
  std::string folder;
  std::uint64_t seeds = 2;
  bool large = false, held_out = false;
};

/// The mapping with the fewest bytes of a kind.
struct Best {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
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

std::string file_name(std::string instance) {
  std::replace(instance.begin(), instance.end(), '/', '-');
  return instance;
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
  const auto path = folder + "/" + file_name(instance);
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
  const auto matrix = instance.traffic();
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
  CLI::App app{"the best mappings that are known of the instances of bench/mapping"};
  Options o;
  app.add_option("--only", o.only, "instances whose names contain one of these");
  app.add_flag("--large", o.large, "the instances of 2,048 ranks and more, too");
  app.add_flag("--held-out", o.held_out, "the instances on which no mapper was tuned, instead");
  app.add_option("--seeds", o.seeds, "numberings of the ranks")->check(CLI::Range(1, 1000));
  app.add_option("--map", o.mappers, "mappers, instead of the usual");
  app.add_option("--export", o.folder, "folder for the instances and the mappings");
  CLI11_PARSE(app, argc, argv);
  try {
    for (const auto& mapper : o.mappers) mapping::MapperChoice{mapper};  // a mapper that there is not is told at once
    fmt::print("| job | machine | ranks | hop-bytes | per byte | by | bytes on the most loaded link | by |\n");
    fmt::print("|---|---|--:|--:|--:|---|--:|---|\n");
    const auto all = o.held_out ? bench::held_out_instances() : bench::instances();
    for (const auto& instance : bench::chosen(all, o.only, o.large)) tell(instance, o);
  } catch (const std::exception& error) {
    fmt::print(stderr, "best_known: {}\n", error.what());
    return 1;
  }
}
