#pragma once
// Which of an archive's events are kept, and as what.

#include <otf2/otf2.h>

#include <unordered_map>
#include <unordered_set>

#include "workloads/formats/otf2/archive.hpp"

namespace toroid::workloads::otf2 {

/// The events of MPI among all events of a location.
struct KeptEvents {
  std::unordered_set<OTF2_RegionRef> calls;                             ///< regions that are calls of MPI
  std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> contexts;  ///< all calling contexts and their regions
  std::unordered_set<OTF2_RmaWinRef> windows;                           ///< windows of MPI
  std::vector<Event> events;
};

/// The callbacks for OTF2's reader. Register them with the address of a KeptEvents, to which they add events.
OTF2_EvtReaderCallbacks* event_callbacks();

}  // namespace toroid::workloads::otf2
