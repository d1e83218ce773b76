#pragma once
// The nodes of a machine that a list names (node_names.hpp), and what is such a list.

#include <string>
#include <string_view>
#include <vector>

#include "platforms/machine.hpp"
#include "platforms/node_names.hpp"

namespace toroid::platforms {

/// The nodes that one part of a list names on a machine, which must have them; those of a box by their numbers. Throws
/// InputError, which begins with `what`.
std::vector<NodeId> nodes_called(const Machine& machine, const NodeNames& names, std::string_view part,
                                 std::string_view what);
std::vector<NodeId> nodes_called(const Machine& machine, std::string_view part, std::string_view what);

/// Whether a text is meant for a list of nodes, `5`, `n5`, `nid[001-004]`, `nid001`, `(0-5,0,0)`, `z=0` or `@FILE`, and
/// not for one of the `others` that may stand there, such as `random:0.5` and `mc1x1`.
bool is_node_list(std::string_view text, const std::vector<std::string>& others);

}  // namespace toroid::platforms
