#pragma once
// Jobs on a machine: the parts of a run put together by their names, and what came of it.

#include <optional>
#include <vector>

#include "core/figure.hpp"
#include "cosim/link_loads.hpp"
#include "cosim/loop.hpp"
#include "cosim/outages.hpp"
#include "cosim/run_times/epochs.hpp"
#include "cosim/run_times/placed_programs.hpp"
#include "cosim/schedule_metrics.hpp"

namespace toroid::cosim {

/// What a schedule depends on besides its machine, jobs, scheduler, allocator and seed.
struct ScheduleSettings {
  /// The engine of the network on which messages of jobs and allocators take time. If there is none, messages of
  /// allocators take no time, and those of jobs use netsim::fast_engine. An engine that needs a process of its own uses
  /// this one, which can run it only once.
  std::optional<netsim::EngineChoice> engine = {};
  Options options = {};
  /// How run times of jobs are decided: by their log, or by the network, which replays all their messages or some in
  /// epochs.
  enum class Times { logged, replayed, epochs } times = Times::logged;
  ProgramOptions programs = {};  ///< what jobs run, if the network decides
  EpochOptions epochs = {};
  /// The most equal windows of the run in which the bytes of links are counted, if the network decides; 0: none.
  std::size_t windows = 0;

  bool has_programs() const { return times != Times::logged; }
  /// The engine that is used, if there is a network.
  std::optional<netsim::EngineChoice> used_engine() const;
};

struct ScheduleRequest : ScheduleSettings {
  const Machine& machine;
  const jobs::Jobs& jobs;
  SchedulerChoice scheduler;
  alloc::AllocatorChoice allocator;
  std::uint64_t seed = 1;
  std::vector<Observer*> observers = {};
  /// Whether check_jobs() was called with the same machine, jobs, programs and options.
  bool jobs_are_checked = false;

  // Beside its code, since GCC 12 takes nested defaults that it sees for uninitialized.
  ScheduleRequest(const Machine& on_machine, const jobs::Jobs& of_jobs, SchedulerChoice by = "easy",
                  alloc::AllocatorChoice with = "consecutive");
};

struct ScheduleResult {
  Totals totals;
  std::vector<core::Figure> figures;            ///< what the allocator counted
  std::vector<core::Figure> epochs;             ///< what the epochs counted
  std::optional<LinkLoadsOverTime> link_loads;  ///< nothing without windows
  std::vector<TimedEvent> events;               ///< outages, and what else has a time of its own
};

/// The result as JSON: the totals, and what the allocator counted. docs/reference/scheduling.md explains the fields.
core::Json result_json(const ScheduleResult& result);

/// Checks whether the parts of a request go together, without looking at its jobs. Throws InputError where
/// run_schedule() would.
void check(const ScheduleRequest& request);
/// Checks what each job runs: goes through all jobs, and opens every trace that they may run with any seed. Throws
/// InputError where run_schedule() would.
void check_jobs(const ScheduleRequest& request);

/// Runs a schedule. Throws InputError as these checks do, and where the allocator uses nodes of the log that are not
/// there; and what Loop::run() throws.
ScheduleResult run_schedule(const ScheduleRequest& request);

}  // namespace toroid::cosim
