#pragma once
// The trace formats, one file each; registered in workloads/trace.cpp.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/trace.hpp"

namespace toroid::workloads {

struct TraceFormat {
  std::string_view name;
  std::string_view help;
  /// Whether the file looks like one of this format; the first format that says so reads it.
  bool (*recognizes)(const std::string& path);
  /// Throws InputError on anything that is not understood.
  std::unique_ptr<Trace> (*read)(const std::string& path);
};

const std::vector<TraceFormat>& trace_formats();

}  // namespace toroid::workloads
