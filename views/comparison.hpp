#pragma once
// Pictures of a comparison of mappings, from the JSON that `toroid compare --json` writes (docs/reference/results.md).

#include <string>

#include "core/json.hpp"
#include "views/comparison_charts.hpp"

namespace toroid::views {

/// A bar chart as SVG: a panel per machine, a group of bars per trace, and a bar per mapper, which shows its mean run
/// time divided by the best mean there. With one mapper on several machines there is a bar per machine instead.
/// Whiskers reach from the shortest to the longest run. Each engine that was asked has panels of its own.
std::string comparison_svg(const core::Json& comparison, const BarLengths& lengths = {});

/// The whole comparison as one HTML page without scripts or other files: the picture, the verdicts, the machines
/// compared with each other, the times, the correlations, and the inputs.
std::string comparison_html(const core::Json& comparison);

/// The run times as a specification in Vega-Lite 5 with the data in it: a plot for each machine and trace, with the
/// means, their 95 % confidence intervals and all runs of each mapper, by each engine.
std::string comparison_vega(const core::Json& comparison);

}  // namespace toroid::views
