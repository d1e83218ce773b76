#pragma once
// What both ways to cut a trace share: a trace that is made of operations of another one.

#include <unordered_map>

#include "core/error.hpp"
#include "workloads/compact_trace.hpp"

namespace toroid::workloads {

/// Copies operations into a new trace, and with them the communicators that they use.
class CopiedTrace {
 public:
  /// Its collectives are of the same world as those of `original`, and its computations what those are.
  CopiedTrace(std::int32_t ranks, const Trace& original) : trace_(std::make_unique<CompactTrace>(ranks)) {
    trace_->set_collectives(original.collectives());
    trace_->set_computation(original.computation(), recording_of(original));
  }

  /// Appends an operation. `make(comm)` returns the new trace's communicator for one of the old trace; it is called
  /// once for each communicator but the world.
  template <class Make>
  void add(Rank rank, Operation operation, Make&& make) {
    operation.comm = number_of(operation.comm, make);
    trace_->add(rank, operation);
  }

  std::unique_ptr<CompactTrace> finish() {
    trace_->finish();
    return std::move(trace_);
  }

 private:
  template <class Make>
  CommId number_of(CommId comm, Make&& make) {
    if (comm == world) return world;
    const auto known = comms_.find(comm);
    if (known != comms_.end()) return known->second;
    return comms_.emplace(comm, trace_->add_communicator(make(comm))).first->second;
  }

  std::unique_ptr<CompactTrace> trace_;
  std::unordered_map<CommId, CommId> comms_;
};

/// Ranks whose operations are a graph cannot be cut: what is left would begin earlier.
inline void refuse_graph(const Trace& trace, Rank rank, std::uint64_t index, const Operation& op) {
  if (is_strand(op.kind) || op.kind == OpKind::join)
    core::fail_input("{}: rank {}: {}: a graph of operations cannot be cut", trace.locate(rank, index), rank,
                     to_string(op.kind));
}

}  // namespace toroid::workloads
