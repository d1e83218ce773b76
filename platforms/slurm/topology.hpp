#pragma once
// Slurm's topology.yaml (26.05): the tori of topology/torus3d and the rings of topology/ring as a machine.

#include "toroid/platforms/description.hpp"

namespace toroid::platforms {

/// What of a file becomes the machine; empty names: the topology that Slurm takes for the cluster's, and all its tori.
struct TopologyPart {
  std::string topology, torus;
};

/// The machine: a torus of x, y and z; of several tori of one size, these beside each other along a fourth dimension
/// called `torus`; of rings, a ring along x, and these along `ring`. Nodes are numbered torus by torus, x fastest, and
/// have the names of the file; cells without a node are absent. Throws InputError, with file and line, on what Slurm
/// refuses, and on tori of different sizes, of which the part must name one.
Description read_topology(const std::string& path, const TopologyPart& part);

/// A value in a YAML file.
struct Yaml {
  enum class Kind : std::uint8_t { text, list, map };
  Kind kind = Kind::text;
  std::uint64_t line = 1;                                 ///< where it begins, from 1
  std::string text = {};                                  ///< the content of a text
  std::vector<Yaml> items = {};                           ///< the items of a list
  std::vector<std::pair<std::string, Yaml>> fields = {};  ///< the fields of a map, in the order of the file

  /// The value of a key of a map; null if there is none.
  const Yaml* find(std::string_view key) const;
};

/// The document in a file; only the first counts. Throws InputError, with file and line, on what is no YAML, on a key
/// that is given twice, on more than 16 MiB, on values that are deeper than 100 levels, on aliases.
Yaml read_yaml(const std::string& path);

// The network files of ASTRA-sim (analytical networks): a dimension after the other, each with its kind.

/// Whether a file of YAML is such a network: it says npus_count.
bool is_astra_network(const std::string& path);

/// The machine: a torus whose dimensions are the rings of the file, the first one fastest in the numbers of nodes. A GB
/// is 2^30 bytes there. Throws InputError, with file and line, on dimensions that are no rings, and on what is missing.
Description read_astra_network(const std::string& path);

}  // namespace toroid::platforms
