#pragma once
// The operations of one rank in an OTF2 archive, and what its communicators and collectives mean. Archives only say how
// many bytes a rank sent and received in all in a collective. Score-P counts what the call moves if all ranks exchange
// their parts one with another: a broadcast of b bytes to n ranks has its root send n * b bytes, an allreduce of b
// bytes has every rank send and receive n * b. A rank that works in place leaves itself out.

#include <set>
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

// Messages of which an archive has one end alone, since recording was switched off at the other rank when the other end
// came. For instance rank 0 sends to rank 1 and goes on; rank 1 begins a receive, recording is switched off, the
// receive ends, recording is switched on. The archive has the send and no receive, and nobody would take the message in
// a replay.

class HalfMessages {
 public:
  /// Notes the messages of a rank. `comms` knows the communicators of its events.
  void note(Rank rank, const std::vector<Event>& events, Comms& comms);

  /// Finds the messages with one end once all ranks are noted: of each channel as few as explain the numbers and sizes
  /// of what was sent and received around each gap. Where nothing explains these, or the ranks have different numbers
  /// of gaps (but for a single gap on one side), all messages stay: the replay tells them.
  void find();

  /// Whether the message that the event of that number sends or receives has this end alone.
  bool has(Rank rank, std::uint64_t event) const { return ends_.contains({rank, event}); }
  std::size_t size() const { return ends_.size(); }

 private:
  /// From a rank to a rank of a communicator, by tag: messages of a channel do not overtake each other.
  using Channel = std::tuple<CommId, CommRank, CommRank, std::uint32_t>;
  struct End {
    std::uint64_t event, bytes;
    std::size_t stretch;  ///< how many gaps the rank had before the event
  };
  struct Side {
    Rank rank = Rank(0);
    std::vector<End> ends;

    std::size_t before(std::size_t gap) const;  ///< the number of ends before the rank's gap of that number, from 0
  };
  struct Sides {
    Side sent, received;
  };
  /// What is left out at a gap: so many of the sends that were under way, the first ones, since they were received in
  /// it; and so many receives after those of the others, since they were sent in it.
  struct LeftOut {
    std::size_t sends, receives;
  };

  std::size_t gaps_of(const Side& side) const;
  void leave_out(const Side& side, std::size_t first, std::size_t count);
  void find_in(const Side& sent, const Side& received, std::size_t gaps);

  std::map<Channel, Sides> channels_;
  std::map<Rank, std::size_t> gaps_;  ///< how many gaps each rank had
  std::set<std::pair<Rank, std::uint64_t>> ends_;
};

}  // namespace toroid::workloads::otf2
