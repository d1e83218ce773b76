#pragma once
// Collectives in OTF2 archives, which only say how many bytes a rank sent and received in all. Score-P counts what the
// call moves if all ranks exchange their parts one with another: a broadcast of b bytes to n ranks has its root send
// n * b bytes, an allreduce of b bytes has every rank send and receive n * b. A rank that works in place leaves itself
// out.

#include <map>
#include <optional>

#include "workloads/formats/otf2/comms.hpp"

namespace toroid::workloads::otf2 {

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
    std::vector<std::optional<Moved>> moved;  ///< by member
    bool is_same = true;                      ///< whether all ranks have the same kind and root
  };

  std::map<Key, Call> calls_;
  std::map<CommId, std::uint64_t> next_;  ///< the next number of the rank that is being noted
};

}  // namespace toroid::workloads::otf2
