#pragma once
// Slurm's topology.yaml (26.05): the tori of topology/torus3d and the rings of topology/ring as a machine.

#include <string>
#include <string_view>

#include "platforms/description.hpp"

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

}  // namespace toroid::platforms
