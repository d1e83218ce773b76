#pragma once
// What `toroid simulate` is told, for one job and for several.

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/event_arguments.hpp"
#include "cli/kept.hpp"
#include "cli/machine_arguments.hpp"
#include "cli/placement_arguments.hpp"
#include "cli/replay_arguments.hpp"
#include "mapping/mapper.hpp"
#include "netsim/network.hpp"
#include "views/machines/plane.hpp"
#include "views/timelines/formats.hpp"

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

}  // namespace toroid::cli
