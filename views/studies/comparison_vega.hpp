#pragma once
// The runs of a comparison for Vega-Lite, in which users draw them as they like.

#include <string>

#include "views/studies/compared_times.hpp"

namespace toroid::views {

/// The run times as a specification in Vega-Lite 5 with the data in it: a plot for each machine and trace, with the
/// means, their 95 % confidence intervals and all runs of each mapper, by each engine.
std::string comparison_vega(const ComparedTimes& times);

}  // namespace toroid::views
