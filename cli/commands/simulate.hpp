#pragma once
// The command `simulate`: what it is told, for one job and for several, and its parts.

#include "cli/arguments.hpp"
#include "cli/kept.hpp"
#include "cli/outputs.hpp"
#include "cosim/outages.hpp"
#include "cosim/placed_jobs.hpp"
#include "study/advice/explanation.hpp"
#include "study/draws.hpp"
#include "toroid/netsim/computation_use.hpp"
#include "views/machines/machine_drawing.hpp"
#include "views/timelines/formats.hpp"

namespace toroid::cli {

// What happens in the middle of a run, as users give it: `2ms:fail-link n5-n6`, `2ms:set x.bandwidth=x0.5`,
// `2ms:kill noise`.

/// The events of a run, ready for the simulation.
struct Events {
  std::vector<std::unique_ptr<platforms::Machine>> machines;  ///< machines that the machine changes into, in order
  netsim::MachineChanges changes;
  std::vector<netsim::Kill> kills;
};

struct EventArguments {
  std::vector<std::string> at;
  std::string on_failure = "reroute";

  /// The events on a machine, which must outlive them. `jobs` are the names of the jobs that can be killed; none where
  /// only one job runs. Throws InputError on an event that is not valid, or not possible while jobs run.
  Events events(const platforms::Machine& machine, const std::vector<std::string>& jobs) const;
  /// The events as the result of a run tells them that ended at `end` seconds: whether each came before that.
  std::vector<cosim::TimedEvent> told(double end) const;
  /// A line of text for each event that is too late for a run that ended at `end` seconds.
  std::string too_late(double end) const;
};

Options event_options(EventArguments& events);

struct SimulateOptions {
  core::Json arguments;  ///< what the user gave, for the manifest
  std::string platform, trace, matrix = "expanded";
  mapping::MapperChoice map = "consecutive";
  netsim::EngineChoice engine = netsim::reference_engine;
  std::optional<netsim::EngineChoice> verify;  ///< engine that runs it again
  std::vector<std::string> jobs;               ///< the texts of --job; if there are any, there is no trace
  std::string others = "stop";                 ///< what the other jobs do when one fails
  std::string json, html, columns, svg, pdf, plane;
  std::string links_csv, ranks_csv, critical_path_csv, draws_csv, jobs_csv, contention_csv;
  std::size_t draws = 0;    ///< how many machines are drawn from intervals
  std::size_t workers = 0;  ///< processes that do further runs; 0: as many as there are cores
  /// The files or folders of --perfetto and the like, in the order of views::run_formats(); empty: not wanted.
  std::vector<std::string> run_files = std::vector<std::string>(views::run_formats().entries().size());
  std::uint64_t seed = 1;
  std::size_t windows = 64, busiest = 5;
  bool explain = false;
  bool no_tables = false;  ///< none of links and ranks in the file of --json
  bool tables = false;     ///< tables of links and ranks in the result also where no output asks for them
  bool brief = false;      ///< the result of a trace without its manifest and its bottleneck_links
  cosim::Placement placement;
  MachineArguments what_if;
  EventArguments events;
  ReplayArguments replay;

  /// Whether the run is one TRACE that has the machine to itself; else it has jobs, of which each has a name.
  bool has_one_trace() const { return jobs.empty() && !placement.has_neighbours(); }
  bool draws_page() const { return !html.empty() || !columns.empty(); }
  bool draws_picture() const { return !svg.empty() || !pdf.empty(); }
};

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

/// What a run is shown as, whether of one job or of several, and the files for that.
struct Shown {
  explicit Shown(const SimulateOptions& options);
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  /// Makes the picture: a plane of the machine for print, the given one or that with the busiest link.
  void draw(const platforms::Machine& machine, const std::optional<views::Slice>& plane,
            const std::vector<netsim::LinkResult>& links, const std::vector<views::DrawnRanks>& ranks,
            const views::RunNames& names, const std::string& when);

  core::Json json;
  std::optional<views::Columns> columns;
  std::string picture;
  Outputs outputs;
};

/// Takes a result in the place of files and of a summary.
using TakeResult = std::function<void(core::Json result)>;

/// Everything that the result depends on: the options, the files that were read, and what the run made of both. The
/// same manifest gives the same bytes.
core::Json run_manifest(const SimulateOptions& options, Kept& kept, core::Json compute_used,
                        const std::vector<std::pair<std::string, std::string>>& engine_settings);

// The jobs of a run with several, as users give them.

/// A job as the options have it unless its text says otherwise. Each job's seed is one more than that of the job before
/// it; the first job has number 0.
cosim::JobDescription usual_job(const SimulateOptions& options, std::string name, const std::string& trace,
                                std::size_t number = 0);
/// The jobs of --job, which are called job1, job2, ... unless their texts say otherwise. Throws InputError, with the
/// text, when it does not describe a job or could be read in two ways, and when two jobs have the same name.
std::vector<cosim::JobDescription> parse_jobs(const SimulateOptions& options);

// The run that was asked for again: by another engine, and on machines that are drawn.

/// A run done again by another engine, such as the reference: how far the times of the run are from those, as parts of
/// them. A run time alone may agree by chance, so ranks are compared, too.
struct Verification {
  std::string engine;
  double runtime = 0;
  double deviation = 0, rank_deviation_max = 0;
};
core::Json verification_json(const Verification& v);

/// Does the run with that engine.
Verification verify(const netsim::Run& run, const netsim::Result& result, const netsim::EngineChoice& engine);

/// What the same run takes on each machine that is drawn, with the mapping that it has and the events. Throws
/// SimulationError, which tells the machine, where one of them cannot run.
study::DrawnTimes run_on_drawn(const netsim::Run& run, const EventArguments& events, const study::Draws& draws,
                               std::size_t workers);

/// The `runs` of study::uncertainty_json() with a column for each property.
core::Json draws_table(const core::Json& runs);

// What came of a run, for people.

/// What was run, and what came of it.
struct Outcome {
  std::optional<netsim::Run> run = {};
  netsim::Result result = {};
  std::vector<cosim::Allocation> nodes = {};                         ///< nodes of each job
  std::vector<netsim::ComputationUse> computations = {};             ///< computations by job
  std::vector<std::optional<study::Explanation>> explanations = {};  ///< explanations by job, if asked for
  // Only one TRACE has these.
  std::vector<std::string> notes = {};  ///< what its mapper says
  std::optional<Verification> verification = {};
  study::Draws drawn = {};
  study::DrawnTimes drawn_times = {};
  double real_seconds = 0, seconds_of_run = 0;  ///< real time of all, and of the run alone
  std::vector<std::string> faster_ways = {};    ///< netsim::faster_ways()
};

// Tables of jobs for programs, from what the result tells of them: a line for each job, and for each of their ranks.

core::Json job_rows(const core::Json& jobs);
core::Json rank_rows(const core::Json& jobs);

/// `2 jobs`
std::string jobs_in_words(std::size_t count);

/// What the command prints.
std::string summary(const SimulateOptions& options, const Outcome& outcome);

// `toroid simulate`, which `toroid batch` does once for each line.

Options simulate_options(SimulateOptions& options);
/// Does what the command does when it was told all that, `options.arguments` included.
void simulate(SimulateOptions& options, Kept& kept, const TakeResult& take = {});

}  // namespace toroid::cli
