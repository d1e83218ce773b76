#pragma once
// A trace that knows how much of it has been read, so that long work says how far it is.

#include <memory>
#include <string>

#include "core/progress.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {

/// A trace with the same operations as another one, which must outlive it, and a progress bar. It says at the beginning
/// how many operations there are, if they take long. It counts single operations only where one rank takes seconds, as
/// that costs as much as reading them.
class WatchedTrace final : public workloads::Trace {
 public:
  WatchedTrace(const workloads::Trace& trace, std::string title);
  ~WatchedTrace() override;

  std::int32_t ranks() const override { return trace_.ranks(); }
  std::unique_ptr<workloads::OperationStream> open(workloads::Rank rank) const override;
  std::string locate(workloads::Rank rank, std::uint64_t index) const override { return trace_.locate(rank, index); }
  const workloads::Communicator& communicator(workloads::CommId comm) const override {
    return trace_.communicator(comm);
  }
  workloads::CollectiveWorld collectives() const override { return trace_.collectives(); }
  workloads::Computation computation() const override { return trace_.computation(); }
  std::uint64_t operation_count() const override { return trace_.operation_count(); }
  std::size_t memory_bytes() const override { return trace_.memory_bytes(); }

 private:
  class Stream;
  const workloads::Trace& trace_;
  double length_;  ///< approximate number of operations
  mutable core::Progress bar_;
  mutable std::uint64_t read_ = 0;
};

/// Says, before a run, about how many operations it goes through, if that takes long.
void announce_operations(double operations);

}  // namespace toroid::cli
