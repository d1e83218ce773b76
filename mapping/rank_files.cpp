#include "mapping/rank_files.hpp"

#include <fmt/ranges.h>

#include <cctype>
#include <filesystem>
#include <set>
#include <unordered_set>

#include "core/file.hpp"
#include "platforms/names.hpp"

namespace toroid::mapping {
namespace {

using workloads::Rank;

constexpr int most_digits = 20;

bool is_host_name(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_'; });
}

/// The place of each rank among those of its node: 0 for the lowest, then 1, ...
core::IdVector<Rank, std::int32_t> cores_of(const Mapping& mapping) {
  std::map<NodeId, std::int32_t> taken;
  core::IdVector<Rank, std::int32_t> cores;
  for (const NodeId node : mapping) cores.add(taken[node]++);
  return cores;
}

/// Open MPI's rankfile (mpirun --rankfile). Its slots are the cores of a host, from 0.
std::string write_openmpi(const RankFile& file) {
  const auto cores = cores_of(file.mapping);
  std::string text;
  for (const Rank rank : cores.ids())
    text += fmt::format("rank {}={} slot={}\n", rank, file.hosts.of(file.mapping[rank]), cores[rank]);
  return text;
}

/// The ranks by the slots that they have, those of a node together, as a launcher fills the nodes of the job in their
/// order. Throws InputError where a slot before the last rank is empty.
std::vector<std::vector<Rank>> ranks_by_slots(const RankFile& file, std::string_view format) {
  std::map<NodeId, std::vector<Rank>> ranks_on;
  for (const Rank rank : file.mapping.ids()) ranks_on[file.mapping[rank]].push_back(rank);
  std::vector<std::vector<Rank>> nodes;
  std::size_t left = file.mapping.size();
  for (std::size_t i = 0; i < file.slots.size() && left > 0;) {
    const NodeId node = file.slots[i];
    std::size_t room = 0;
    for (; i < file.slots.size() && file.slots[i] == node; ++i) ++room;
    const auto& ranks = ranks_on[node];
    if (ranks.size() != std::min(room, left))
      core::fail_input(
          "format {}: found {} ranks on node {}, expected {}: launchers fill the job's nodes in their order, without "
          "gaps; give as many slots as there are ranks",
          format, ranks.size(), node, std::min(room, left));
    nodes.push_back(ranks);
    left -= ranks.size();
  }
  return nodes;
}

/// Cray MPICH's MPICH_RANK_ORDER (MPICH_RANK_REORDER_METHOD=3): the ranks in the order in which the launcher fills the
/// slots of the job; here a line for each node.
std::string write_mpich(const RankFile& file) {
  std::string text;
  for (const auto& ranks : ranks_by_slots(file, "mpich")) text += fmt::format("{}\n", fmt::join(ranks, ","));
  return text;
}

/// The rank that each process of MPI_COMM_WORLD, which the launcher put on the next slot, is to have: the key of
/// MPI_Comm_split, by which a program does itself what MPI_Cart_create may do (reorder).
std::string write_reorder(const RankFile& file) {
  std::string text;
  for (const auto& ranks : ranks_by_slots(file, "reorder"))
    for (const Rank rank : ranks) text += fmt::format("{}\n", rank);
  return text;
}

/// Devices for jax.sharding.Mesh as JSON: which of jax.devices() is at each place of the mesh. JAX numbers the devices
/// of a slice as machines number nodes, the first dimension fastest, the cores of a chip one after the other.
std::string write_jax(const RankFile& file) {
  std::map<NodeId, std::size_t> first;
  auto slots = std::vector<NodeId>(file.slots.begin(), file.slots.end());
  std::ranges::sort(slots);
  for (std::size_t i = 0; i < slots.size(); ++i) first.emplace(slots[i], i);
  const auto cores = cores_of(file.mapping);
  std::vector<std::size_t> devices;
  for (const Rank rank : cores.ids())
    devices.push_back(first.at(file.mapping[rank]) + static_cast<std::size_t>(cores[rank]));
  return fmt::format("[{}]\n", fmt::join(devices, ", "));
}

/// Fujitsu's mpiexec --vcoordfile (Fugaku): the coordinates of each rank in the job's own torus, which is a block of
/// one to three dimensions. A node has as many lines as ranks.
std::string write_fugaku(const RankFile& file) {
  const auto& grid = file.machine.grid();
  const auto dimensions = grid.dimension_count();
  if (dimensions > 3)
    core::fail_input("format fugaku: {} has {} dimensions, expected the 1 to 3 of a job", file.machine.name(),
                     dimensions);
  std::set<NodeId> nodes(file.slots.begin(), file.slots.end());
  const auto coordinate = [&](NodeId node, std::size_t d) { return grid.coordinate(file.machine.router(node), d); };
  std::vector<std::int32_t> low, high;
  std::size_t room = 1;
  for (std::size_t d = 0; d < dimensions; ++d) {
    const auto less = [&](NodeId a, NodeId b) { return coordinate(a, d) < coordinate(b, d); };
    const auto [least, most] = std::ranges::minmax_element(nodes, less);
    low.push_back(coordinate(*least, d));
    high.push_back(coordinate(*most, d));
    room *= static_cast<std::size_t>(high[d] - low[d] + 1);
  }
  if (nodes.size() != room)
    core::fail_input("format fugaku: the job has {} of the {} nodes of the smallest block around it, expected all",
                     nodes.size(), room);
  std::string text;
  for (const NodeId node : file.mapping) {
    std::vector<std::int32_t> place;
    for (std::size_t d = 0; d < dimensions; ++d) place.push_back(coordinate(node, d) - low[d]);
    text += fmt::format("({})\n", fmt::join(place, ","));
  }
  return text;
}

/// A host name for each rank: SLURM_HOSTFILE with srun --distribution=arbitrary.
std::string write_slurm(const RankFile& file) {
  std::string text;
  for (const NodeId node : file.mapping) text += file.hosts.of(node) + "\n";
  return text;
}

/// The map file of Blue Gene: for each rank the coordinates of its router and the core there.
std::string write_bluegene(const RankFile& file) {
  const auto& grid = file.machine.grid();
  if (grid.dimension_count() != 3 && grid.dimension_count() != 5)
    core::fail_input("format bluegene: {} has {} dimensions, expected 3 (Blue Gene/L, /P) or 5 (/Q)",
                     file.machine.name(), grid.dimension_count());
  // Nodes that share a router share its coordinates, so its ranks are counted together.
  Mapping routers;
  for (const NodeId node : file.mapping) routers.add(file.machine.first_node(file.machine.router(node)));
  const auto cores = cores_of(routers);
  std::string text;
  for (const Rank rank : cores.ids()) {
    const auto router = file.machine.router(file.mapping[rank]);
    for (std::size_t d = 0; d < grid.dimension_count(); ++d) text += fmt::format("{} ", grid.coordinate(router, d));
    text += fmt::format("{}\n", cores[rank]);
  }
  return text;
}

}  // namespace

HostNames::HostNames(const std::string& text) : text_(text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored))
    read_file(text);
  else
    parse_pattern(text);
}

