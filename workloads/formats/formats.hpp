#pragma once
// The trace formats, one file each; the table of them is in formats.cpp.

#include <memory>
#include <string>

#include "workloads/trace.hpp"

namespace toroid::workloads {

struct TraceFormat {
  /// Whether the file looks like one of this format.
  bool (*recognizes)(const std::string& path);
  /// Reads a trace. Throws InputError on anything that is not understood.
  std::unique_ptr<Trace> (*read)(const std::string& path);
};

/// The trace formats; the first that recognizes a file reads it.
const core::Registry<TraceFormat>& trace_formats();

}  // namespace toroid::workloads
