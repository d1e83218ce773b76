#pragma once
// Collectives in OTF2 archives, which only say how many bytes a rank sent and received in all. Score-P counts what the
// call moves if all ranks exchange their parts one with another: a broadcast of b bytes to n ranks has its root send
// n * b bytes, an allreduce of b bytes has every rank send and receive n * b. A rank that works in place leaves itself
// out.

#include <map>
#include <optional>

#include "workloads/formats/otf2_comms.hpp"

namespace toroid::workloads::otf2 {

struct CollectiveKind {
  OpKind kind;
  bool has_equal_blocks;  ///< what a rank contributes follows from its own event
};

/// Of a number of OTF2_CollectiveOp. `error` says why it is not understood; without kind and error it is no operation,
/// but makes or ends something that ranks share.
struct FoundCollective {
  std::optional<CollectiveKind> kind;
  std::string error;
};
FoundCollective collective_of(std::uint8_t op);

/// What a rank sent and received in a collective.
struct Moved {
  std::uint64_t sent = 0, received = 0;
};

/// The contribution (Operation::bytes; of scatter and reduce_scatter the block of one rank) in a collective of equal
/// blocks, of one of `size` ranks; nothing if no contribution moves so much.
std::optional<std::uint64_t> contribution(OpKind kind, CommRank size, CommRank me, CommRank root, Moved moved);

/// The collectives whose blocks differ: the ranks' events together say how long each block is.
class UnequalBlocks {
 public:
  using Key = std::pair<CommId, std::uint64_t>;  ///< a communicator, and which of its collectives of this sort

  /// Notes what a rank did. Returns the number to ask with.
  std::uint64_t add(OpKind kind, const LocalComm& comm, CommRank root, Moved moved);
  /// Called before the next rank's.
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
    bool is_same = true;                      ///< all ranks have the same kind and root
  };

  std::map<Key, Call> calls_;
  std::map<CommId, std::uint64_t> next_;  ///< of the rank that is being noted
};

}  // namespace toroid::workloads::otf2
