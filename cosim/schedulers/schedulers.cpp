#include "core/blame.hpp"
#include "core/entries.hpp"
#include "cosim/schedulers/outside_scheduler.hpp"

namespace toroid::cosim {

// The schedulers, each by the function that returns its entry.
TOROID_ENTRIES(core::Entry<MakeScheduler>, scheduler_entries, fcfs_scheduler, easy_scheduler, conservative_scheduler,
               as_logged_scheduler, priority_scheduler)

namespace {

core::Registry<MakeScheduler>& table() {
  static core::Registry<MakeScheduler> registry("scheduler", scheduler_entries());
  return registry;
}

}  // namespace

const core::Registry<MakeScheduler>& schedulers() {
  return table();
}

void add_scheduler(core::Entry<MakeScheduler> entry) {
  entry.make = [make = entry.make, name = std::string(entry.name)](const core::Arguments& arguments) {
    return core::blamed(fmt::format("scheduler '{}'", name), [&] {
      return checked_scheduler(name, make(arguments));
    });
  };
  table().add(std::move(entry));
}

}  // namespace toroid::cosim
