#include "cosim/schedule.hpp"

#include <algorithm>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/manifest.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/schedule_options.hpp"
#include "cli/summary_lines.hpp"
#include "cli/swapped_arguments.hpp"
#include "cli/sweep_outputs.hpp"
#include "core/context.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "cosim/jobs_csv.hpp"
#include "cosim/pictures.hpp"
#include "cosim/schedule_metrics.hpp"
#include "jobs/jobs_source.hpp"
#include "jobs/when.hpp"
#include "netsim/result_json.hpp"
#include "platforms/load.hpp"
#include "study/job_observers.hpp"
#include "study/sweep.hpp"
#include "views/documents/schedule_document.hpp"
#include "views/machines/schedule_drawings.hpp"
#include "views/timelines/formats.hpp"

namespace toroid::cli {
namespace {

using core::Json;

/// All that the result depends on: the same manifest gives the same bytes.
Json manifest(const ScheduleOptions& o) {
  Json manifest{{"toroid", version},
                {"command", "schedule"},
                {"arguments", o.arguments},
                {"platform", o.platform},
                {"jobs", o.jobs},
                {"inputs", inputs_json()},
                {"scheduler", o.schedulers[0].text()},
                {"alloc", o.allocators[0].text()},
                {"seed", o.seed}};
  if (o.programs.any()) manifest["map"] = o.programs.maps[0].text();
  manifest.update(o.settings());
  manifest["provenance"] = provenance_json({o.platform});
  return manifest;
}

/// Jobs that have ended, of all.
class ProgressObserver final : public cosim::Observer {
 public:
  explicit ProgressObserver(std::uint64_t jobs) : bar_("scheduling", jobs) {}
  void ended(const cosim::Record& record) override {
    if (!record.again) bar_.update(++ended_);
  }

