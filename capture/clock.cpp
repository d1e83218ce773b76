#include "capture/clock.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>

#include <cerrno>

namespace toroid::capture {

int Clock::set(std::string_view name) {
  if (name == "cpu") id_ = CLOCK_PROCESS_CPUTIME_ID;
  if (name != "instructions") return 0;
  perf_event_attr event{};
  event.size = sizeof event;
  event.type = PERF_TYPE_HARDWARE;
  event.config = PERF_COUNT_HW_INSTRUCTIONS;
  event.exclude_kernel = 1;
  event.exclude_hv = 1;
  event.inherit = 1;  // threads that this one will start
  constexpr long this_process = 0, any_processor = -1, no_group = -1;
  counter_ = static_cast<int>(
      ::syscall(SYS_perf_event_open, &event, this_process, any_processor, no_group, PERF_FLAG_FD_CLOEXEC));
  return counter_ < 0 ? errno : 0;
}

}  // namespace toroid::capture
