#pragma once
// Schedules in numbers: every machine with every job log, scheduler and allocator, several times where lots are drawn.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "cosim/schedule.hpp"
#include "study/difference.hpp"
#include "study/executor.hpp"
#include "study/job_segments.hpp"
#include "study/journal.hpp"
#include "workloads/jobs/jobs.hpp"

namespace toroid::study {

struct SweepSpec {
  std::vector<std::string> platforms, jobs, schedulers, allocators;
  std::size_t repeats = 1;  ///< of what depends on the seed
  std::uint64_t seed = 1;   ///< repetition r uses seed + r
  std::string engine = {};  ///< see cosim::ScheduleRequest
  cosim::Options options = {};
  // See cosim::ScheduleRequest.
  cosim::ScheduleRequest::Times times = cosim::ScheduleRequest::Times::logged;
  cosim::ProgramOptions programs = {};
  cosim::EpochOptions epochs = {};

  bool has_programs() const { return times != cosim::ScheduleRequest::Times::logged; }
  workloads::Reading reading = workloads::Reading::strict;
};

/// One run, by its indices in the sweep.
struct SweepRun {
  std::size_t platform, jobs, scheduler, allocator;
  std::size_t repetition;
};

struct SweepRow {
  SweepRun run = {};
  core::Json result = {};  ///< totals and what the allocator counted; null if the run failed
  std::string error = {};
  JobSegments segments = {};
};

class Sweep {
 public:
  /// Reads all inputs. Throws InputError on anything that cannot run, and on things given twice.
  explicit Sweep(SweepSpec spec);

  const SweepSpec& spec() const { return spec_; }
  /// The field of the results by which allocators are judged, the less the better: what they aim at, or, where the
  /// network decides how long jobs run, what comes of it.
  std::string judged_by() const { return spec_.has_programs() ? "makespan_s" : "avg_sum_pairwise_hops"; }
  /// Those that differ in the repetition alone follow each other.
  const std::vector<SweepRun>& runs() const { return runs_; }
  /// The name that the journal knows a run by.
  core::Json name(const SweepRun& run) const;
  /// Whether the seed decides something about these jobs that is the same under all allocators: which jobs there are,
  /// what they run, which nodes fail. Then runs with the same seed are pairs.
  bool shares_lots(std::size_t jobs) const { return shares_lots_[jobs]; }
  /// Whether another seed may give another result.
  bool draws_lots(const SweepRun& run) const;
  /// What pairs of a run and another allocator's have in common, where both are run as often: "seed"; "job" where there
  /// is one run of each; empty if they have nothing in common.
  std::string_view paired_by(const SweepRun& run) const;
  /// Does a run and returns, as JSON text, its `result` and its `segments`.
  std::string work(std::size_t run) const;

  /// The files that were read for its machines and logs.
  const std::vector<Input>& inputs() const { return inputs_; }

 private:
  /// What the run is asked, with these jobs, which must outlive it.
  cosim::ScheduleRequest request(const SweepRun& run, const workloads::Jobs& jobs) const;
  /// Opens them, and on every machine checks what they run.
  void add_jobs(std::size_t number);
  void add_runs(std::size_t platform, std::size_t jobs, std::size_t scheduler, std::size_t allocator);

  SweepSpec spec_;
  std::vector<Input> inputs_;
  std::vector<platforms::Machine> machines_;
  std::vector<std::unique_ptr<workloads::Jobs>> jobs_;  ///< with the first seed
  std::vector<bool> shares_lots_;                       ///< by jobs
  std::vector<SweepRun> runs_;
};

/// A row for each run, in their order. What the journal (which may be null) knows is not run again.
std::vector<SweepRow> run_sweep(const Sweep& sweep, Executor& executor, Journal* journal);

/// The fields of the results that sweeps are judged by and drawn over. The less the better, but for the utilization.
const std::vector<std::string>& sweep_fields();

/// How an allocator differs from the best one in a field.
struct FromBest {
  Difference difference;
  double best = 0;    ///< mean of the best one
  double p_holm = 1;  ///< its p, corrected for the number of allocators
};

/// One allocator beside the others on one machine, with one log and one scheduler.
struct SweepGroup {
  SweepRun first = {};  ///< its first run
  bool draws_lots = false;
  std::vector<const SweepRow*> rows = {};  ///< that succeeded
  /// By field: nothing for the best one, and where there are neither two runs nor pairs of jobs to tell them apart by.
  std::map<std::string, FromBest> from_best = {};
  bool is_best = false;

  Sample values(const std::string& field) const;
  /// Over the runs, of which there is one at least.
  double mean(const std::string& field) const;
  const FromBest* find(const std::string& field) const;
};

/// In the order of the rows, which must outlive them. The best allocator is the one with the least mean of what the
/// sweep is judged by. Several runs are compared by difference_of(), single ones by difference_by_job() in what is told
/// of jobs, if they have the same.
std::vector<SweepGroup> sweep_groups(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace toroid::study
