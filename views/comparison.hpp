#pragma once
// Pictures of a comparison of mappings, from the JSON that `toroid compare --json` writes (docs/results.md).

#include <string>

#include "core/json.hpp"

namespace toroid::views {

/// A panel per machine, a group of bars per trace, a bar per mapper: its mean run time over the best mean there. With
/// one mapper on several machines, a group per trace, a bar per machine. Whiskers reach from the shortest to the
/// longest run.
std::string comparison_svg(const core::Json& comparison);

/// All there is to tell in one HTML page without scripts or other files: the picture, the verdicts, the machines
/// against each other, the times, the correlations, and what it was made from.
std::string comparison_html(const core::Json& comparison);

}  // namespace toroid::views
