#pragma once
// The bar charts of a comparison, from the JSON that `toroid compare --json` writes.

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "core/json.hpp"
#include "views/bar_chart.hpp"

namespace toroid::views {

/// How long bars are.
struct BarLengths {
  bool absolute = false;  ///< times with their unit, in place of times over the best
  double cut = 0;         ///< as BarChart::cut
};

/// The chart of mappers: a panel per machine and allocator, a group per trace.
BarChart mappers_chart(const core::Json& comparison, const BarLengths& lengths = {});

/// The chart of allocators, with one mapper: a panel per machine, a group per trace.
BarChart allocators_chart(const core::Json& comparison, const BarLengths& lengths = {});

/// The chart of machines: a group per trace, and in it a bar per machine with the mapper and the allocator that have
/// the lowest mean there.
BarChart machines_chart(const core::Json& comparison, const BarLengths& lengths = {});

/// The chart of programs on one machine with one mapper: a bar per trace with its time, which is always absolute.
BarChart programs_chart(const core::Json& comparison, const BarLengths& lengths = {});

/// Whether a comparison is one of programs.
bool compares_programs(const core::Json& comparison);

/// Whether a comparison is one of allocators: of one mapper on the nodes that several of them give.
bool compares_allocators(const core::Json& comparison);

/// The allocators by their names, and what they are called; a single one without a name where none chooses nodes.
std::vector<std::string> allocator_names(const core::Json& comparison);
std::vector<std::string> allocator_labels(const core::Json& comparison);
/// The name of the allocator of an object on a run, or on several; empty where none chooses nodes.
std::string allocator_of(const core::Json& one);

/// Whether the times are those of the communication, as every trace leaves its computation out.
bool is_of_communication(const core::Json& comparison);
/// What the times are: `communication time` or `run time`.
std::string_view time_in_words(const core::Json& comparison);

/// The tokens for which the times of programs are judged, where these train on different numbers of them.
std::optional<double> equal_tokens(const core::Json& comparison);
/// What the times of a trace are multiplied by to be judged.
double time_factor(const core::Json& comparison, const std::string& trace);

/// What ranks wait for in any group of a summary (`exposed_s`).
std::set<std::string> purposes_of(const core::Json& summary);

/// Whether a comparison is one of machines: of one mapper on several of them.
bool compares_machines(const core::Json& comparison);

}  // namespace toroid::views
