#pragma once
// A trace that knows how much of it has been read, so that long work says how far it is.

#include "core/progress.hpp"
#include "workloads/derived/forwarded_trace.hpp"

namespace toroid::cli {

/// A trace with the same operations as another one, which must outlive it, and a progress bar. It says at the beginning
/// how many operations there are, if they take long. It counts single operations only where one rank takes seconds, as
/// that costs as much as reading them.
class WatchedTrace final : public workloads::ForwardedTrace {
 public:
  WatchedTrace(const workloads::Trace& trace, std::string title);
  ~WatchedTrace() override;

  std::unique_ptr<workloads::OperationStream> open(workloads::Rank rank) const override;

 private:
  class Stream;
  double length_;  ///< approximate number of operations
  mutable core::Progress bar_;
  mutable std::uint64_t read_ = 0;
};

/// Says, before a run, about how many operations it goes through, if that takes long.
void announce_operations(double operations);

}  // namespace toroid::cli
