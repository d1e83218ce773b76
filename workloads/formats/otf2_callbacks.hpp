#pragma once
// Which of an archive's events are kept, and as what.

#include <otf2/otf2.h>

#include <unordered_map>
#include <unordered_set>

#include "workloads/formats/otf2_archive.hpp"

namespace toroid::workloads::otf2 {

/// What MPI did, out of all that happened at a location.
struct KeptEvents {
  std::unordered_set<OTF2_RegionRef> calls;                             ///< regions that are calls of MPI
  std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> contexts;  ///< all of them, and their regions
  std::unordered_set<OTF2_RmaWinRef> windows;                           ///< of MPI
  std::vector<Event> events;
};

/// To be registered with the address of a KeptEvents, to which they add.
OTF2_EvtReaderCallbacks* event_callbacks();

}  // namespace toroid::workloads::otf2
