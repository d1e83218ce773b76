#pragma once
// Many runs of `toroid schedule`.

#include "cli/schedule_options.hpp"

namespace toroid::cli {

/// Does many runs: machines x jobs x schedulers x allocators x repetitions. Throws InputError before the first of them
/// on what cannot run, except that nodes which a log names are judged run by run.
void sweep_schedules(const ScheduleOptions& options);

}  // namespace toroid::cli
