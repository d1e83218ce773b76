#pragma once
// Pictures of a machine: a plane of its grid, in the terminal or as SVG.

#include <string>

#include "platforms/machine.hpp"

namespace toroid::views {

/// The plane that a picture shows: along two dimensions, at these coordinates of the others.
struct Slice {
  std::size_t across = 0, down = 0;  ///< equal on machines of one dimension
  platforms::Coordinates at{};
};

/// The first two dimensions at `at`, such as `z=2` or `z=2,d3=1`; other coordinates are 0. Throws InputError.
Slice parse_slice(const platforms::Machine& machine, const std::string& at);

/// Routers as letters (platforms::symbol), links as lines and arrows, with a legend. Without links where it would be
/// wider than 120 characters or taller than 60 lines.
std::string machine_text(const platforms::Machine& machine, const Slice& slice);

/// The same as a picture: links coloured by bandwidth, failed ones dashed, node numbers in tooltips.
std::string machine_svg(const platforms::Machine& machine, const Slice& slice);

}  // namespace toroid::views
