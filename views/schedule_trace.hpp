#pragma once
// A schedule for viewers of traces.

#include <string_view>
#include <vector>

#include "core/output.hpp"
#include "cosim/pictures.hpp"

namespace toroid::views {

/// Writes the jobs as a trace for ui.perfetto.dev: a slice for each job, on as few tracks as have room for all
/// that run at once, and as counters the nodes that jobs have and the jobs that wait. A second of the log is a second
/// there.
void write_schedule_trace(const std::vector<cosim::GanttJob>& jobs, std::string_view title, core::OutputFile& file);

}  // namespace toroid::views
