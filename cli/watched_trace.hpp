#pragma once
// A trace that knows how much of it has been read, so that long work says how far it is.

#include "core/progress.hpp"
#include "toroid/mapping/mapper.hpp"
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

/// The messages of a TRACE argument that may also be a communication matrix.
struct OpenedTraffic {
  std::shared_ptr<const workloads::Trace> opened = {};
  std::unique_ptr<WatchedTrace> trace = {};  ///< the same; null: a matrix alone
  std::unique_ptr<mapping::Traffic> traffic = {};
};

/// Reads the argument. `matrix` and `collectives` say, as the options of these names do, which messages of a trace
/// count. Throws InputError on a matrix if they ask for others than by default.
OpenedTraffic open_traffic(const std::string& argument, const std::string& matrix, const std::string& collectives);

/// Says, before a run, about how many operations it goes through, if that takes long.
void announce_operations(double operations);

}  // namespace toroid::cli