 private:
  core::Progress bar_;
  std::uint64_t ended_ = 0;
};

/// Seconds, as logs have them, or a smaller unit below one.
std::string in_words(double seconds) {
  return seconds > 0 && seconds < 1 ? core::format_duration(seconds) : fmt::format("{:.6g} s", seconds);
}

/// How much of the programs was replayed, where rounds may be passed at steady rates.
std::string epochs_line(const ScheduleOptions& o, const std::vector<core::Figure>& figures) {
  const auto replayed =
      std::find_if(figures.begin(), figures.end(), [](const auto& f) { return f.name == "replayed"; });
  if (replayed == figures.end()) return {};
  if (replayed->value >= 1) return "epochs         all rounds of the programs were replayed\n";
  return fmt::format(
      "epochs         {:.3g} % of the rounds were replayed, the others passed at steady rates, known to {:.3g} % each "
      "(--epoch-error): times are approximate\n",
      100 * replayed->value, 100 * o.programs.epochs.error);
}

std::string summary(const ScheduleOptions& o, const cosim::ScheduleResult& result, const jobs::Jobs& jobs,
                    const std::vector<std::string>& remarks) {
  const auto& t = result.totals;
  std::string text = fmt::format("jobs           {} on {} nodes of {}, {} with {}\n", t.jobs, t.nodes,
                                 o.labels.platforms[0], o.labels.schedulers[0], o.labels.allocs[0]);
  if (o.programs.any())
    text += fmt::format("mapping        {} places the ranks of each job on its nodes (--map)\n", o.labels.maps[0]);
  text += remark_lines(remarks) + epochs_line(o, result.epochs);
  auto counts = jobs.counts();
  counts.filtered = 0;  // as was asked for
  for (const auto& what : counts.left_out()) text += fmt::format("left out       {}\n", what);
  for (const auto& what : counts.ignored()) text += fmt::format("ignored        {}\n", what);
  if (t.rejected > 0) text += fmt::format("rejected       {} that can never fit\n", t.rejected);
  if (t.failed > 0) text += fmt::format("failed         {} whose program cannot go on\n", t.failed);
  if (t.node_failures > 0)
    text += fmt::format("failures       {} of nodes, which ended {} runs of jobs; {} jobs were lost\n", t.node_failures,
                        t.interrupted, t.lost);
  if (t.refused > 0)
    text += fmt::format("refused        {} that waited although enough nodes were free, as none of them suited\n",
                        t.refused);
  if (t.killed > 0) text += fmt::format("killed         {} at their estimate\n", t.killed);
  text += fmt::format("makespan       {:.10g} s\n", t.makespan());
  text += fmt::format("utilization    {:.2f} %, allocated {:.2f} %\n", 100 * t.utilization(), 100 * t.allocated());
  text +=
      o.schedulers[0].name() == "as-logged" && jobs::summarize(jobs).with_wait == 0
          ? std::string("wait           not known: the log has no waits, so that jobs start as they are submitted\n")
          : fmt::format("wait           {} on average, at most {}\n", in_words(t.per_job(t.wait)),
                        in_words(t.longest_wait));
  text += fmt::format("response       {} on average, bounded slowdown {:.4g} ({})\n", in_words(t.per_job(t.response)),
                      t.per_job(t.slowdown), cosim::bound_of_slowdown);
  if (const auto slowdown = t.mean_slowdown())
    text += fmt::format("contention     jobs run {:.4g} times as long as alone on their nodes, at most {:.4g} times\n",
                        *slowdown, t.worst_contention);
  text += left_out_line(t.per_job(t.left_out));
  text += averaged_line(t.variation);
  text += fmt::format("pairwise hops  {:.6g} summed in a job, {:.4g} a pair, on average\n", t.per_job(t.pairwise_hops),
                      t.per_job_of_several(t.mean_pairwise_hops));
  text += fmt::format("shapes         {:.3f} components, a box of {:.1f} routers, {:.1f} links to others, on average\n",
                      t.per_job(t.components), t.per_job(t.box), t.per_job(t.surface));
  return text;
}

std::vector<std::string> names_of_metrics() {
  std::vector<std::string> names;
  for (const auto& metric : cosim::schedule_metrics()) names.emplace_back(metric.name);
  return names;
}

/// The name that all jobs have together: that of the file, or of the stream.
std::string workload_name(const jobs::JobsSource& jobs) {
  const auto file = jobs.file();
  return file.empty() ? jobs.text() : std::filesystem::path(file).filename().string();
}

/// What pictures call the jobs: by their label, if they have one that is more than the end of a path.
std::string title_of_jobs(const ScheduleOptions& o, const jobs::JobsSource& jobs) {
  const auto& label = o.labels.workloads[0];
  return o.jobs.ends_with(label) ? workload_name(jobs) : label;
}

/// What a run is asked to tell besides its totals: written line by line as it goes on, or drawn at the end.
class Recorders {
 public:
  /// The machine and the outputs must outlive this.
  Recorders(const ScheduleOptions& o, const platforms::Machine& machine, const jobs::Jobs& jobs,
            const jobs::JobsSource& source, Outputs& outputs) {
    const auto lines_to = [&](const std::string& path) {
      return [&file = outputs.stream(path)](std::string_view line) { file.write(line); };
    };
    if (!o.jobs_csv.empty()) add(jobs_csv_, machine, workload_name(source), o.programs.any(), lines_to(o.jobs_csv));
    if (o.programs.any()) add(correlations_, machine);
    if (!o.timeline_csv.empty()) add(timeline_, machine, lines_to(o.timeline_csv));
    if (!o.machine_states_csv.empty()) add(machine_states_, machine, lines_to(o.machine_states_csv));
    if (o.snapshot) {
      add(snapshot_, std::vector<double>{jobs::since_beginning(*o.snapshot, jobs, "--snapshot")});
      const auto draw = [this, &machine] { return views::snapshot_svg(machine, snapshot_->finish()[0]); };
      outputs.add_svg(o.snapshot_svg, draw, "--snapshot-svg");
    }
    if (!o.gantt.empty() || !o.html.empty() || !o.columns.empty() || !o.perfetto.empty()) add(gantt_);
    const auto title = fmt::format("{} on {}, {} with {}", title_of_jobs(o, source), o.labels.platforms[0],
                                   o.labels.schedulers[0], o.labels.allocs[0]);
    outputs.add_parts(o.perfetto, [this, title](core::OutputFile& file) {
      views::write_schedule_trace(gantt_->jobs(), title, file);
    });
    if (!o.gantt.empty())
      outputs.add_svg(
          o.gantt, [this, &machine] { return views::gantt_svg(machine, gantt_->jobs(), gantt_->outages()); },
          "--gantt");
  }
  Recorders(const Recorders&) = delete;
  Recorders& operator=(const Recorders&) = delete;

  const std::vector<cosim::Observer*>& observers() const { return observers_; }
  /// What --html and --columns draw, if one of them is asked for.
  const std::optional<cosim::GanttObserver>& history() const { return gantt_; }
  /// What they know of the jobs together, at the end.
  void add_to(Json& json) const {
    if (correlations_) json["correlations"] = correlations_->json();
  }

 private:
  template <class Recorder, class... Args>
  void add(std::optional<Recorder>& recorder, Args&&... args) {
    observers_.push_back(&recorder.emplace(std::forward<Args>(args)...));
  }

