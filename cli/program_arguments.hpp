#pragma once
// How long the jobs of a schedule run, and what they run if that is for the network to decide.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/replay_arguments.hpp"
#include "core/json.hpp"
#include "cosim/schedule.hpp"

namespace toroid::cli {

struct ProgramArguments {
  std::string times = "logged", failing = "fail";
  std::vector<std::string> rules;
  std::vector<mapping::MapperChoice> maps{cosim::ProgramOptions().map};
  alloc::AllocatorChoice reference = "mc1x1";
  std::int32_t ranks_per_node = 1;
  bool not_alone = false;
  cosim::EpochOptions epochs;
  ReplayArguments replay;

  /// `labels` gets what the mappers are called.
  void add_to(CLI::App& command, std::vector<std::string>& labels);
  /// Throws InputError when an option is given that has no effect with the chosen kind of run times.
  void check(const CLI::App& command) const;

  /// Whether jobs have programs.
  bool any() const { return times != "logged"; }
  cosim::ScheduleSettings::Times how_long() const;
  netsim::OnFailedJob on_failure() const;
  /// The options of the jobs' programs, with the first mapper. Throws InputError on values that are not valid.
  cosim::ProgramOptions options() const;
  /// Adds these options to the manifest, but for the mappers.
  void record(core::Json& manifest) const;
};

}  // namespace toroid::cli
