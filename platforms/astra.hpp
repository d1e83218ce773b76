#pragma once
// The network files of ASTRA-sim (analytical networks): a dimension after the other, each with its kind.

#include "toroid/platforms/description.hpp"

namespace toroid::platforms {

/// Whether a file of YAML is such a network: it says npus_count.
bool is_astra_network(const std::string& path);

/// The machine: a torus whose dimensions are the rings of the file, the first one fastest in the numbers of nodes. A GB
/// is 2^30 bytes there. Throws InputError, with file and line, on dimensions that are no rings, and on what is missing.
Description read_astra_network(const std::string& path);

}  // namespace toroid::platforms
