#pragma once
// What nodes, routers and links are called: one grammar for what is printed, for options and for platform files.
//
//   node     n3, or 3 where only a node can be meant
//   router   r16 by its number, (0,2) by its coordinates, n3 by a node on it; 3 where node 3 is on router 3
//   link     r16 -> r18 (+x)   the one along +x            r16 -> r18, r16>r18   all from the first to the second
//            r16-r18           all between them, both ways   r16-r18 (+x)        the one along +x and its opposite
//            line of r16 (x)   a shared line               n3 injection, n3 ejection
//
// A bare number never means one thing silently where it could be read as another: where node 3 is not on router 3, only
// n3 and r3 name routers.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::platforms {

/// `3` or `n3`; nothing if the text is no node. Whether the node exists is not looked at.
std::optional<NodeId> parse_node_name(std::string_view text);

/// Names of routers with blanks between them, or `none`. Throws InputError that begins with `what`.
std::vector<RouterName> parse_router_names(const Description& description, std::string_view text,
                                           std::string_view what);
/// The same of links.
std::vector<LinkName> parse_link_names(const Description& description, std::string_view text, std::string_view what);

/// What reads back as the same name.
std::string to_string(const RouterName& name);
std::string link_text(const Description& description, const LinkName& name);

/// `(0,2)`: where a router is.
std::string coordinates_text(const Grid& grid, RouterId router);

/// The router that a name means on a machine that has it (check.hpp). Throws InputError where a bare number is a node's
/// on another router.
RouterId router_named(const Machine& machine, const RouterName& name);

/// The links that a name means, those that failed as well; at least one. Throws InputError when there is none.
std::vector<LinkId> links_named(const Machine& machine, const LinkName& name);

}  // namespace toroid::platforms
