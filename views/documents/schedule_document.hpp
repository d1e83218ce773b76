#pragma once
// All that can be drawn of a schedule, as columns (docs/reference/schedule-columns.md): the machine, its jobs and the
// nodes that they held, nodes that were out, and the pieces of what was free.

#include "cosim/link_loads.hpp"
#include "cosim/pictures.hpp"
#include "views/documents/columns.hpp"

namespace toroid::views {

/// What a schedule is called, for people.
struct ScheduleNames {
  std::string platform, jobs, scheduler, allocator;
};

/// The columns of a schedule that is over. The pieces of what is free are looked for at `most_samples` times at most,
/// on large machines at fewer. `totals` is the result as the command's JSON has it, of which the meta data has the
/// numbers; with `loads` the columns tell how links were used over time. The same schedule gives the same bytes.
Columns schedule_columns(const platforms::Machine& machine, const cosim::GanttObserver& history,
                         const core::Json& totals, const ScheduleNames& names,
                         const std::optional<cosim::LinkLoadsOverTime>& loads = {}, std::size_t most_samples = 1000);

/// The page that draws a schedule: one file that needs no other and fetches nothing.
std::string schedule_page(const Columns& schedule);

}  // namespace toroid::views
