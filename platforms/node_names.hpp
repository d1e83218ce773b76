#pragma once
// Lists of nodes as people and Slurm write them: by numbers, `0-15`, or by the names that the nodes of a machine have,
// `nid[001-032,040]`.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::platforms {

/// The parts of a list between its commas; commas in brackets and parentheses do not split.
std::vector<std::string_view> split_host_list(std::string_view text);

/// The names that a list of hosts stands for, in its order: `nid[001-003],login` is nid001, nid002, nid003 and login.
/// Throws InputError, which begins with `what`, where the text is no such list or has more than `most` names.
std::vector<std::string> expand_host_list(std::string_view text, std::string_view what, std::int64_t most);

/// The list that expand_host_list() reads back as these names. A name that is empty is written as `-`, and read as it.
std::string host_list(const std::vector<std::string>& names);

/// The nodes that one part of a list names: `0-15`, `n3`, `nid[001-032]` where the nodes have names, or a box such as
/// `(0-5,0,0)` and `z=0`, whose nodes come by their numbers. Nothing where
/// the text is no such part. Does not check whether nodes of these numbers exist. Throws InputError for names that no
/// node has, and for one that is the name of a node and stands for the number of another.
std::optional<std::vector<NodeRange>> nodes_called(const Description& description, std::string_view part);

/// The nodes that one part of a list names on a machine, which must have them. Throws InputError, which begins with
/// `what`.
std::vector<NodeId> nodes_called(const Machine& machine, std::string_view part, std::string_view what);

/// Whether a text is meant for a list of nodes, and not for a spec such as `random:0.5`: `5`, `n5`, `nid[001-004]`,
/// `(0-5,0,0)`, `z=0` or `@FILE`.
bool is_node_list(std::string_view text);

/// The name of a node, or `n3` where it has none.
std::string node_name(const Description& description, NodeId node);

}  // namespace toroid::platforms
