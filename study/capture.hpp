#pragma once
// Captured runs of a program, as a user names them.

#include <string>

#include "workloads/trace_source.hpp"

namespace toroid::study {

/// A captured run, and which run of the program it was.
struct Capture {
  std::string name;  ///< as the user gave it
  workloads::TraceSource trace;
  std::string keys;  ///< of the generator: `class=W`; the number of ranks is the trace's unless it stands there
};

/// Reads `FILE` or `FILE@KEY=VALUE,...`. Throws InputError unless there is such a file.
Capture read_capture(const std::string& text);

}  // namespace toroid::study
