#include <utility>

#include "core/blame.hpp"
#include "cosim/scheduler.hpp"
#include "cosim/schedulers/outside_scheduler.hpp"

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

namespace {

core::Registry<MakeScheduler>& table() {
#define CALL(entry) entry(),
  static core::Registry<MakeScheduler> registry("scheduler", {SCHEDULERS(CALL)});
  return registry;
}

}  // namespace

const core::Registry<MakeScheduler>& schedulers() {
  return table();
}

void add_scheduler(core::Entry<MakeScheduler> entry) {
  entry.make = [make = entry.make, name = std::string(entry.name)](const core::Arguments& arguments) {
    return core::blamed(fmt::format("scheduler '{}'", name), [&] {
      return checked_scheduler(name, make(arguments), core::twin_by([&] { return make(arguments); }));
    });
  };
  table().add(std::move(entry));
}

}  // namespace toroid::cosim
