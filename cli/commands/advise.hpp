#pragma once
// What `toroid advise` is told, about programs and about job logs.

#include "cli/arguments.hpp"
#include "study/advice/advice.hpp"

namespace toroid::cli {

struct AdviseOptions {
  core::Json arguments;  ///< what the user gave, for the manifest
  std::string platform, budget = "30s", too_large = "fail", json, html;
  std::vector<std::string> subjects;  ///< traces, or one job log
  mapping::MapperChoice baseline = "consecutive";
  std::vector<mapping::MapperChoice> maps{"quick", "auto"};
  std::vector<cosim::SchedulerChoice> schedulers{"easy", "fcfs", "conservative"};
  /// The allocators that sites could use.
  std::vector<alloc::AllocatorChoice> allocators{"mc1x1",           "curve",   "mbs",        "anca",
                                                 "preferred-shape", "submesh", "consecutive"};
  std::vector<double> shares{0.1, 0.3, 0.5};
  std::vector<std::string> exchanges{"both"}, rules, at;  ///< what jobs are assumed to exchange; outages
  std::uint64_t seed = 1;
  std::size_t repeats = 5, workers = 0;
  std::optional<std::uint64_t> chips, batch;  ///< a training, whose slice and layout are looked for
  bool lenient = false;
  std::string platform_label;                                   ///< what the machine is called
  std::vector<std::string> subject_labels;                      ///< the programs, or the log
  std::vector<std::string> scheduler_labels, allocator_labels;  ///< names in reports on a log; empty by default
  MachineArguments what_if;
  cosim::Placement placement;
  ReplayArguments replay;
  RankFileArguments rank_file;

  /// The work that may be spent, in seconds of a usual core. Throws InputError.
  double budget_seconds() const;
};

/// A line of advice: a label, and what is said.
std::string advice_line(std::string_view label, std::string_view said);

/// What the advice says of a program.
std::string advice_text(const study::Advice& advice, const study::AdviceRequest& request);
/// What is best so far, a line.
std::string first_answer_text(const study::Advice& advice);

/// Advises on slices and layouts for the training, and writes what was asked for. Throws InputError.
void advise_on_chips(const AdviseOptions& options);

/// Advises on schedulers and allocators for the job log, and writes what was asked for. Throws InputError.
void advise_on_jobs(const AdviseOptions& options);

}  // namespace toroid::cli
