#include <filesystem>

#include "cli/commands.hpp"
#include "cli/commands/schedule_options.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/tables/sweep_outputs.hpp"
#include "core/csv.hpp"
#include "core/progress.hpp"
#include "core/units.hpp"
#include "cosim/jobs_csv.hpp"
#include "cosim/outages.hpp"
#include "toroid/netsim/result_json.hpp"
#include "views/documents/schedule_document.hpp"
#include "views/machines/schedule_drawings.hpp"

namespace toroid::cli {
namespace {

using study::Sweep;

/// A line for each event that was to happen while no job was there: before the first submission or after the last end
/// of a job, in seconds since the beginning of the log.
std::string out_of_time(const std::vector<cosim::TimedEvent>& events, double first_submission, double last_end) {
  std::string text;
  for (const auto& event : events) {
    if (event.in_time) continue;
    const bool is_late = event.time > last_end;
    text += fmt::format("too {:<11}{} at {:.10g} s: the {} job {} at {:.10g} s\n", is_late ? "late" : "early",
                        core::excerpt(event.event), event.time, is_late ? "last" : "first",
                        is_late ? "had ended" : "came", is_late ? last_end : first_submission);
  }
  return text;
}

// Many runs: machines x jobs x schedulers x allocators x repetitions

study::SweepSpec sweep_spec(const ScheduleOptions& o) {
  study::SweepSpec spec;
  static_cast<cosim::ScheduleSettings&>(spec) = o.run_settings();
  spec.labels = o.labels;
  spec.platforms = {platforms::MachineSource(o.platform)};
  spec.platforms.insert(spec.platforms.end(), o.more_platforms.begin(), o.more_platforms.end());
  spec.jobs = {jobs::JobsSource(o.jobs)};
  spec.jobs.insert(spec.jobs.end(), o.more_jobs.begin(), o.more_jobs.end());
  spec.schedulers = o.schedulers;
  spec.allocators = o.allocators;
  spec.maps = o.programs.maps;
  spec.repeats = o.repeats;
  spec.seed = o.seed;
  spec.reading = o.reading();
  spec.and_without_events = o.and_without;
  return spec;
}

Json manifest(const ScheduleOptions& o, const Sweep& sweep) {
  const auto& s = sweep.spec();
  Json manifest{{"toroid", version},
                {"command", "schedule"},
                {"arguments", o.arguments},
                {"platforms", core::texts_of(s.platforms)},
                {"jobs", core::texts_of(s.jobs)},
                {"inputs", inputs_json()},
                {"schedulers", core::texts_of(s.schedulers)},
                {"allocators", core::texts_of(s.allocators)},
                {"repeat", s.repeats},
                {"seed", s.seed}};
  if (s.and_without_events) manifest["and_without"] = true;
  if (s.has_programs()) manifest["maps"] = core::texts_of(s.maps);
  manifest.update(o.settings());
  manifest["provenance"] = provenance_json(core::texts_of(s.platforms));
  return manifest;
}

/// What the results of all runs depend on, whichever they are. `results` grows with what is kept of a run: a journal
/// that has less is not taken.
Json settings(const ScheduleOptions& o) {
  Json settings{{"toroid", version}, {"command", "schedule"}, {"results", 2}};
  settings.update(o.settings());
  return settings;
}

/// Outages without effect, for each machine with each log by the first of their runs.
std::string without_effect(const study::JudgedSweep& judged) {
  std::string text;
  std::set<std::pair<std::size_t, std::size_t>> seen;
  const auto& labels = judged.sweep->spec().labels;
  for (const auto& row : *judged.rows) {
    if (row.result.is_null()) continue;
    const auto [platform, workload] = std::pair(row.run.platform, row.run.workload);
    const auto events = cosim::events_from(row.result.value("events", Json::array()));
    if (const auto said = out_of_time(events, row.result["first_submission_s"], row.result["last_end_s"]);
        !said.empty() && seen.emplace(platform, workload).second)
      text += fmt::format("\n{} on {}\n{}", labels.workloads[workload], labels.platforms[platform], said);
  }
  return text;
}

void refuse_pictures(const ScheduleOptions& o) {
  for (const auto& [option, path] : {std::pair{"--jobs-csv", o.jobs_csv},
                                     {"--timeline-csv", o.timeline_csv},
                                     {"--machine-states-csv", o.machine_states_csv},
                                     {"--gantt", o.gantt},
                                     {"--columns", o.columns},
                                     {"--windows", o.windows > 0 ? "given" : ""}})
    if (!std::string_view(path).empty())
      core::fail_input("{} tells of one run, and this is a sweep: give one of each, and neither --csv nor --svg",
                       option);
}

void run(const ScheduleOptions& o, const std::shared_ptr<const Sweep>& sweep, study::Executor& executor) {
  const auto record = manifest(o, *sweep);
  Json whole;
  study::JudgedSweep judged;
  Outputs outputs;
  outputs.add(o.csv, [&] { return core::csv_of(whole["rows"]); });
  outputs.add(o.html, [&] { return sweep_page(judged, without_effect(judged), record); });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add_svg(o.svg, [&] { return views::sweep_svg(swept_contenders(judged), o.axes[0], o.axes[1]); });
  const auto journal = open_journal(o.csv, settings(o), sweep->inputs(), outputs);
  judged = study::judge_sweep(sweep, executor, journal.get());
  whole = {{"schema_version", core::schema_version}, {"manifest", record}};
  whole.update(study::sweep_json(judged));
  outputs.write();
  if (!outputs.to_stdout()) print(sweep_table(judged) + sweep_verdicts(judged) + without_effect(judged));
  const auto& rows = *judged.rows;
  const auto failed = [](const study::SweepRow& row) { return !row.error.empty(); };
  const auto first = std::ranges::find_if(rows, failed);
  if (first != rows.end())
    throw core::SimulationError(fmt::format("{} of {} runs failed, the first {}: {}",
                                            std::count_if(first, rows.end(), failed), rows.size(),
                                            core::json_text(sweep->name(first->run)), first->error));
}

/// Throws InputError before the first run on what cannot run, except that nodes which a log names are judged run by
/// run.
void sweep_schedules(const ScheduleOptions& o) {
  refuse_pictures(o);
  const auto sweep = std::make_shared<const Sweep>(sweep_spec(o));
  run(o, sweep, *study::make_local_executor([&](std::size_t task) { return sweep->work(task); }, o.workers));
}

// One run

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
  const auto replayed = std::ranges::find_if(figures, [](const auto& f) { return f.name == "replayed"; });
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
  counts.filtered = 0;  // the user asked for that
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
  text += fmt::format("pairwise hops  {:.6g} summed in a job, {:.4g} a pair, on average\n", t.per_job(t.pairwise_hops),
                      t.per_job_of_several(t.mean_pairwise_hops));
  text += fmt::format("shapes         {:.3f} components, a box of {:.1f} routers, {:.1f} links to others, on average\n",
                      t.per_job(t.components), t.per_job(t.box), t.per_job(t.surface));
  return text;
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
  Recorders(const ScheduleOptions& o, const platforms::Machine& machine, const jobs::JobsSource& source,
            Outputs& outputs) {
    const auto lines_to = [&](const std::string& path) {
      return [&file = outputs.stream(path)](std::string_view line) { file.write(line); };
    };
    if (!o.jobs_csv.empty()) add(jobs_csv_, machine, workload_name(source), o.programs.any(), lines_to(o.jobs_csv));
    if (!o.timeline_csv.empty()) add(timeline_, machine, lines_to(o.timeline_csv));
    if (!o.machine_states_csv.empty()) add(machine_states_, machine, lines_to(o.machine_states_csv));
    if (!o.gantt.empty() || !o.html.empty() || !o.columns.empty()) add(gantt_);
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

 private:
  template <class Recorder, class... Args>
  void add(std::optional<Recorder>& recorder, Args&&... args) {
    observers_.push_back(&recorder.emplace(std::forward<Args>(args)...));
  }

  std::optional<cosim::JobsCsv> jobs_csv_;
  std::optional<cosim::TimelineCsv> timeline_;
  std::optional<cosim::MachineStatesCsv> machine_states_;
  std::optional<cosim::GanttObserver> gantt_;
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

void run_one(const ScheduleOptions& o) {
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
  const Recorders recorders(o, machine, source, outputs);
  result = run(o, settings, machine, *jobs, recorders);
  TOROID_ASSERT(result.totals.first_submission <= result.totals.last_end);
  const auto &first = result.totals.first_submission, &last = result.totals.last_end;
  json = {{"schema_version", core::schema_version}};
  json.update(cosim::result_json(result));
  json["left_out"] = jobs->counts().dropped();
  netsim::add_remarks(json, remarks);
  json["manifest"] = manifest(o);
  if (!o.html.empty() || !o.columns.empty())
    columns = views::schedule_columns(
        machine, *recorders.history(), json,
        {o.labels.platforms[0], title_of_jobs(o, source), o.labels.schedulers[0], o.labels.allocs[0]},
        result.link_loads);
  outputs.write();
  if (!outputs.to_stdout()) print(summary(o, result, *jobs, remarks) + out_of_time(result.events, first, last));
}

void schedule(ScheduleOptions& o) {
  refuse_idle(schedule_options(o), o.arguments);
  o.programs.replay.refuse_sample("as the jobs of a schedule share the network");
  o.name_all();
  if (!o.links_svg.empty() && o.windows == 0) core::fail_input("--links-svg: expected --windows of 1 or more");
  o.is_sweep() ? sweep_schedules(o) : run_one(o);
}

}  // namespace

void add_schedule(CLI::App& app) {
  add_command<ScheduleOptions>(app, "schedule", "run a job log or a stream of jobs on a machine", schedule_options,
                               schedule);
}

}  // namespace toroid::cli
