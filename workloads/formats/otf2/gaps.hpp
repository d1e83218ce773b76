#pragma once
// Messages of which an archive has one end alone, since recording was switched off at the other rank when the other end
// came. For instance rank 0 sends to rank 1 and goes on; rank 1 begins a receive, recording is switched off, the
// receive ends, recording is switched on. The archive has the send and no receive, and nobody would take the message in
// a replay.

#include <set>

#include "workloads/formats/otf2/rank.hpp"

namespace toroid::workloads::otf2 {

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
