#include "mapping/mapper.hpp"

#include <filesystem>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "core/error.hpp"
#include "core/text.hpp"
#include "mapping/mappers.hpp"
#include "platforms/names.hpp"

namespace toroid::mapping {

const core::Registry<MakeMapper>& mappers() {
  static const core::Registry<MakeMapper> registry(
      "mapper", {{"consecutive", "rank r on the r-th node", make_consecutive},
                 {"random", "every mapping equally likely", make_random, {{"seed", "seed of this mapping (--seed)"}}},
                 {"grasp",
                  "least cost by greedy random starts and local search",
                  make_grasp,
                  {{"cost", "what to minimize: classic, td or weighted (classic)"},
                   {"iterations", "starts, of which the best counts (50)"},
                   {"seed", "seed of this mapping (--seed)"}}},
                 {"anneal",
                  "least cost by simulated annealing, for many ranks",
                  make_anneal,
                  {{"cost", "what to minimize: classic, td or weighted (classic)"},
                   {"base", "the mapper to start from, in parentheses (random)"},
                   {"sweeps", "proposed swaps of each rank (3000)"},
                   {"seed", "seed of this mapping (--seed)"}}},
                 {"tabu",
                  "least cost by tabu searches that learn from each other, for up to a few hundred ranks",
                  make_tabu,
                  {{"cost", "what to minimize: classic, td or weighted (classic)"},
                   {"base", "the mapper to start from, in parentheses (none; anneal for many ranks)"},
                   {"iterations", "swaps made (100000)"},
                   {"seed", "seed of this mapping (--seed)"}}},
                 {"refine",
                  "another mapping, made better by swaps of two ranks",
                  make_refine,
                  {{"cost", "what to minimize: classic, td or weighted (classic)"},
                   {"base", "the mapper to start from, in parentheses (consecutive)"},
                   {"seed", "seed of the base (--seed)"}}},
                 {"minmaxload",
                  "another mapping, with less load on its most loaded links",
                  make_minmaxload,
                  {{"base", "the mapper to start from, in parentheses (refine:cost=weighted)"},
                   {"swaps", "swaps at most (10000)"},
                   {"seed", "seed of the base (--seed)"}}},
                 {"geom",
                  "geometric mapping of a stencil: ranks and nodes halved together",
                  make_geom,
                  {{"grid", "the job's grid, such as 4x8x2 (from the traffic)"}}},
                 {"gsearch",
                  "geom, then swaps of two ranks while they shorten routes",
                  make_gsearch,
                  {{"grid", "the job's grid, such as 4x8x2 (from the traffic)"},
                   {"variant", "which swap is next: first, best-per-rank or best (first)"},
                   {"limit", "most swaps: none, a number, or paper, 0.35 for each rank and 20 (none)"}}},
                 {"mj",
                  "geometric mapping with rotations, folds and torus shifts, the best of them",
                  make_mj,
                  {{"grid", "the job's grid, such as 4x8x2 (from the traffic)"}}},
                 {"rcm", "reverse Cuthill-McKee orders of ranks and nodes, side by side", make_rcm},
                 {"spectral", "recursive spectral bisection", make_spectral},
                 {"bisect", "recursive bisection of traffic and nodes, each cut refined", make_bisect},
                 {"greedy", "along the heaviest edges, each rank next to its partner (Hoefler, Snir)", make_greedy},
                 {"greedyallc", "each rank near all its partners placed before (Glantz et al.)", make_greedyallc},
                 {"scotch",
                  "the mapping of the library Scotch",
                  make_scotch,
                  {{"strategy", "default, quality or speed (default)"}, {"seed", "seed of this mapping (--seed)"}}},
                 {"simulated",
                  "least simulated run time, among those of other mappers and by swaps from the best",
                  make_simulated,
                  {{"base", "mappers to start from (consecutive+(grasp:cost=classic)+(grasp:cost=td))"},
                   {"candidates", "mappings of each that draws lots (3)"},
                   {"runs", "simulations in all, at most (100)"},
                   {"engine", "engine of the simulations (fluid)"},
                   {"seed", "seed of this mapping (--seed)"}}},
                 {"file", "a mapping file: one node per line, in rank order", make_from_file, {}, "PATH"}});
  return registry;
}

std::unique_ptr<Mapper> make_mapper(const std::string& text) {
  // Names come first: a file that is called like a mapper is ./random.
  if (mappers().has(text.substr(0, text.find(':')))) {
    const auto spec = core::Spec::parse(text);
    return mappers().find(spec).make(spec);
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored)) return make_file_mapper(text);
  core::fail_input("'{}': no such mapper and no such file; valid: {}, or a mapping file", text, mappers().names());
}

Mapping make_mapping(const std::string& text, const MappingProblem& problem) {
  if (static_cast<std::size_t>(problem.ranks()) > problem.slots.size())
    core::fail_input(
        "{} ranks do not fit on {} slots of {}; expected a larger machine, more nodes or more ranks per node",
        problem.ranks(), problem.slots.size(), problem.machine.name());
  const auto mapping = make_mapper(text)->map(problem);
  check_mapping(mapping, problem, text);
  return mapping;
}

void check_mapping(const Mapping& mapping, const MappingProblem& problem, const std::string& source) {
  if (mapping.size() != static_cast<std::size_t>(problem.ranks()))
    core::fail_input("{}: found nodes for {} ranks, expected {}", source, mapping.size(), problem.ranks());
  std::unordered_map<NodeId, std::int32_t> room;
  for (const NodeId node : problem.slots) ++room[node];
  std::unordered_map<NodeId, std::int32_t> used;
  for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
    const NodeId node = mapping[rank];
    const auto slots = room.find(node);
    if (slots == room.end())
      core::fail_input("{}: rank {} is on node {}, which is not among the job's nodes", source, rank, node);
    if (++used[node] > slots->second)
      core::fail_input("{}: rank {} is the {}. rank on node {}, which takes {} (--ranks-per-node)", source, rank,
                       used[node], node, slots->second);
  }
}

std::optional<std::uint64_t> seed_parameter(const core::Spec& spec) {
  if (!spec.find("seed")) return std::nullopt;
  return static_cast<std::uint64_t>(spec.get_integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
}

std::vector<NodeId> all_nodes(const Machine& machine) {
  const auto nodes = machine.compute_nodes();
  return {nodes.begin(), nodes.end()};
}

std::vector<NodeId> parse_nodes(const std::string& text, const Machine& machine) {
  std::vector<NodeId> nodes;
  std::unordered_set<NodeId> seen;
  for (const auto part : core::split(text, ',')) {
    const auto dash = part.find('-', 1);
    const auto first = platforms::parse_node_name(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : platforms::parse_node_name(part.substr(dash + 1));
    if (!first || !last || *first > *last)
      core::fail_input("'{}': found '{}', expected nodes such as 0-15,20", text, part);
    for (NodeId node = *first; node <= *last; ++node) {
      if (node < 0 || node >= machine.node_count())
        core::fail_input("'{}': node {} does not exist; {} has nodes 0 to {}", text, node, machine.name(),
                         machine.node_count() - 1);
      if (!machine.computes(node)) core::fail_input("'{}': node {} of {} does not compute", text, node, machine.name());
      if (!seen.insert(node).second) core::fail_input("'{}': node {} is given twice", text, node);
      nodes.push_back(node);
    }
  }
  return nodes;
}

}  // namespace toroid::mapping
