#pragma once
// The operations of one rank in an OTF2 archive.

#include "workloads/formats/otf2_collective.hpp"

namespace toroid::workloads::otf2 {

/// What all ranks' readers share.
struct Shared {
  CompactTrace& trace;
  const Definitions& definitions;
  std::unordered_map<Ref, std::string_view> calls;  ///< names of regions
  std::unordered_map<Ref, Ref> windows;             ///< their communicators
  Comms comms;
  UnequalBlocks unequal;

  Shared(CompactTrace& for_trace, const Definitions& all, const std::string& path)
      : trace(for_trace),
        definitions(all),
        calls(all.regions.begin(), all.regions.end()),
        windows(all.windows.begin(), all.windows.end()),
        comms(for_trace, all, path) {}
};

/// Adds the rank's operations to the trace. Those of which all ranks' blocks are still to be found have the number to
/// ask Shared::unequal with in their `amount`. `file` is the one with its events.
void read_rank(Shared& shared, Rank rank, const std::vector<Event>& events, const std::string& file);

}  // namespace toroid::workloads::otf2
