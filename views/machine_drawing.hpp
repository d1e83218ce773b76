#pragma once
// Pictures of a machine: a plane of its grid, in the terminal or as SVG.

#include <string>

#include "views/machine_plane.hpp"

namespace toroid::views {

/// The plane as text: routers as letters (platforms::symbol), links as lines and arrows, and a legend. Links are left
/// out where the text would be wider than 120 characters or taller than 60 lines.
std::string machine_text(const platforms::Machine& machine, const Slice& slice);

/// The plane as SVG: links are coloured by bandwidth, failed ones dashed; one-way ones have arrowheads; tooltips have
/// the numbers of nodes.
std::string machine_svg(const platforms::Machine& machine, const Slice& slice);

}  // namespace toroid::views
