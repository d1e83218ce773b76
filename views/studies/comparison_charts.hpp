#pragma once
// The bar charts of a comparison.

#include "views/charts/bar_chart.hpp"
#include "views/studies/compared_times.hpp"

namespace toroid::views {

/// How long bars are.
struct BarLengths {
  bool absolute = false;  ///< times with their unit, in place of times over the best
  double cut = 0;         ///< as BarChart::cut
};

/// The chart of mappers: a panel per machine and allocator, a group per trace.
BarChart mappers_chart(const ComparedTimes& times, const BarLengths& lengths = {});

/// The chart of allocators, with one mapper: a panel per machine, a group per trace.
BarChart allocators_chart(const ComparedTimes& times, const BarLengths& lengths = {});

/// The chart of machines: a group per trace, and in it a bar per machine with the mapper and the allocator that have
/// the lowest mean there.
BarChart machines_chart(const ComparedTimes& times, const BarLengths& lengths = {});

/// The chart of programs on one machine with one mapper: a bar per trace with its time, which is always absolute.
BarChart programs_chart(const ComparedTimes& times, const BarLengths& lengths = {});

/// The chart of what is compared: of mappers a bar each for its mean run time divided by the best mean of the machine
/// and trace, and so on. Whiskers reach from the shortest to the longest run. Each engine has panels of its own.
BarChart comparison_chart(const ComparedTimes& times, const BarLengths& lengths = {});

}  // namespace toroid::views
