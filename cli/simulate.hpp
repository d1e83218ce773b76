#pragma once
// What `toroid simulate` is told, and how it does that for one job and for several.

#include "cli/arguments.hpp"
#include "cli/kept.hpp"
#include "cosim/placed_jobs.hpp"
#include "mapping/mapper.hpp"
#include "netsim/computation_use.hpp"
#include "netsim/network.hpp"
#include "netsim/run_jobs.hpp"
#include "views/machine_plane.hpp"
#include "views/run_formats.hpp"

namespace toroid::cli {

struct SimulateOptions {
  core::Json arguments;  ///< as they were given, for the manifest
  std::string platform, trace, matrix = "expanded";
  mapping::MapperChoice map = "consecutive";
  netsim::EngineChoice engine = netsim::reference_engine;
  std::optional<netsim::EngineChoice> verify;  ///< engine that runs it again
  std::vector<std::string> jobs;               ///< the texts of --job; if there are any, there is no trace
  std::string others = "stop";                 ///< what the other jobs do when one fails
  std::string attribution = "links";           ///< how jobs are charged
  std::string json, html, columns, svg, pdf, plane;
  std::string links_csv, ranks_csv, critical_path_csv, draws_csv, jobs_csv, contention_csv;
  std::size_t draws = 0;    ///< how many machines are drawn from intervals
  std::size_t workers = 0;  ///< processes that do further runs; 0: as many as there are cores
  /// The files or folders of --perfetto and the like, in the order of views::run_formats(); empty: not wanted.
  std::vector<std::string> run_files = std::vector<std::string>(views::run_formats().entries().size());
  std::uint64_t seed = 1;
  std::size_t windows = 64;
  bool explain = false;
  bool profile = false;
  bool no_tables = false;  ///< none of links and ranks in the file of --json
  bool tables = false;     ///< those of links and ranks in the result also where no output asks for them
  bool brief = false;      ///< the result of a trace without its manifest and its bottleneck_links
  PlacementArguments placement;
  MachineArguments what_if;
  EventArguments events;
  ReplayArguments replay;

  std::size_t worker_count() const;
};

/// Everything that the result depends on: the options and the files that were read. The same manifest gives the same
/// bytes. The engine's settings come with the result.
core::Json manifest(const SimulateOptions& options, Kept& kept);

/// The formats of views::run_formats() that are wanted, each with the path of its file or folder.
std::vector<std::pair<const core::Entry<views::RunFormat>*, std::string>> wanted_formats(
    const SimulateOptions& options);

/// Refuses formats that this program does not have, and what shows links over time where nobody measures them. Throws
/// InputError.
void check_shown(const SimulateOptions& options);

/// The plane that --plane names; nothing where it is not given. Throws InputError.
std::optional<views::Slice> plane_of(const SimulateOptions& options, const platforms::Machine& machine);

/// Whether the file of --json has the tables of links and ranks.
bool writes_tables(const SimulateOptions& options);
/// The file of --json.
std::string json_file(const SimulateOptions& options, const core::Json& result);

/// Takes a result in the place of files and of a summary.
using TakeResult = std::function<void(core::Json result)>;

/// Adds the arguments of `toroid simulate` to a command, whose values go into `options`.
void add_simulate_arguments(CLI::App& command, SimulateOptions& options);
/// Does what the command does when it was told all that, `options.arguments` included.
void simulate(SimulateOptions& options, Kept& kept, const TakeResult& take = {});

/// Runs several jobs on the machine at once. Throws InputError, also on options that only a single job has.
void simulate_jobs(const SimulateOptions& options, Kept& kept, const TakeResult& take = {});

/// A line for each job.
std::string jobs_table(const netsim::JobsRequest& request, const netsim::JobsResult& result,
                       const std::vector<cosim::Allocation>& nodes);

/// What computation the run times of jobs have, or leave out, by job; nothing for jobs without any.
std::string computations_text(const netsim::JobsRequest& request,
                              const std::vector<netsim::ComputationUse>& computations);

/// How much of each job repeats what came before, so that it was not simulated; nothing if nothing does.
std::string repeats_text(const netsim::JobsRequest& request, const netsim::JobsResult& result);

/// A line for each job that lost time, a column for each job that it lost time to, then what all these explain.
std::string contention_table(const netsim::JobsRequest& request, const netsim::JobsResult& result);

/// The five links that were busiest, with the shares of the jobs; nothing where no link carried anything.
std::string shared_links_table(const netsim::JobsRequest& request, const netsim::JobsResult& result);

}  // namespace toroid::cli
