#include "cli/commands/schedule_options.hpp"
#include "cosim/outages.hpp"
#include "netsim/network.hpp"

namespace toroid::cli {

void ScheduleOptions::name_all() {
  const auto take = [](std::string& first, std::vector<std::string>& more, const auto& change) {
    std::vector<std::string> names{first};
    names.insert(names.end(), more.begin(), more.end());
    auto found = cli::take_labels(names, change);
    first = names.front();
    more.assign(names.begin() + 1, names.end());
    return found;
  };
  labels.platforms = take(platform, more_platforms, [this](const std::string& name) { return what_if.apply(name); });
  labels.workloads = take(jobs, more_jobs, nullptr);
  if (labels.schedulers.empty()) labels.schedulers = core::texts_of(schedulers);
  if (labels.allocs.empty()) labels.allocs = core::texts_of(allocators);
  TOROID_ASSERT(labels.platforms.size() == 1 + more_platforms.size() &&
                labels.workloads.size() == 1 + more_jobs.size());
  labels.maps = programs.map_labels.empty() ? core::texts_of(programs.maps) : programs.map_labels;
}

cosim::Options ScheduleOptions::options() const {
  cosim::Options options;
  core::in_context("--estimates", [&] { return cosim::read_estimates(estimates, options); });
  options.kill = kill;
  options.dynamic = dynamic;
  options.failed_job = programs.on_failure();
  constexpr double hour = 3600;
  options.failures = {mtbf_hours * hour, repair_hours * hour, requeues, {}};
  for (const auto& text : at) options.failures.outages.push_back(cosim::read_outage(text));
  options.too_large = too_large == "fail" ? cosim::Options::TooLarge::fail : cosim::Options::TooLarge::reject;
  return options;
}

bool ScheduleOptions::nodes_fail() const {
  return mtbf_hours > 0 || std::ranges::any_of(at, [](const std::string& text) {
           const auto outage = cosim::read_outage(text);
           return !outage.is_announced() && !outage.of_links();
         });
}

bool ScheduleOptions::is_sweep() const {
  return !csv.empty() || !svg.empty() || repeats > 1 || schedulers.size() > 1 || allocators.size() > 1 ||
         programs.maps.size() > 1 || and_without || !more_platforms.empty() || !more_jobs.empty();
}

cosim::ScheduleSettings ScheduleOptions::run_settings() const {
  return {engine, options(), programs.how_long(), programs.options(), programs.epochs, windows};
}

Json ScheduleOptions::settings() const {
  const auto used = run_settings().used_engine();
  // In this order; what else there is follows.
  Json settings{{"lenient", lenient}, {"estimates", estimates}, {"kill", kill},
                {"dynamic", dynamic}, {"too_large", too_large}, {"engine", used ? used->text() : "none"}};
  record(settings, run_options, *this);
  record(settings, windows_options, *this);
  record(settings, program_options, programs);
  return settings;
}

namespace {

Names names_of_metrics() {
  Names names;
  for (const auto& metric : cosim::schedule_metrics()) names.emplace_back(metric.name);
  return names;
}

Options schedule_outputs(ScheduleOptions& o) {
  return {
      Heading{"Results"},
      {"--json", o.json, common, output_file(), "write the result as JSON (- for standard output)"},
      {"--csv", o.csv, common, output_file(),
       "write one row per run; FILE.journal keeps what is done: a sweep that was stopped, or grows, goes on"},
      Heading{"Pictures"},
      {"--svg", o.svg, output_file(),
       "draw a sweep: a line for each allocator, through a point for each of the jobs, or bars where there is one log; "
       "with 95 % confidence intervals where there are several runs"},
      {"--axes", o.axes, one_of(names_of_metrics()), separated(','), exactly(2), needs("--svg"), unrecorded,
       "what that picture has along its axes, or as bars: two fields of the summary, as x,y"},
      Heading{"Results"},
      {"--jobs-csv", o.jobs_csv, output_file(),
       "write a line per job as CSV: the columns of Batsim's jobs.csv, then ours"},
      {"--timeline-csv", o.timeline_csv, output_file(),
       "write a line per instant as CSV: jobs that wait and run, nodes in use, pieces of what is free"},
      windows_options(o),
      Heading{"Pictures"},
      {"--links-svg", o.links_svg, output_file(), needs("--windows"), "draw how busy the links are, window by window"},
      Heading{"Results"},
      {"--machine-states-csv", o.machine_states_csv, output_file(),
       "write how many nodes compute, idle or are out, as Batsim's machine_states.csv, which evalys draws"},
      Heading{"Pictures"},
      {"--gantt", o.gantt, output_file(), "draw a Gantt chart of nodes over time (SVG)"},
      {"--html", o.html, common, output_file(),
       "write a page to look at: who holds which node at any time on the machine, nodes over time, what waits, "
       "slowdowns, all jobs; of a sweep its verdicts, bars and table"},
      {"--columns", o.columns, output_file(), "write what the page draws as columns of numbers, for programs"},
  };
}

}  // namespace

Options run_options(ScheduleOptions& o) {
  return {
      Heading{"Jobs"},
      {"--estimates", o.estimates, like({"log", "exact"}), setting,
       "what the scheduler knows of run times: log (what was asked for, at least the run time; twice the run time "
       "where nothing was), exact, or a factor of the run time such as x2"},
      {"--kill", o.kill, setting, "end jobs that run longer than their estimate"},
      {"--too-large", o.too_large, one_of({"fail", "reject"}), setting,
       "what happens to jobs that can never fit: fail (the run ends), or reject (they are left out and counted)"},
      {"--dynamic", o.dynamic, setting,
       "jobs whose demand for nodes changes hold what they want at each time; otherwise each holds its largest demand "
       "from start to end"},
      Heading{"Failures"},
      {"--mtbf", o.mtbf_hours, real(1e-9, 1e12), key("mtbf_hours"), setting_if(o.mtbf_hours > 0),
       "mean time between failures of a node, in hours: nodes fail at random, by the seed, and end the job that they "
       "have"},
      {"--repair", o.repair_hours, real(1e-9, 1e12), needs("--mtbf"), key("repair_hours"), setting_if(o.mtbf_hours > 0),
       "hours until such a node is back"},
      {"--at", o.at, common, repeated, setting_if(!o.at.empty()),
       "an outage: TIME:fail-router ROUTERS [until TIME] or TIME:fail-node NODES [until TIME], such as "
       "'10h:fail-router z=0 until 14h': these nodes are out then, and jobs on them end; links go on. "
       "TIME:fail-link LINKS [until TIME] lets links fail instead, with --times replayed or modelled. With "
       "reserve-router or reserve-node the nodes are reserved, as all know in advance: no job starts there whose "
       "estimate reaches into that time. A TIME is since the beginning of the log, 10h or 35d, or a date, "
       "2024-05-01T10:00, or a time of each day, 10:00 (may be repeated)"},
      {"--requeue", o.requeues, whole(0, 1'000'000),
       setting_if(o.nodes_fail(), o.nodes_fail() ? "" : "--mtbf or --at with an outage, which make nodes fail"),
       "how often a job that lost a node is queued again, as if it were submitted then"},
      Heading{"Network"},
      {"--engine", o.engine, setting,
       fmt::format("network on which messages of jobs and of distributed allocators take time (default: {} for those "
                   "of jobs, none for those of allocators)",
                   netsim::fast_engine)},
  };
}

Options windows_options(ScheduleOptions& o) {
  return {
      Heading{"Results"},
      {"--windows", o.windows, whole(0, 4096),
       setting_if(o.windows > 0,
                  o.programs.have_messages() ? "" : "--times replayed or epochs, found " + o.programs.times),
       "number of equal windows of the run, at most, for each of which the JSON has the bytes of all links; for "
       "--times replayed or epochs; 0: none"},
  };
}

Options reading_options(ScheduleOptions& o) {
  return {
      Heading{"Jobs"},
      {"--lenient", o.lenient, setting, "leave out what is malformed in the log, and count it"},
  };
}

Options schedule_options(ScheduleOptions& o) {
  return {
      Heading{"Schedule"},
      platform_argument(o.platform),
      jobs_argument(o.jobs),
      {"--scheduler", choices(o.schedulers, &o.labels.schedulers), common, entry_of(cosim::schedulers()),
       "when jobs start: " + core::either(cosim::schedulers().names()) +
           ", with the order of the queue: easy:order=shortest (toroid list schedulers); 'LABEL := SCHEDULER' gives a "
           "scheduler, allocator, mapper, machine or log another name in tables and pictures"},
      {"--alloc", choices(o.allocators, &o.labels.allocs), common, entry_of(alloc::allocators()),
       "which nodes they get (toroid list allocators)"},
      {"--and-platform", o.more_platforms, machine_name(), "more machines"},
      {"--and-jobs", o.more_jobs, entry_of(jobs::job_generators()), "more jobs"},
      {"--repeat", o.repeats, common, whole(1, 1'000'000), "runs of what draws lots, with seeds SEED, SEED+1, ..."},
      workers_option(o.workers, "worker processes of several runs (default: as many as there are cores)"),
      run_options(o),
      Heading{"Failures"},
      {"--and-without", o.and_without, needs("--at"),
       "the same without what --at says, as contenders: what the events cost"},
      program_options(o.programs),
      reading_options(o),
      Heading{"Jobs"},
      seed_option(o.seed),
      schedule_outputs(o),
      machine_options(o.what_if),
  };
}

}  // namespace toroid::cli
