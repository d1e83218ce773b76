#pragma once
// The arguments that several commands take alike: machines, the places of ranks and rank files, replays, programs
// of jobs, and jobs.

#include <CLI/CLI.hpp>
#include <span>

#include "core/json.hpp"
#include "cosim/placed_jobs.hpp"
#include "cosim/placement.hpp"
#include "cosim/schedule.hpp"
#include "mapping/rank_files.hpp"
#include "netsim/replay_options.hpp"
#include "netsim/run.hpp"

namespace toroid::cli {

struct MachineArguments {
  std::vector<std::string> set, wrap, fail_link, fail_node, fail_router;

  void add_to(CLI::App& command);
  /// The changes as properties and values. Throws InputError.
  std::vector<std::pair<std::string, std::string>> properties() const;
  /// The PLATFORM argument with the changes in it: `bigben` becomes `bigben:z.wrap=mesh`. Throws InputError, also when
  /// the argument is a trace: two arguments were swapped.
  std::string apply(const std::string& platform) const;
};

/// Adds `--uncertainty N`: how many machines are drawn from the intervals of a PLATFORM argument.
void add_uncertainty_option(CLI::App& command, std::size_t& draws, const std::string& help);

/// `PLATFORM` as the help of every command explains it.
inline constexpr const char* platform_help =
    "machine: mesh:8x8, torus:4x4x4, ring:12x8, a preset such as bigben, an XML file, or a topology.yaml of Slurm, "
    "each with properties: "
    "mesh:8x8,bandwidth=2GBps (toroid list platforms, toroid list properties)";

struct PlacementArguments : cosim::Placement {
  void add_to(CLI::App& command);
  /// Adds the options of a command that takes several allocators, which go into `allocators`; `labels` has what they
  /// are called, and `help` is that of --alloc.
  void add_to(CLI::App& command, std::vector<alloc::AllocatorChoice>& allocators, std::vector<std::string>& labels,
              const std::string& help);
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;

 private:
  void add_nodes(CLI::App& command);
  void add_rest(CLI::App& command);
};

struct RankFileArguments {
  std::string output, format = "nodes", hosts;

  void add_to(CLI::App& command);

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

struct ReplayArguments : netsim::ReplayTexts {
  void add_to(CLI::App& command);
  /// Adds these options to the manifest.
  void record(core::Json& manifest) const;
  /// Throws InputError if iterations are to be sampled; `why` says why they cannot be: `as jobs share a network`.
  void refuse_sample(std::string_view why) const;
};

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

/// `JOBS` as the help of every command explains it.
inline constexpr const char* jobs_help =
    "job log (SWF, Batsim's JSON, sacct, CSV), or a job stream such as derose:load=10 (toroid list jobs), with filters "
    "behind a colon: log.swf.zst:sizes=1-64,arrivals=0.5";

}  // namespace toroid::cli
