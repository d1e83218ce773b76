#pragma once
// Pictures of a machine: a plane of its grid, in the terminal or as SVG.

#include <string>

#include "platforms/machine.hpp"

namespace toroid::views {

/// The plane that a picture shows: the dimensions along it, and the coordinates `at` of the others.
struct Slice {
  std::size_t across = 0, down = 0;  ///< equal on machines of one dimension
  platforms::Coordinates at{};
};

/// The plane along the first two dimensions at the coordinates in `at`, such as `z=2` or `z=2,d3=1`; the others are 0.
/// Throws InputError.
Slice parse_slice(const platforms::Machine& machine, const std::string& at);

/// The plane as text: routers as letters (platforms::symbol), links as lines and arrows, and a legend. Links are left
/// out where the text would be wider than 120 characters or taller than 60 lines.
std::string machine_text(const platforms::Machine& machine, const Slice& slice);

/// The plane as SVG: links are coloured by bandwidth, failed ones dashed; tooltips have the numbers of nodes.
std::string machine_svg(const platforms::Machine& machine, const Slice& slice);

}  // namespace toroid::views
