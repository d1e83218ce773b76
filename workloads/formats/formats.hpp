#pragma once
// The trace formats, a folder each; the table of them is in formats.cpp.

#include <memory>
#include <string>

#include "core/output.hpp"
#include "workloads/collectives/collectives.hpp"
#include "workloads/trace.hpp"

namespace toroid::workloads {

struct TraceFormat {
  /// Whether the file looks like one of this format.
  bool (*recognizes)(const std::string& path);
  /// Reads a trace. Throws InputError on anything that is not understood.
  std::unique_ptr<Trace> (*read)(const std::string& path);
  /// Adds a trace to the outputs (zstd if the name ends in .zst), with these algorithms where collectives are written
  /// as their messages. Throws InputError on what the format cannot say. Null: the format is only read.
  using Write = void (*)(const Trace& trace, const CollectiveChoice& collectives, core::OutputSet& outputs,
                         const std::string& path);
  Write write = nullptr;
  Write write_per_rank = nullptr;  ///< writes a file for each rank, and `path`, which lists them
};

/// The trace formats; the first that recognizes a file reads it.
const core::Registry<TraceFormat>& trace_formats();

}  // namespace toroid::workloads
