#pragma once
// Lines of CSV while a schedule goes on: of jobs, of instants, of the states of nodes.

#include "alloc/metrics.hpp"
#include "cosim/free_pieces.hpp"

namespace toroid::cosim {

/// A line for each job: the columns of Batsim's jobs.csv, which tools for Gantt charts read, and ours after them.
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

/// Writes how much of the machine is in use, how many jobs wait, and into how many pieces what is free has fallen: a
/// line of CSV after each instant in which jobs came, started, ended or changed their size, in time in proportion to
/// the machine.
class TimelineCsv final : public FollowedPieces {
 public:
  using Write = std::function<void(std::string_view)>;

  /// Writes the header at once by `write`, and later all lines.
  TimelineCsv(const Machine& machine, Write write);
  void submitted(const jobs::Job&, JobId, const Time&) override { ++waiting_; }
  void started(const Record& record) override {
    --waiting_;
    FollowedPieces::started(record);
  }
  void ended(const Record& record) override {
    if (record.end == End::rejected) --waiting_;
    FollowedPieces::ended(record);
  }
  void settled(const Time& now) override;

 private:
  Write write_;
  std::int64_t waiting_ = 0;
};

/// Writes how many nodes compute, idle or are out, as the table that Batsim calls machine_states.csv and evalys draws:
/// a line after each instant in which one of the numbers has changed. Nodes that are out count as sleeping: the five
/// states are all that evalys draws, and evalys refuses a table whose lines have other sums of these.
class MachineStatesCsv final : public FollowedPieces {
 public:
  using Write = std::function<void(std::string_view)>;

  /// Writes the header and the state at the beginning at once by `write`, and later all lines.
  MachineStatesCsv(const Machine& machine, Write write);
  void settled(const Time& now) override {
    if (held() != held_ || out() != out_) write(now.seconds());
  }

 private:
  void write(double time);

  Write write_;
  std::int32_t held_ = 0, out_ = 0;  ///< nodes, as they were written last
};

/// Calls visit(first, count) for each run of consecutive numbers among `nodes`, in their order. No node is there twice.
template <class Visit>
void for_each_run(std::span<const platforms::NodeId> nodes, Visit visit) {
  std::vector<platforms::NodeId> sorted(nodes.begin(), nodes.end());
  std::ranges::sort(sorted);
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    for (end = begin + 1; end < sorted.size() && sorted[end] == sorted[end - 1] + 1;) ++end;
    visit(sorted[begin], end - begin);
  }
}

}  // namespace toroid::cosim
