#pragma once
// A run in the formats of the viewers that people have: every call of a rank, what the rank waited for, every message.

#include <string_view>

#include "core/output.hpp"
#include "core/registry.hpp"
#include "netsim/result.hpp"
#include "views/run_document.hpp"
#include "workloads/trace.hpp"

namespace toroid::views {

/// A run whose result has a timeline (netsim::ReplayOptions::keep_timeline) and, for formats that draw links, windows
/// (netsim::RunRequest::keep_windows).
struct ViewedRun {
  const netsim::Machine& machine;
  const workloads::Trace& trace;
  const netsim::Result& result;
  RunNames names;
};

/// A format: one of the functions writes a run, beside which it needs 8 bytes for each message. Both throw InputError
/// on runs that are longer than the clock of the format goes, 292 years.
struct RunFormat {
  void (*write_file)(const ViewedRun& run, core::OutputFile& file) = nullptr;
  void (*write_folder)(const ViewedRun& run, const core::OutputFolder& folder) = nullptr;  ///< of an archive
  bool draws_links = false;       ///< the busiest ones over time
  bool is_folder = false;         ///< whether it is an archive, also where `missing` says why it cannot be written
  std::string_view missing = {};  ///< what this program was built without, and cannot write the format therefore
};

const core::Registry<RunFormat>& run_formats();

}  // namespace toroid::views
