#pragma once
// The communicators of an OTF2 archive, as those of a trace.

#include <unordered_map>

#include "workloads/compact_trace.hpp"
#include "workloads/formats/otf2/archive.hpp"

namespace toroid::workloads::otf2 {

/// A communicator as one of its members uses it.
struct LocalComm {
  CommId id;
  const Communicator* members;
  CommRank me;             ///< the member's own rank in it
  bool is_global = false;  ///< whether events name partners by their ranks in the world

  /// The rank in this communicator of a partner that an event names; no_process if there is none of that number.
  CommRank rank_of(std::uint32_t partner) const;
};

class Comms {
 public:
  /// Adds the communicators to the trace. Throws InputError on members that are no ranks.
  Comms(CompactTrace& trace, const Definitions& definitions, const std::string& path);

  /// Why a rank cannot use a communicator: `found ..., expected ...`; empty if it can.
  std::string error_of(Ref comm, Rank rank) const;
  /// A communicator as `rank` uses it; error_of() must be empty. MPI_COMM_SELF is another communicator for each rank.
  LocalComm of(Ref comm, Rank rank);

 private:
  struct Known {
    CommHead head;
    CommId id;
    Communicator members;
  };

  CompactTrace& trace_;
  std::unordered_map<Ref, Known> known_;
  std::unordered_map<Rank, std::pair<CommId, Communicator>> alone_;  ///< MPI_COMM_SELF of each rank that uses it
};

}  // namespace toroid::workloads::otf2
