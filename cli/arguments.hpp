#pragma once
// The arguments that several commands take alike: machines, the places of ranks and rank files, replays, programs
// of jobs, and jobs.

#include "cli/option.hpp"
#include "mapping/rank_files.hpp"
#include "toroid/cosim/placement.hpp"
#include "toroid/cosim/schedule.hpp"

namespace toroid::cli {

/// Throws InputError when `text`, which was given as `argument` (PLATFORM, TRACE or JOBS), names something that only
/// another argument takes, as where two were swapped: the message says what, and which argument.
void refuse_swapped(std::string_view argument, const std::string& text);

struct MachineArguments {
  std::vector<std::string> set, wrap, fail_link, fail_node, fail_router;

  /// The changes as properties and values. Throws InputError.
  std::vector<std::pair<std::string, std::string>> properties() const;
  /// The PLATFORM argument with the changes in it: `bigben` becomes `bigben:z.wrap=mesh`. Throws InputError, also when
  /// the argument is a trace: two arguments were swapped.
  std::string apply(const std::string& platform) const;
};
Options machine_options(MachineArguments& machine);

/// `--uncertainty N`: how many machines are drawn from the intervals of a PLATFORM argument.
Option uncertainty_option(std::size_t& draws, const std::string& help);

/// How many processes do the work; 0: as many as there are cores.
Option workers_option(std::size_t& workers, const std::string& help);

Option seed_option(std::uint64_t& seed, const std::string& help = "seed of everything random");

/// `PLATFORM` as every command has it.
Option platform_argument(std::string& platform);

inline constexpr const char* any_trace =
    "trace in any form (toroid list formats), or a generator such as stencil:grid=4x4x4 (toroid list generators)";

/// `TRACE` of a command that needs one.
Option trace_argument(std::string& trace, const std::string& help = any_trace);

Options placement_options(cosim::Placement& placement);
/// The options of a placement, with another option in the place of `--alloc`.
Options placement_options_with(cosim::Placement& placement, Option alloc);

struct RankFileArguments {
  std::string output, format = "nodes", hosts;

  /// What the arguments say, judged.
  struct Writer {
    mapping::WriteRankFile write;
    std::optional<mapping::HostNames> hosts;  ///< none: those of the machine

    /// The file. Throws InputError when the format cannot say the mapping.
    std::string text(const mapping::Machine& machine, std::span<const mapping::NodeId> slots,
                     const mapping::Mapping& mapping) const;
  };
  /// Throws InputError on formats and hosts that are none.
  Writer read() const;
};
Options rank_file_options(RankFileArguments& rank_file);

struct ReplayArguments : netsim::ReplayTexts {
  /// Throws InputError if iterations are to be sampled; `why` says why they cannot be: `as jobs share a network`.
  void refuse_sample(std::string_view why) const;
};
Options replay_options(netsim::ReplayTexts& replay);
/// The options of a replay, with another option in the place of `--collectives`.
Options replay_options_with(netsim::ReplayTexts& replay, Option collectives);

/// What the programs of jobs are, and how they run.
struct ProgramArguments {
  std::string times = "logged", failing = "fail";
  std::vector<std::string> rules;
  std::vector<mapping::MapperChoice> maps{cosim::ProgramOptions().map};
  Names map_labels;  ///< what the mappers are called; empty by default
  alloc::AllocatorChoice reference = "mc1x1";
  std::int32_t ranks_per_node = 1;
  bool alone = true;
  double communication = cosim::ProgramOptions().communication;
  cosim::EpochOptions epochs;
  ReplayArguments replay;

  /// Whether jobs have programs.
  bool any() const { return times != "logged"; }
  /// Whether their messages are simulated.
  bool have_messages() const { return any() && times != "modelled"; }
  cosim::ScheduleSettings::Times how_long() const;
  netsim::OnFailedJob on_failure() const;
  /// The options of the jobs' programs, with the first mapper. Throws InputError on values that are not valid.
  cosim::ProgramOptions options() const;
};
Options program_options(ProgramArguments& programs);

/// `JOBS` as every command has it.
Option jobs_argument(std::string& jobs);

}  // namespace toroid::cli
