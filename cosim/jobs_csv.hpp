#pragma once
// A line for each job: the columns of Batsim's jobs.csv, which tools for Gantt charts read, and ours after them.

#include <functional>
#include <string>
#include <string_view>

#include "alloc/metrics.hpp"
#include "cosim/record.hpp"

namespace toroid::cosim {

/// Writes a line as soon as a job has ended or was rejected, so that a log of years takes no memory.
class JobsCsv final : public Observer {
 public:
  using Write = std::function<void(std::string_view)>;

  /// `workload` is the name of all jobs together; `with_work` says that the network decides how long they run. Writes
  /// the header at once.
  JobsCsv(const Machine& machine, std::string workload, bool with_work, Write write);
  void ended(const Record& record) override;

 private:
  alloc::Measure measure_;
  std::string workload_;
  bool with_work_;
  Write write_;
};

/// The numbers of nodes as text, in order, with intervals: `0-3 8`.
std::string interval_set(std::span<const NodeId> nodes);

}  // namespace toroid::cosim
