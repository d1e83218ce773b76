#pragma once
// What readers of job logs take for malformed, and what they do with a job that is.

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "jobs/jobs.hpp"

namespace toroid::jobs {

/// The latest time that a log may tell, in seconds: 30,000 years, more is no time.
inline constexpr double latest_second = 1e12;

/// Calls `read`, which reads a job, and returns true. If the job is malformed, lenient reading counts it in `malformed`
/// and returns false; strict reading throws an InputError that says how to leave such jobs out.
template <class Read>
bool read_or_leave_out(Reading reading, std::uint64_t& malformed, Read&& read) {
  try {
    read();
    return true;
  } catch (const core::InputError& error) {
    if (reading == Reading::strict)
      throw core::InputError(std::string(error.what()) + " (--lenient leaves such jobs out)");
    ++malformed;
    return false;
  }
}

}  // namespace toroid::jobs
