#pragma once
// The pictures of a comparison: bars of its means, and its runs for Vega-Lite, in which users draw them as they like.

#include <string>

#include "views/charts/bar_chart.hpp"
#include "views/studies/study_runs.hpp"

namespace toroid::views {

/// How long bars are.
struct BarLengths {
  bool absolute = false;  ///< times with their unit, in place of times over the best
  double cut = 0;         ///< what BarChart::cut says
};

/// Bars for what is in `series`, a group for each trace. Mappers have a panel for each machine and allocator,
/// allocators (with one mapper) a panel for each machine. Machines have one panel: a bar is the mapper and the
/// allocator with the lowest mean there. Traces, on one machine with one mapper, have a bar each, whose length is
/// always absolute. Each engine has panels of its own. Whiskers reach from the shortest to the longest run.
BarChart comparison_chart(const StudyRuns& study, StudyRuns::Kind series, const BarLengths& lengths = {});

/// The chart of what is compared.
BarChart comparison_chart(const StudyRuns& study, const BarLengths& lengths = {});

/// The run times as a specification in Vega-Lite 5 with the data in it: a plot for each machine and trace, with the
/// means, their 95 % confidence intervals and all runs of each mapper, by each engine.
std::string comparison_vega(const StudyRuns& study);

}  // namespace toroid::views
