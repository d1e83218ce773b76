#pragma once
// The picture of a comparison: bars of its means.

#include "views/charts/charts.hpp"
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

BarChart comparison_chart(const StudyRuns& study, const BarLengths& lengths = {});

}  // namespace toroid::views
