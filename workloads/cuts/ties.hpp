#pragma once
// Which operations of a trace belong together, so that a cut must not part them: the two ends of a message, the calls
// of a collective, a request and the wait that ends it, a put and its fence. An example:
//
//   rank 0: irecv from 1, compute, wait        rank 1: compute, send to 0, compute
//
// A cut behind the irecv of rank 0 and before all that rank 1 does, {1, 0}, would part the irecv from its wait and from
// the send. closed({1, 0}) is {3, 2}: both ranks are moved on by two operations.

#include <map>
#include <tuple>
#include <vector>

#include "workloads/cut.hpp"

namespace toroid::workloads {

class Ties {
 public:
  /// Reads the trace. Throws InputError as cut_between does.
  explicit Ties(const Trace& trace);

  /// The least cut that has at least the operations before `places` before it, and that parts none that belong
  /// together.
  Places closed(Places places);

 private:
  /// Messages from one rank to another of a communicator with one tag: the n-th that is sent is the n-th received.
  struct Channel {
    std::vector<std::uint64_t> sends, receives;  ///< indices of the operations
    Rank sender = 0, receiver = 0;
  };
  /// The calls of collectives on a communicator.
  struct Calls {
    std::vector<std::vector<std::uint64_t>> by_member;  ///< indices of the operations
    std::uint64_t within = 0;                           ///< how many of them must lie before the cut at all members
  };
  /// What must lie on one side of a cut with an operation.
  struct Tie {
    enum class Kind { send, receive, collective, request } kind;
    std::uint64_t index;   ///< index of the operation
    std::uint64_t number;  ///< number of the message or call; for a request the index of the operation that ends it
    std::uint32_t of;      ///< the channel or communicator
  };
  struct Reading;

  void read(Rank rank);
  void read(Reading& at, const Operation& op);
  void fence(Reading& at, CommId comm);
  void start(Reading& at, RequestHandle handle);
  void message(Reading& at, const Operation& op);
  void call(Reading& at, const Operation& op);
  std::uint32_t channel(CommId comm, CommRank from, CommRank to, std::int32_t tag);
  std::size_t tie(const Reading& at, Tie::Kind kind, std::uint64_t number, std::uint32_t of);
  void give(Reading& at, RequestHandle handle);
  void take(Reading& at, RequestHandle handle, bool for_certain);
  void check(const Channel& channel) const;

  void follow(Rank rank);
  void reach_call(Rank caller, const Tie& tie);
  void reach(Rank rank, std::uint64_t index);

  const Trace& trace_;
  core::IdVector<Rank, std::vector<Tie>> ties_;
  std::vector<Channel> channels_;
  std::map<std::tuple<CommId, CommRank, CommRank, std::int32_t>, std::uint32_t> channel_numbers_;
  std::map<CommId, Calls> calls_;
  // While a cut is closed:
  Places places_;
  core::IdVector<Rank, std::size_t> next_;  ///< the next of each rank's ties to follow
  std::vector<Rank> pending_;               ///< ranks of which more operations have come before the cut
};

}  // namespace toroid::workloads