HostNames::HostNames(const Machine& machine) : HostNames(std::string("node-{}")) {
  if (machine.description().node_names.empty()) return;
  for (const NodeId node : machine.nodes()) listed_.push_back(platforms::node_name(machine.description(), node));
}

void HostNames::parse_pattern(std::string_view pattern) {
  const auto fail = [&] {
    core::fail_input(
        "hosts '{}': no such file; expected one, or a host name with one {{}} for the node's number ({{:05}}: five "
        "digits)",
        core::excerpt(pattern));
  };
  const auto open = pattern.find('{');
  const auto close = pattern.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) fail();
  before_ = pattern.substr(0, open);
  after_ = pattern.substr(close + 1);
  if (!is_host_name(before_ + after_)) fail();
  const auto field = pattern.substr(open + 1, close - open - 1);
  if (field.empty()) return;
  const auto digits = field.starts_with(":0") ? core::parse_number<int>(field.substr(2)) : std::nullopt;
  if (!digits || *digits < 1 || *digits > most_digits) fail();
  digits_ = *digits;
}

void HostNames::read_file(const std::string& path) {
  core::LineReader reader(path);
  std::unordered_set<std::string> known;
  while (const auto line = reader.next()) {
    const auto name = core::trim(*line);
    if (name.empty() || name.starts_with('#')) continue;
    if (!is_host_name(name))
      core::fail_input_at(path, reader.line(), "found '{}', expected one host name", core::excerpt(name));
    if (!known.emplace(name).second)
      core::fail_input_at(path, reader.line(), "the host '{}' is listed twice; expected one for each node",
                          core::excerpt(name));
    listed_.emplace_back(name);
  }
  if (listed_.empty()) core::fail_input("{}: is empty; expected a host name for each node", path);
}

