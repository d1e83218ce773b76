#pragma once
// What readers of job logs do with a job that is not as its format says.

#include <cstdint>
#include <string>

#include "core/error.hpp"
#include "workloads/jobs/jobs.hpp"

namespace toroid::workloads {

/// Lets `read` read a job. Where it is malformed: false, and it is counted, if reading is lenient; else an InputError
/// that says how to leave it out.
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

}  // namespace toroid::workloads