  std::optional<cosim::JobsCsv> jobs_csv_;
  std::optional<cosim::TimelineCsv> timeline_;
  std::optional<cosim::MachineStatesCsv> machine_states_;
  std::optional<cosim::SnapshotObserver> snapshot_;
  std::optional<cosim::GanttObserver> gantt_;
  std::optional<study::JobCorrelations> correlations_;
  std::vector<cosim::Observer*> observers_;
};

cosim::ScheduleResult run(const ScheduleOptions& o, const cosim::ScheduleSettings& settings,
                          const platforms::Machine& machine, const jobs::Jobs& jobs, const Recorders& recorders) {
  ProgressObserver progress(jobs.counts().jobs);
  cosim::ScheduleRequest request{machine, jobs, o.schedulers[0], o.allocators[0]};
  static_cast<cosim::ScheduleSettings&>(request) = settings;
  request.seed = o.seed;
  request.observers = recorders.observers();
  request.observers.push_back(&progress);
  return cosim::run_schedule(request);
}

/// A time, which may be seconds without a unit here.
jobs::When read_time(const std::string& text) {
  constexpr double latest = 1e12;
  const auto seconds = core::parse_number<double>(text);
  if (!seconds) return jobs::parse_when(text, "time");
  if (!(*seconds >= 0 && *seconds <= latest)) core::fail_input("found {}, expected seconds from 0 to {}", text, latest);
  return {*seconds, false};
}

void schedule(const ScheduleOptions& o) {
  refuse_swapped("JOBS", o.jobs);
  const jobs::JobsSource source(o.jobs);
  const auto settings = o.run_settings();
  const auto machine = platforms::make_machine(o.platform);
  const auto engine = settings.used_engine();
  const auto remarks = engine ? netsim::named_remarks(*engine, machine) : std::vector<std::string>();
  Json json;
  cosim::ScheduleResult result;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  outputs.add_svg(
      o.links_svg,
      [&] {
        const auto title = fmt::format("{}, {}", o.labels.platforms[0], title_of_jobs(o, source));
        return views::line_chart_svg(views::link_loads_chart(result.link_loads.value(), title));
      },
      "--links-svg");
  std::optional<views::Columns> columns;
  outputs.add(o.html, [&] { return views::schedule_page(*columns); });
  outputs.add(o.columns, [&] { return columns->document(); });
  const auto jobs = source.open(o.reading(), o.seed);
  const Recorders recorders(o, machine, *jobs, source, outputs);
  result = run(o, settings, machine, *jobs, recorders);
  const auto &first = result.totals.first_submission, &last = result.totals.last_end;
  json = {{"schema_version", core::schema_version}};
  json.update(cosim::result_json(result));
  recorders.add_to(json);
  json["left_out"] = jobs->counts().dropped();
  netsim::add_remarks(json, remarks);
  json["manifest"] = manifest(o);
  if (!o.html.empty() || !o.columns.empty())
    columns = views::schedule_columns(
        machine, *recorders.history(), json,
        {o.labels.platforms[0], title_of_jobs(o, source), o.labels.schedulers[0], o.labels.allocs[0]},
        result.link_loads);
  if (o.snapshot) {  // which is no event of the run: the result is the same without it
    const double time = jobs::since_beginning(*o.snapshot, *jobs, "--snapshot");
    result.events.push_back({"snapshot", time, {}, time >= first && time <= last});
  }
  outputs.write();
  if (!outputs.to_stdout()) print(summary(o, result, *jobs, remarks) + out_of_time(result.events, first, last));
}

}  // namespace

void add_schedule(CLI::App& app) {
  auto* command = app.add_subcommand("schedule", "run a job log or a stream of jobs on a machine");
  auto o = std::make_shared<ScheduleOptions>();
  command->add_option("PLATFORM", o->platform, platform_help)->required();
  command->add_option("JOBS", o->jobs, jobs_help)->required();
  add_choices(*command, "--scheduler", o->schedulers,
              "when jobs start: " + core::either(cosim::schedulers().names()) +
                  ", with the order of the queue: easy:order=shortest (toroid list schedulers); 'LABEL := SCHEDULER' "
                  "gives a scheduler, allocator, mapper, machine or log another name in tables and pictures",
              &o->labels.schedulers);
  add_choices(*command, "--alloc", o->allocators, "which nodes they get (toroid list allocators)", &o->labels.allocs);
  command->add_option("--and-platform", o->more_platforms, "more machines");
  command->add_option("--and-jobs", o->more_jobs, "more jobs");
  add_whole(*command, "--repeat", o->repeats, 1, 1'000'000, "runs of what draws lots, with seeds SEED, SEED+1, ...");
  command
      ->add_option("--workers", o->workers,
                   "worker processes of several runs, on each rank under mpirun (default: as many as it has cores)")
      ->transform(whole(1, 4096))
      ->configurable(false);
  add_value(*command, "--estimates", o->estimates,
            "what the scheduler knows of run times: log (what was asked for, at least the run time; twice the "
            "run time where nothing was), exact, or a factor of the run time such as x2");
  command->add_flag("--kill", o->kill, "end jobs that run longer than their estimate");
  add_word(*command, "--too-large", o->too_large, {"fail", "reject"},
           "what happens to jobs that can never fit: fail (the run ends), or reject (they are left out and counted)");
  command->add_flag("--dynamic", o->dynamic,
                    "jobs whose demand for nodes changes hold what they want at each time; otherwise each holds its "
                    "largest demand from start to end");
  command
      ->add_option("--mtbf", o->mtbf_hours,
                   "mean time between failures of a node, in hours: nodes fail at random, by the seed, and end the job "
                   "that they have")
      ->transform(real(1e-9, 1e12));
  command->add_option("--repair", o->repair_hours, "hours until such a node is back")
      ->capture_default_str()
      ->transform(real(1e-9, 1e12))
      ->needs("--mtbf");
  add_repeated(
      *command, "--at", o->at,
      "an outage: TIME:fail-router ROUTERS [until TIME] or TIME:fail-node NODES [until TIME], such as "
      "'10h:fail-router z=0 until 14h': these nodes are out then, and jobs on them end; links go on. With "
      "reserve-router or reserve-node the nodes are reserved, as all know in advance: no job starts there whose "
      "estimate reaches into that time. A TIME is since the beginning of the log, 10h or 35d, or a date, "
      "2024-05-01T10:00 (may be repeated)");
  add_whole(*command, "--requeue", o->requeues, 0, 1'000'000,
            "how often a job that lost a node is queued again, as if it were submitted then");
  add_choice(*command, "--engine", o->engine,
             fmt::format("network on which messages of jobs and of distributed allocators take time (default: {} for "
                         "those of jobs, none for those of allocators)",
                         netsim::fast_engine));
  o->programs.add_to(*command, o->labels.maps);
  command->add_flag("--lenient", o->lenient, "leave out what is malformed in the log, and count it");
  add_seed(*command, o->seed);
  add_output(*command, "--json", o->json, "write the result as JSON (- for standard output)");
  add_output(*command, "--csv", o->csv,
             "write one row per run; FILE.journal keeps what is done: a sweep that was stopped, or grows, goes on");
  add_output(
      *command, "--svg", o->svg,
      "draw a sweep: a line for each allocator, through a point for each of the jobs, or bars where there is one "
      "log; with 95 % confidence intervals where there are several runs");
  command
      ->add_option("--axes", o->axes,
                   "what that picture has along its axes, or as bars: two fields of the summary, as x,y")
      ->delimiter(',')
      ->expected(2)
      ->check(CLI::IsMember(names_of_metrics()))
      ->capture_default_str()
      ->needs("--svg")
      ->configurable(false);
  add_output(*command, "--jobs-csv", o->jobs_csv,
             "write a line per job as CSV: the columns of Batsim's jobs.csv, then ours");
  add_output(*command, "--timeline-csv", o->timeline_csv,
             "write a line per instant as CSV: jobs that wait and run, nodes in use, pieces of what is free");
  command
      ->add_option_function<std::string>(
          "--snapshot",
          [o](const std::string& text) {
            o->snapshot = core::in_context("--snapshot", [&] { return read_time(text); });
          },
          "draw who holds which node at this time since the beginning of the log: seconds, 10h, or a date")
      ->configurable(false);
  add_output(*command, "--snapshot-svg", o->snapshot_svg, "where that picture goes")->capture_default_str();
  auto* windows = add_whole(*command, "--windows", o->windows, 0, 4096,
                            "number of equal windows of the run, at most, for each of which the JSON has the "
                            "bytes of all links; for --times replayed or epochs; 0: none");
  add_output(*command, "--links-svg", o->links_svg, "draw how busy the links are, window by window")->needs(windows);
  add_output(*command, "--machine-states-csv", o->machine_states_csv,
             "write how many nodes compute, idle or are out, as Batsim's machine_states.csv, which evalys draws");
  add_output(*command, "--perfetto", o->perfetto,
             "write the jobs as a trace for ui.perfetto.dev (a name in .gz packs it)");
  add_output(*command, "--gantt", o->gantt, "draw a Gantt chart of nodes over time (SVG)");
  add_output(*command, "--html", o->html,
             "write a page to look at: who holds which node at any time on the machine, nodes over time, what waits, "
             "slowdowns, all jobs");
  add_output(*command, "--columns", o->columns, "write what the page draws as columns of numbers, for programs");
  o->what_if.add_to(*command);
  set_action(*command, [o, command](const Json& arguments) {
    o->arguments = arguments;
    o->programs.check(*command);
    o->name_all();
    if (!o->links_svg.empty() && o->windows == 0) core::fail_input("--links-svg: expected --windows of 1 or more");
    if (command->count("--requeue") > 0 && !o->nodes_fail())
      core::fail_input("--requeue: expected --mtbf or --at with an outage, which make nodes fail");
    if (o->is_sweep()) return sweep_schedules(*o);
    schedule(*o);
  });
}

}  // namespace toroid::cli