void HostNames::belong_to(const Machine& machine, std::span<const NodeId> slots) {
  std::unordered_map<NodeId, std::size_t> line_of;
  for (const NodeId node : slots) line_of.try_emplace(node, line_of.size());
  if (line_of.size() != listed_.size() || static_cast<std::int32_t>(listed_.size()) == machine.node_count()) return;
  const auto is_number = [&](const auto& entry) { return entry.first.index() < listed_.size(); };
  const auto is_alike = [](const auto& entry) { return entry.first.index() == entry.second; };
  if (std::ranges::all_of(line_of, is_number) && !std::ranges::all_of(line_of, is_alike))
    core::fail_input(
        "{}: its {} hosts may be those of the nodes 0 to {}, or of the job's nodes, which are these in another order; "
        "expected the host of each node of {}, or the job's nodes in the order of their numbers",
        text_, listed_.size(), listed_.size() - 1, machine.name());
  line_of_ = std::move(line_of);
}

std::string HostNames::of(NodeId node) const {
  if (listed_.empty()) return fmt::format("{}{:0{}}{}", before_, node, digits_, after_);
  if (const auto line = line_of_.find(node); line != line_of_.end()) return listed_[line->second];
  if (node.index() >= listed_.size())
    core::fail_input("{}: found {} hosts, expected one for node {} too", text_, listed_.size(), node);
  return listed_[node.index()];
}

const core::Registry<WriteRankFile>& rank_file_formats() {
  static const core::Registry<WriteRankFile> registry(
      "format",
      {{"nodes", "toroid's mapping file, a node number a line in rank order: simulate --map FILE",
        [](const RankFile& file) { return mapping_text(file.mapping); }},
       {"openmpi",
        "Open MPI, rank 0=node-5 slot=0 a line: mpirun --rankfile FILE; from 5.0 on --map-by rankfile:file=FILE",
        write_openmpi},
       {"mpich",
        "Cray MPICH, the ranks in the order of the slots, a line per node: name it MPICH_RANK_ORDER, set "
        "MPICH_RANK_REORDER_METHOD=3",
        write_mpich},
       {"slurm", "Slurm, a host name a line in rank order: SLURM_HOSTFILE=FILE srun --distribution=arbitrary",
        write_slurm},
       {"bluegene",
        "Blue Gene, x y z core a line in rank order: BGLMPI_MAPPING=FILE; on Q, with five coordinates, runjob "
        "--mapping FILE",
        write_bluegene},
       {"fugaku", "Fujitsu MPI, (x,y,z) a line in rank order: mpiexec --vcoordfile FILE", write_fugaku},
       {"jax", "JAX, which of jax.devices() is at each place of a Mesh, as JSON: [3, 0, 1, 2]", write_jax},
       {"reorder",
        "for programs that order their ranks themselves, a rank a line for each process as launched: its key in "
        "MPI_Comm_split",
        write_reorder}});
  return registry;
}

}  // namespace toroid::mapping
