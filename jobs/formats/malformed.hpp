#pragma once
// What readers of job logs do with a job that is not as its format says.

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "jobs/jobs.hpp"

namespace toroid::jobs {

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
