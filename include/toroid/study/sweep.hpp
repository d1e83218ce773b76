#pragma once
// Schedules in numbers: every machine with every job log, scheduler, allocator and, where jobs have programs, mapper,
// several times where lots are drawn.
//
//   const auto rows = study::run_sweep(study::Sweep(spec), *executor, nullptr);

#include "toroid/cosim/schedule.hpp"
#include "toroid/platforms/load.hpp"
#include "toroid/study/design.hpp"
#include "toroid/study/statistics/statistics.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::cosim {
struct AllocatorTraits;
}

namespace toroid::study {

struct Input;

/// All runs share the settings of the schedule, but for the mapper.
struct SweepSpec : cosim::ScheduleSettings {
  std::vector<platforms::MachineSource> platforms;
  std::vector<jobs::JobsSource> jobs;
  std::vector<cosim::SchedulerChoice> schedulers;
  std::vector<alloc::AllocatorChoice> allocators;
  std::vector<mapping::MapperChoice> maps{
      programs.map};        ///< the mappers of the jobs' programs, each in place of `programs.map`
  std::size_t repeats = 1;  ///< number of runs of what depends on the seed
  std::uint64_t seed = 1;   ///< repetition r uses seed + r
  jobs::Reading reading = jobs::Reading::strict;
  bool and_without_events = false;  ///< whether each run is done without the outages and reservations, too
  Names labels = {};                ///< names for people (Names::or_else)

  /// The names of what is compared, as they were given.
  Names names() const;
};

/// The jobs of one run in segments, each so many that were submitted one after the other. Where outages come daily, a
/// segment has the jobs of a day, or of days that follow each other. Two runs of the same jobs can be
/// compared by it (difference_by_job), in some hundred numbers, however many jobs there are.
struct JobSegments {
  static constexpr std::size_t most = 32;

  std::vector<std::size_t> jobs;  ///< the number of jobs that ran, by segment
  /// For each of cosim::schedule_metrics() that is a mean over jobs, by its name: by segment, the sum over these jobs.
  std::map<std::string, Sample, std::less<>> sums;

  /// The sums of a metric that is a mean over jobs.
  const Sample& sums_of(const cosim::ScheduleMetric& metric) const { return sums.find(metric.name)->second; }
  core::Json json() const;
  static JobSegments of(const core::Json& json);
};

struct SweepRow {
  Run run = {};
  core::Json result = {};  ///< totals and the allocator's figures; null if the run failed
  std::string error = {};
  JobSegments segments = {};
};

class Sweep {
 public:
  /// Reads all inputs. Throws InputError on anything that cannot run, and on things given twice.
  explicit Sweep(SweepSpec spec);
  ~Sweep();
  Sweep(Sweep&&) noexcept;

  const SweepSpec& spec() const { return spec_; }
  const platforms::Machine& machine(std::size_t platform) const { return machines_[platform]; }
  /// All runs. Runs that differ in the repetition alone follow each other.
  const std::vector<Run>& runs() const { return runs_; }
  /// The names of what is compared: those of mappers only where jobs have programs.
  const Names& names() const { return names_; }
  std::uint64_t seed(const Run& run) const { return spec_.seed + run.repetition; }
  /// The name that the journal knows a run by: its names and its seed.
  core::Json name(const Run& run) const;
  /// Whether the seed decides something that is the same under all allocators and mappers: which jobs there are, what
  /// they run, or which nodes fail. Two such runs with the same seed are pairs then.
  bool shares_lots(std::size_t workload) const { return shares_lots_[workload]; }
  /// Whether another seed may give another result.
  bool draws_lots(const Run& run) const;
  /// What a run and the run of another allocator or mapper have in common, where both have as many runs: "seed", or
  /// "job" where there is one run of each. Empty if such runs are no pairs.
  std::string_view paired_by(const Run& run) const;
  /// Does a run and returns, as JSON text, its `result` and its `segments`.
  std::string work(std::size_t run) const;

  /// The files that were read for its machines and logs.
  const std::vector<Input>& inputs() const { return inputs_; }

 private:
  /// The request that a run makes, with these jobs, which must outlive it.
  cosim::ScheduleRequest request(const Run& run, const jobs::Jobs& jobs) const;
  /// Opens the jobs of that number, and checks on every machine what they run. Whether the nodes that a log names are
  /// on a machine is found by each run, which fails alone.
  void add_jobs(std::size_t number);
  /// Asks the settings, the mappers and the jobs, each once, whether the seed decides something.
  void find_lots();
  /// Checks the run, which is the first of its kind, and adds as many as are wanted of that kind.
  void add_runs(const Run& first);

  SweepSpec spec_;
  Names names_;
  std::vector<Input> inputs_;
  std::vector<platforms::Machine> machines_;
  std::vector<std::unique_ptr<jobs::Jobs>> jobs_;  ///< the jobs that the first seed gives
  std::vector<bool> shares_lots_;                  ///< whether lots are shared, by jobs
  bool times_draw_lots_ = false;                   ///< whether epochs decide how long jobs run
  std::vector<bool> map_draws_lots_;               ///< whether a mapper draws lots, by mapper
  std::vector<std::vector<cosim::AllocatorTraits>>
      allocators_;  ///< what allocators are like, by platform and allocator
  std::vector<Run> runs_;
};

/// Does the runs of a sweep and returns a row for each, in their order. Runs that the journal (which may be null) knows
/// are not done again.
std::vector<SweepRow> run_sweep(const Sweep& sweep, Executor& executor, Journal* journal);

/// A contender: a scheduler with an allocator and a mapper, on one machine with one log.
struct SweepGroup {
  Run run = {};  ///< its first run
  bool draws_lots = false;
  std::vector<const SweepRow*> rows = {};  ///< rows of the runs that succeeded

  /// The values of a field of the results, such as those of cosim::schedule_metrics(), by run.
  Sample values(std::string_view field) const;
  /// Their mean; there must be at least one run.
  double mean(std::string_view field) const;
};

/// The groups of a sweep in the order of the rows, which must outlive them.
std::vector<SweepGroup> sweep_groups(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace toroid::study
