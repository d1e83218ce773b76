#pragma once
// Lists of nodes as people and Slurm write them: by numbers, `0-15`, by the names that the nodes of a machine have,
// `nid[001-032,040]`, or by boxes, `(0-5,0,0)`.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "platforms/description.hpp"

namespace toroid::platforms {

/// The parts of a list between its commas; commas in brackets and parentheses do not split.
std::vector<std::string_view> split_host_list(std::string_view text);

/// The names that a list of hosts stands for, in its order: `nid[001-003],login` is nid001, nid002, nid003 and login.
/// Throws InputError, which begins with `what`, where the text is no such list or has more than `most` names.
std::vector<std::string> expand_host_list(std::string_view text, std::string_view what, std::int64_t most);

/// The list that expand_host_list() reads back as these names. A name that is empty is written as `-`, and read as it.
std::string host_list(const std::vector<std::string>& names);

/// Reads lists of nodes part by part: `0-15`, `n3`, `nid[001-032]` where the nodes have names, or a box such as
/// `(0-5,0,0)` and `z=0`.
class NodeNames {
 public:
  /// The description must outlive it.
  explicit NodeNames(const Description& description);

  /// The nodes that one part of a list names. Does not check whether nodes of these numbers exist. Throws InputError,
  /// which begins with `what`, where the text is no such part, for names that no node has, and for one that is the name
  /// of a node and stands for the number of another.
  std::vector<NodeSet> read(std::string_view part, std::string_view what) const;

 private:
  const Description& m_;
  std::unordered_map<std::string_view, NodeId> called_;
};

/// The name of a node, or `n3` where it has none.
std::string node_name(const Description& description, NodeId node);

}  // namespace toroid::platforms
