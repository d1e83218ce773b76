#pragma once
// A trace that knows how much of it has been read, so that long work says how far it is.

#include <memory>
#include <string>

#include "core/progress.hpp"
#include "workloads/trace.hpp"

namespace toroid::cli {

/// As the other, which must outlive it. Says at the beginning how many operations it has, if that takes long. Counting
/// them one by one would cost as much as reading them: that is done only where a single rank takes seconds.
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
  std::uint64_t operation_count() const override { return trace_.operation_count(); }
  std::size_t memory_bytes() const override { return trace_.memory_bytes(); }

 private:
  class Stream;
  const workloads::Trace& trace_;
  double length_;  ///< about how many operations it has
  mutable core::Progress bar_;
  mutable std::uint64_t read_ = 0;
};

/// About how many operations a run goes through is said before, if that takes long.
void announce_operations(double operations);

}  // namespace toroid::cli
