#pragma once
// The operations of one rank in an OTF2 archive.

#include "workloads/formats/otf2/collective.hpp"

namespace toroid::workloads::otf2 {

/// What all ranks' readers share.
struct Shared {
  CompactTrace& trace;
  const Definitions& definitions;
  std::unordered_map<Ref, std::string_view> calls;  ///< names of the regions that are calls
  std::unordered_map<Ref, Ref> windows;             ///< communicators of the windows
  Comms comms;
  UnequalBlocks unequal;
  std::uint64_t unrecorded = 0;       ///< ticks of all ranks for which recording was switched off
  std::int32_t unrecorded_ranks = 0;  ///< how many ranks had such

  Shared(CompactTrace& for_trace, const Definitions& all, const std::string& path)
      : trace(for_trace),
        definitions(all),
        calls(all.regions.begin(), all.regions.end()),
        windows(all.windows.begin(), all.windows.end()),
        comms(for_trace, all, path) {}
};

/// Adds the rank's operations to the trace. Collectives of unequal blocks, whose sizes are known only after all ranks,
/// have in `amount` the number with which to ask Shared::unequal. `file` is the file with the rank's events.
void read_rank(Shared& shared, Rank rank, const std::vector<Event>& events, const std::string& file);

}  // namespace toroid::workloads::otf2
