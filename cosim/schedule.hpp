#pragma once
// Jobs on a machine: the parts of a run put together by their names, and what came of it.

#include <string>
#include <vector>

#include "cosim/epochs.hpp"
#include "cosim/loop.hpp"
#include "cosim/placed_programs.hpp"
#include "cosim/totals.hpp"

namespace toroid::cosim {

struct ScheduleRequest {
  const Machine& machine;
  const workloads::Jobs& jobs;
  std::string scheduler;  ///< spec, see schedulers()
  std::string allocator;  ///< spec, see alloc::allocators()
  /// Of the network on which the messages of jobs and allocators take time; empty: those of allocators take none, and
  /// those of jobs take theirs on `fluid`. Of an engine that needs a process of its own, this one is it: it can be run
  /// there once.
  std::string engine = "";
  std::uint64_t seed = 1;
  Options options = {};
  /// How long jobs run: as their log says, or as the network decides, which replays all of them or what they do in
  /// epochs.
  enum class Times { logged, replayed, epochs } times = Times::logged;
  ProgramOptions programs = {};  ///< that the network decides about
  EpochOptions epochs = {};
  std::vector<Observer*> observers = {};
  /// Equal windows of the run, at most, in which the bytes of links are counted, where the network decides; 0: none.
  std::size_t windows = 0;
  bool jobs_are_checked = false;  ///< check_jobs() has been called with the same machine, jobs and programs

  // Beside its code, since GCC 12 takes nested defaults that it sees for uninitialized.
  ScheduleRequest(const Machine& on_machine, const workloads::Jobs& of_jobs, std::string scheduler_spec = "easy",
                  std::string allocator_spec = "consecutive");
};

struct ScheduleResult {
  Totals totals;
  std::vector<alloc::Figure> figures;  ///< of the allocator
  std::vector<alloc::Figure> epochs;   ///< of jobs in epochs
  core::Json link_loads;               ///< see link_loads_json(); null without windows
};

/// The totals, and what the allocator counted, as documented in docs/scheduling.md.
core::Json result_json(const ScheduleResult& result);

/// Throws InputError where run_schedule() would, as far as that is known without looking at the jobs: specs that name
/// nothing.
void check(const ScheduleRequest& request);
/// The same for what each job runs: goes through all jobs, and opens every trace that they may run, whatever the seed.
void check_jobs(const ScheduleRequest& request);

/// Throws InputError as the two above do, and what Loop::run throws.
ScheduleResult run_schedule(const ScheduleRequest& request);

}  // namespace toroid::cosim
