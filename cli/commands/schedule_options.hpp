#pragma once
// What `toroid schedule` is told, for one run and for many.

#include "cli/arguments.hpp"
#include "toroid/study/sweep.hpp"

namespace toroid::cli {

struct ScheduleOptions {
  core::Json arguments;  ///< what the user gave, for the manifest
  std::string platform, jobs;
  std::vector<std::string> more_platforms, more_jobs;
  std::vector<cosim::SchedulerChoice> schedulers{"easy"};
  std::vector<alloc::AllocatorChoice> allocators{"consecutive"};
  std::optional<netsim::EngineChoice> engine;
  std::string estimates = "log", too_large = "fail";
  std::string json, jobs_csv, timeline_csv, machine_states_csv, csv, html, columns;
  std::string gantt, svg, links_svg;
  std::vector<std::string> axes{"utilization", "avg_sum_pairwise_hops"};
  std::vector<std::string> at;  ///< outages
  std::uint64_t seed = 1;
  std::size_t repeats = 1, workers = 0, windows = 0;
  double mtbf_hours = 0, repair_hours = 4;
  std::int32_t requeues = 10;
  bool lenient = false, kill = false, dynamic = false, and_without = false;
  ProgramArguments programs;
  MachineArguments what_if;
  study::Names labels;  ///< the labels of machines and jobs: those of one run first, then the others'

  /// Makes the what-ifs of the machines, and says what all that varies is called.
  void name_all();
  jobs::Reading reading() const { return lenient ? jobs::Reading::lenient : jobs::Reading::strict; }
  /// The settings of a run, with the first mapper. Throws InputError on values that are not valid.
  cosim::ScheduleSettings run_settings() const;
  bool nodes_fail() const;
  /// Whether there is more than one run, or could be.
  bool is_sweep() const;
  /// The settings, besides machines, jobs, schedulers, allocators and seeds, on which the results of all runs depend.
  core::Json settings() const;

 private:
  cosim::Options options() const;
};
// The options that settings() tells, besides program_options().
Options run_options(ScheduleOptions& options);
Options windows_options(ScheduleOptions& options);
Options reading_options(ScheduleOptions& options);
Options schedule_options(ScheduleOptions& options);

}  // namespace toroid::cli
