#pragma once
// Schedulers that are not toroid's own.

#include "toroid/cosim/scheduler.hpp"

namespace toroid::cosim {

/// The scheduler, whose answers are checked: InputError, which names the scheduler and the job, says what is wrong with
/// one, be it a job that does not wait, or one that is named for ever while nothing happens.
std::unique_ptr<Scheduler> checked_scheduler(const std::string& name, std::unique_ptr<Scheduler> scheduler);

}  // namespace toroid::cosim
