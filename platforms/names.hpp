#pragma once
// What nodes, routers and links are called: one grammar for what is printed, for options and for platform files.
//
//   node     n3, or 3 where only a node can be meant
//   router   r16 by its number, (0,2) by its coordinates, n3 by a node on it; 3 where node 3 is on router 3
//   box      (0-5,0,*) by ranges of coordinates, z=0 or x=0-3 by one dimension: the routers there, or the nodes on them
//   link     r16 -> r18 (+x)   the one along +x            r16 -> r18, r16>r18   all from the first to the second
//            r16-r18           all between them, both ways   r16-r18 (+x)        the one along +x and its opposite
//            line of r16 (x)   a shared line               n3 injection, n3 ejection
//
// A bare number never means one thing silently where it could be read as another: where node 3 is not on router 3, only
// n3 and r3 name routers.

#include <unordered_map>

#include "toroid/platforms/machine.hpp"

namespace toroid::platforms {

/// Reads the name of a node, `3` or `n3`. Returns nothing if the text is none; does not check whether the node exists.
std::optional<NodeId> parse_node_name(std::string_view text);

/// Whether a text looks like the name of a box, or of one router by its coordinates in parentheses.
bool is_box_name(std::string_view text);

/// Reads the name of a box. Throws InputError, which begins with `what`, unless the text is one and the machine has
/// these coordinates.
Box parse_box(const Description& description, std::string_view text, std::string_view what);
/// The text that parse_box() reads back as the same box.
std::string box_text(const Description& description, const Box& box);

/// The coordinates of the places in a box of so many dimensions, the first dimension fastest.
std::vector<Coordinates> places_in(std::size_t dimensions, const Box& box);

/// Reads names of routers, and of boxes of routers, with blanks between them, or `none`. Throws InputError, which
/// begins with `what`.
std::vector<RouterName> parse_router_names(const Description& description, std::string_view text,
                                           std::string_view what);
/// Reads names of links with blanks between them, or `none`. Throws InputError, which begins with `what`.
std::vector<LinkName> parse_link_names(const Description& description, std::string_view text, std::string_view what);

/// The text that parse_router_names() reads back as the same name.
std::string to_string(const RouterName& name);
std::string link_text(const Description& description, const LinkName& name);
/// The direction that such a name says, with a blank before it, ` (+x)`; empty if it says none.
std::string direction_text(const Description& description, const LinkName& name);

/// The coordinates of a router: `(0,2)`.
std::string coordinates_text(const Grid& grid, RouterId router);

/// The number of the dimension of that name. Throws InputError, which begins with `what`, if there is none.
std::size_t find_dimension(const Description& description, std::string_view name, std::string_view what);

/// The parts of a list between its commas, or other separators; those in brackets and parentheses do not split.
std::vector<std::string_view> split_host_list(std::string_view text, std::string_view separators = ",");

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

/// The nodes that one part of a list names on a machine, which must have them; those of a box by their numbers. Throws
/// InputError, which begins with `what`.
std::vector<NodeId> nodes_called(const Machine& machine, const NodeNames& names, std::string_view part,
                                 std::string_view what);
std::vector<NodeId> nodes_called(const Machine& machine, std::string_view part, std::string_view what);

/// Whether a text is meant for a list of nodes, `5`, `n5`, `nid[001-004]`, `nid001`, `(0-5,0,0)`, `z=0` or `@FILE`, and
/// not for one of the `others` that may stand there, such as `random:0.5` and `mc1x1`.
bool is_node_list(std::string_view text, const std::vector<std::string>& others);

}  // namespace toroid::platforms
