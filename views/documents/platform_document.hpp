#pragma once
// All that can be drawn of a machine, as columns, and the page that draws it.

#include "platforms/survey.hpp"
#include "views/documents/columns.hpp"

namespace toroid::views {

/// The nodes at the two ends of a route, the first one first.
using RouteEnds = std::pair<platforms::NodeId, platforms::NodeId>;

/// The columns of a machine, which its user calls `platform`: those that docs/reference/run-columns.md has of the
/// machine, with `link_latency` (s) of each link, 0 of ports, and `route_link`, the links of the route, first to last.
Columns platform_columns(const platforms::Machine& machine, const platforms::Survey& survey,
                         const std::string& platform, const std::optional<RouteEnds>& route = {});

/// The page that draws a machine: one file that needs no other and fetches nothing.
std::string platform_page(const Columns& platform);

}  // namespace toroid::views
