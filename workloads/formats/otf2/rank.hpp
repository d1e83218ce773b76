#pragma once
// The operations of one rank in an OTF2 archive, and what its communicators and collectives mean. Archives only say how
// many bytes a rank sent and received in all in a collective. Score-P counts what the call moves if all ranks exchange
// their parts one with another: a broadcast of b bytes to n ranks has its root send n * b bytes, an allreduce of b
// bytes has every rank send and receive n * b. A rank that works in place leaves itself out.

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

struct CollectiveKind {
  OpKind kind;
  bool has_equal_blocks;  ///< whether a rank's own event says what it contributes
};

/// What a number of OTF2_CollectiveOp means. `error` says why it is not understood. Without kind and error it is no
/// operation of ours, but makes or ends something that ranks share.
struct FoundCollective {
  std::optional<CollectiveKind> kind;
  std::string error;
};
FoundCollective collective_of(std::uint8_t op);

/// The bytes that a rank sent and received in a collective.
struct Moved {
  std::uint64_t sent = 0, received = 0;
};

/// The contribution of rank `me` of `size` to a collective of equal blocks, in bytes: Operation::bytes, or, for scatter
/// and reduce_scatter, the block of one rank. Returns nothing if no contribution fits the bytes that were moved.
std::optional<std::uint64_t> contribution(OpKind kind, CommRank size, CommRank me, CommRank root, Moved moved);

/// The collectives whose blocks differ: the ranks' events together say how long each block is.
class UnequalBlocks {
 public:
  using Key = std::pair<CommId, std::uint64_t>;  ///< a communicator, and which of its collectives of this sort

  /// Notes what a rank did. Returns the number with which to ask blocks().
  std::uint64_t add(OpKind kind, const LocalComm& comm, CommRank root, Moved moved);
  /// Ends the notes of a rank; call it before those of the next rank.
  void end_rank() { next_.clear(); }

  /// Bytes of each rank's block once all ranks are noted; `error` says what is wrong.
  struct Blocks {
    std::vector<std::uint64_t> bytes;
    std::string error;
  };
  Blocks blocks(CommId comm, std::uint64_t number) const;

 private:
  struct Call {
    OpKind kind;
    CommRank root;
    std::vector<std::optional<Moved>> moved;  ///< what each member moved
    bool is_same = true;                      ///< whether all ranks have the same kind and root
  };

  std::map<Key, Call> calls_;
  std::map<CommId, std::uint64_t> next_;  ///< the next number of the rank that is being noted
};

class HalfMessages;

/// What all ranks' readers share.
struct Shared {
  CompactTrace& trace;
  const Definitions& definitions;
  std::unordered_map<Ref, std::string_view> calls;  ///< names of the regions that are calls
  std::unordered_map<Ref, Ref> windows;             ///< communicators of the windows
  Comms comms;
  UnequalBlocks unequal;
  const HalfMessages* half = nullptr;  ///< messages that are left out, as the archive has one of their ends alone
  std::uint64_t unrecorded = 0;        ///< ticks of all ranks for which recording was switched off
  std::int32_t unrecorded_ranks = 0;   ///< how many ranks had such

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
