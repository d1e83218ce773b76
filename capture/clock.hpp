#pragma once
// What counts as computation: time on the wall, time of the processors, or instructions.

#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace toroid::capture {

class Clock {
 public:
  /// Chooses the clock by its name: wall, cpu or instructions. Returns 0, or an errno if the system does not allow it.
  int set(std::string_view name);

  /// The nanoseconds or instructions since some fixed time.
  std::uint64_t now() const {
    if (counter_ >= 0) return count();
    timespec time{};
    ::clock_gettime(id_, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
  }

 private:
  std::uint64_t count() const {
    std::uint64_t value = 0;
    return ::read(counter_, &value, sizeof value) == sizeof value ? value : 0;
  }

  clockid_t id_ = CLOCK_MONOTONIC;
  int counter_ = -1;  ///< descriptor of the counter of instructions
};

}  // namespace toroid::capture
