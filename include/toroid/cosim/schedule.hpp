#pragma once
// Jobs on a machine: the parts of a run put together by their names, and what came of it.
//
//   const auto result = cosim::run_schedule({machine, *jobs, "easy", "mc1x1"});
//   result.totals.makespan()  // seconds

#include "toroid/cosim/options.hpp"
#include "toroid/cosim/schedule_metrics.hpp"
#include "toroid/netsim/engine.hpp"

namespace toroid::cosim {

class Observer;

/// What a schedule depends on besides its machine, jobs, scheduler, allocator and seed.
struct ScheduleSettings {
  /// The engine of the network on which messages of jobs and allocators take time. If there is none, messages of
  /// allocators take no time, and those of jobs use netsim::fast_engine. An engine that needs a process of its own uses
  /// this one, which can run it only once.
  std::optional<netsim::EngineChoice> engine = {};
  Options options = {};
  /// How run times of jobs are decided: by their log; by the network, which replays all their messages or some in
  /// epochs; or by a model of what nodes and neighbours make of the logged ones.
  enum class Times { logged, replayed, epochs, modelled } times = Times::logged;
  ProgramOptions programs = {};  ///< what jobs run, if the network decides
  EpochOptions epochs = {};
  /// The most equal windows of the run in which the bytes of links are counted, if the network decides; 0: none.
  std::size_t windows = 0;

  bool has_programs() const { return times != Times::logged; }
  /// Whether messages of jobs are simulated.
  bool has_messages() const { return times == Times::replayed || times == Times::epochs; }
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

/// What the links of the grid carried in equal windows, from the beginning of the log until the end of the run.
/// Injection and ejection are left out, so that the sum of the bytes is the bytes times hops.
struct LinkLoadsOverTime {
  struct Window {
    double begin = 0;             ///< seconds since the beginning of the log
    double seconds = 0;           ///< its length; the last window may be shorter
    double bytes = 0;             ///< the bytes of all links together
    double mean_utilization = 0;  ///< share of what all links together could have carried
    double max_utilization = 0;   ///< the share of the busiest link
    std::string busiest = {};     ///< the name of the busiest link; empty if none carried anything
  };
  struct Link {
    platforms::LinkId link;
    std::string name;
    std::uint64_t bytes = 0;
    std::vector<double> bytes_by_window = {};
  };
  double window = 0;  ///< seconds
  std::vector<Window> windows = {};
  std::vector<Link> links = {};  ///< the links that carried anything
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
