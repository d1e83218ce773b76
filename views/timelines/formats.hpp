#pragma once
// Runs in the formats of the viewers that people have: every call of a rank, what the rank waited for,
// every message.

#include "core/output.hpp"
#include "views/documents/run_document.hpp"

namespace toroid::views {

/// A run whose result has a timeline (netsim::ReplayOptions::keep_timeline) and, for formats that draw links, windows
/// (netsim::Run::keep_windows).
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
  void (*write_folder)(const ViewedRun& run, const core::OutputFolder& folder) = nullptr;  ///< writes an archive
  bool draws_links = false;       ///< the busiest ones over time
  bool is_folder = false;         ///< whether it is an archive, also where `missing` says why it cannot be written
  std::string_view missing = {};  ///< what this program was built without, and cannot write the format therefore
};

const core::Registry<RunFormat>& run_formats();

inline constexpr std::string_view otf2_help =
    "an OTF2 archive, for Vampir and otf2-print, in this new folder: calls and waits of ranks, messages; a file for "
    "each rank (needs a toroid built with the OTF2 library)";

core::Entry<RunFormat> otf2_format();

}  // namespace toroid::views
