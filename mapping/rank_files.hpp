#pragma once
// A mapping as the files that launchers of MPI programs read (docs/reference/mapping.md).

#include <unordered_map>

#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

/// The names of a machine's hosts, from the numbers of its nodes.
class HostNames {
 public:
  /// A name with one `{}` where the number goes, `node-{}`, or `{:0W}` for numbers of at least W digits, filled up with
  /// zeros, `nid{:05}`; or a file with the host of each node, one a line, node 0 first, or of each node of a job (see
  /// belong_to). Throws InputError on anything else, and on characters that no host name has.
  explicit HostNames(const std::string& text);
  /// The names that the nodes of the machine have, or `node-{}` where they have none.
  explicit HostNames(const Machine& machine);

  /// Lets a file with as many hosts as the job has nodes, and not as many as the machine, name the nodes of the job, in
  /// the order in which they come among its slots. Throws InputError where its lines could as well be those of the
  /// nodes 0, 1, ... and would name others then.
  void belong_to(const Machine& machine, std::span<const NodeId> slots);

  /// Throws InputError when the file has no line for the node.
  std::string of(NodeId node) const;

 private:
  void parse_pattern(std::string_view pattern);
  void read_file(const std::string& path);

  std::string text_, before_, after_;
  int digits_ = 1;                   ///< digits of a number, at least
  std::vector<std::string> listed_;  ///< the hosts of a file
  /// The lines of the nodes of a job; empty: node n has the n-th line.
  std::unordered_map<NodeId, std::size_t> line_of_;
};

/// What is written: the mapping of a job on its slots (see MappingProblem).
struct RankFile {
  const Machine& machine;
  std::span<const NodeId> slots;
  const Mapping& mapping;
  const HostNames& hosts;
};

/// The whole text of the file. Throws InputError when the format cannot say it.
using WriteRankFile = std::string (*)(const RankFile& file);

/// The formats: `nodes` (our mapping file), `openmpi`, `mpich`, `slurm`, `bluegene`, `fugaku`, `jax`, `reorder`.
const core::Registry<WriteRankFile>& rank_file_formats();

}  // namespace toroid::mapping
