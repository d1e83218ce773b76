#include "cosim/scheduler.hpp"

// The schedulers, a line each: the function that returns the entry.
// clang-format off
#define SCHEDULERS(line)       \
  line(fcfs_scheduler)         \
  line(easy_scheduler)         \
  line(conservative_scheduler) \
  line(as_logged_scheduler)
// clang-format on

namespace toroid::cosim {

#define DECLARE(entry) core::Entry<MakeScheduler> entry();
SCHEDULERS(DECLARE)

const core::Registry<MakeScheduler>& schedulers() {
#define CALL(entry) entry(),
  static const core::Registry<MakeScheduler> registry("scheduler", {SCHEDULERS(CALL)});
  return registry;
}

}  // namespace toroid::cosim
