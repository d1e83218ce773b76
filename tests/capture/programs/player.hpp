#pragma once
// One rank of a trace, as calls of MPI.

#include <mpi.h>

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "workloads/compact_trace.hpp"

namespace toroid::test {

/// An operation that was done, with its lists.
struct Done {
  workloads::Operation operation;
  std::vector<workloads::RequestHandle> requests;
  std::vector<std::uint64_t> send_counts, recv_counts;
};

class Player {
 public:
  /// Makes the communicators of the trace, in several ways: all ranks must do it.
  Player(const workloads::Trace& trace, workloads::Rank rank);

  /// What the rank did, as a trace in which the other ranks do nothing.
  std::unique_ptr<workloads::CompactTrace> play();

 private:
  struct Request {
    MPI_Request request = MPI_REQUEST_NULL;
    bool is_persistent = false, is_active = true;
    std::size_t receive = 0;  ///< of a receive: its number in done_, plus 1
    /// What each start of a persistent receive from any source receives: each time another rank may send it.
    std::optional<workloads::Operation> open = {};
  };

  void make_communicators();
  MPI_Comm make(const workloads::Communicator& members, int way);
  void do_operation(const workloads::Operation& op);
  void send(const workloads::Operation& op);
  void receive(const workloads::Operation& op);
  void exchange(const workloads::Operation& op);
  void start(const workloads::Operation& op);
  void started(workloads::RequestHandle handle);
  void wait(const workloads::Operation& op);
  void wait_for_some(const workloads::Operation& op);
  void collective(const workloads::Operation& op);
  /// These have ended, if they were under way.
  void took(const workloads::Operation& op, const std::vector<workloads::RequestHandle>& handles,
            const std::vector<MPI_Status>& statuses);
  std::size_t add(const workloads::Operation& op);
  void matched(std::size_t receive, const MPI_Status& status);

  const workloads::Trace& trace_;
  workloads::Rank rank_;
  std::map<workloads::CommId, MPI_Comm> comms_;
  std::map<workloads::RequestHandle, Request> requests_;
  std::map<workloads::CommId, int> collectives_;  ///< so far
  std::vector<Done> done_;
  std::vector<char> sent_, received_;
};

}  // namespace toroid::test
