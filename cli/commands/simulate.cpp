#include "cli/commands/simulate.hpp"

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/watched_trace.hpp"
#include "core/csv.hpp"
#include "core/units.hpp"
#include "toroid/netsim/result_json.hpp"
#include "workloads/amounts.hpp"

namespace toroid::cli {

namespace {

// --- what is asked for ---

/// Throws InputError on options that the jobs of the run cannot have: what only one TRACE has, and what only several
/// jobs have, stands here.
void check_options(const SimulateOptions& o) {
  if (o.trace.empty() && o.jobs.empty()) core::fail_input("expected a TRACE, or jobs: --job TRACE");
  if (!o.draws_csv.empty() && o.draws == 0)
    core::fail_input("--draws-csv is for machines that are drawn: --uncertainty N");
  if (o.has_one_trace()) {
    if (!o.jobs_csv.empty() || !o.contention_csv.empty())
      core::fail_input("{} is for jobs: --job TRACE", o.jobs_csv.empty() ? "--contention-csv" : "--jobs-csv");
    return refuse_swapped("TRACE", o.trace);
  }
  const auto refuse = [](bool given, const char* option, const char* why) {
    if (given) core::fail_input("{} is for a single TRACE; {}", option, why);
  };
  if (!o.trace.empty() && !o.jobs.empty()) core::fail_input("found TRACE and --job, expected one of them");
  refuse(!o.placement.nodes.empty() && !o.jobs.empty(), "--nodes",
         "a job's nodes stand after its trace: --job TRACE@0-15");
  for (const auto& [format, path] : wanted_formats(o))
    refuse(true, fmt::format("--{}", format->name).c_str(), "run each of the jobs alone");
  refuse(o.draws > 0, "--uncertainty", "machines are drawn for one TRACE");
  refuse(!o.critical_path_csv.empty(), "--critical-path-csv", "jobs have the parts of their critical paths in --json");
  refuse(o.verify.has_value(), "--verify", "run the jobs again with another --engine");
  o.replay.refuse_sample("as jobs share the network");
}

/// The jobs of the options, or the TRACE as a job, and then the neighbours that --busy brings.
std::vector<cosim::JobDescription> described_jobs(const SimulateOptions& o, const platforms::Machine& machine,
                                                  std::vector<cosim::JobDescription> neighbours) {
  auto jobs = parse_jobs(o);
  if (jobs.empty()) {
    auto& job = jobs.emplace_back(usual_job(o, "job", o.trace));
    // A TRACE without neighbours has all nodes that are free, unless an allocator chooses.
    std::vector<platforms::NodeId> taken;
    for (const auto& one : neighbours) taken.insert(taken.end(), one.held.begin(), one.held.end());
    if (!o.placement.alloc) job.held = o.placement.wanted(machine, taken);
  }
  std::move(neighbours.begin(), neighbours.end(), std::back_inserter(jobs));
  return jobs;
}

/// What the bar says to one who waits.
std::string hint(const SimulateOptions& o) {
  const auto faster = netsim::faster_engine(o.engine);
  return faster.empty() ? "" : fmt::format("--engine {}: 10 to 100 times faster", faster);
}

using RealClock = std::chrono::steady_clock;

double seconds_since(RealClock::time_point begin) {
  return std::chrono::duration<double>(RealClock::now() - begin).count();
}

// --- the run ---

/// A run of the command, from its options to its results: of one TRACE or of several jobs. Its steps are called in
/// their order.
class Simulating {
 public:
  Simulating(const SimulateOptions& o, Kept& kept) : o_(o), kept_(kept) {}

  /// Judges all that can be mistyped, before any work.
  void judge() {
    check_options(o_);
    check_shown(o_);
    replay_ = o_.replay.options();
    matrix_ = mapping::parse_matrix_kind(o_.matrix);
    make_machine();
    plane_ = plane_of(o_, *machine_);
    if (is_one_)
      judge_trace();
    else
      descriptions_ = described_jobs(o_, *machine_, o_.placement.neighbours(*machine_, o_.seed));
    for (const auto& job : descriptions_) names_.push_back(job.name);
    events_ = o_.events.events(*machine_, names_);
    netsim::check_engine_for(events_.changes, o_.engine);
    if (o_.verify) core::in_context("--verify", [&] { netsim::check_engine_for(events_.changes, *o_.verify); });
    if (is_one_) netsim::load(o_.engine);
    if (o_.verify) netsim::load(*o_.verify);
    name_outputs();
  }

  void place() {
    begun_ = RealClock::now();
    if (is_one_)
      place_trace();
    else
      place_jobs();
    request_.emplace(*machine_, placed_.jobs, o_.engine, o_.windows);
    auto& run = *request_;
    run.changes = events_.changes;
    run.kills = events_.kills;
    run.on_failure = o_.others == "go-on" ? netsim::OnFailedJob::go_on : netsim::OnFailedJob::stop;
    run.with_charges = !is_one_;
    for (auto& job : run.jobs) {
      job.options.log_causes = !o_.critical_path_csv.empty();
      job.options.keep_timeline = !formats_.empty();
    }
    if (o_.draws_page()) views::record_for_columns(run);
    if (o_.explain) study::record_for_explanation(run);
    run.keep_windows |= std::ranges::any_of(formats_, [](const auto& f) { return f.first->make.draws_links; });
  }

  /// All jobs together; of several then each alone.
  void run() {
    const auto begun_run = RealClock::now();
    double operations = 0;
    for (const auto& job : request_->jobs)
      operations += job.rounds == netsim::until_end ? 0 : job.rounds * workloads::about_length(job.trace);
    if (!is_one_) announce_operations(operations);
    {
      core::Progress bar("simulating", static_cast<std::uint64_t>(operations), is_one_ ? hint(o_) : "");
      result_ = netsim::run(*request_, &bar);
    }
    for (std::size_t job = 0; job < names_.size(); ++job) {
      if (result_.jobs[job].rounds.empty()) continue;
      core::Progress bar(fmt::format("{} alone", names_[job]), request_->jobs[job].trace.operation_count());
      result_.jobs[job].alone = netsim::run_alone(*request_, job, &bar);
    }
    outcome_.seconds_of_run = seconds_since(begun_run);
    outcome_.real_seconds = seconds_since(begun_);
  }

  /// Tells the result as JSON, after the further runs that were asked for.
  void tell() {
    told_.links = o_.tables || writes_tables(o_) || !o_.links_csv.empty();
    told_.remarks = netsim::named_remarks(o_.engine, *machine_, drawn_.properties());
    if (!o_.events.at.empty()) told_.events = cosim::events_json(o_.events.told(result_.runtime));
    tell_jobs();
    if (is_one_) tell_trace();
    if (!o_.brief || !is_one_)
      told_.manifest = run_manifest(o_, kept_, is_one_ ? used_.front() : used_, result_.engine_settings);
    shown_->json =
        is_one_ ? netsim::result_json(*machine_, result_, told_) : netsim::jobs_json(*request_, result_, told_);
  }

  void draw() {
    const auto& computations = outcome_.computations;
    const bool left_out = std::ranges::any_of(computations, &netsim::ComputationUse::is_left_out);
    std::set<std::string> maps;
    for (const auto& job : told_.jobs) maps.insert(job.map);
    const views::RunNames names{o_.platform, is_one_ ? o_.trace : jobs_in_words(names_.size()),
                                core::join({maps.begin(), maps.end()}), o_.engine.text(), left_out};
    if (o_.draws_page()) shown_->columns = columns(names);
    const auto time = core::format_duration(result_.runtime);
    if (o_.draws_picture())
      shown_->draw(*machine_, plane_, result_.links,
                   is_one_ ? views::drawn_ranks(result_, o_.placement.taken(*machine_, o_.seed))
                           : views::drawn_ranks(*request_, busy_),
                   names,
                   is_one_ ? fmt::format("{} {}", time_in_words(computations.front()), time)
                           : fmt::format("the last one ends at {}{}", time, left_out ? ", computation left out" : ""));
    if (is_one_) viewed_.emplace(views::ViewedRun{*machine_, request_->job().trace, result_, names});
  }

  void finish(const TakeResult& take) {
    if (take) return take(std::move(shown_->json));
    shown_->outputs.write();
    if (is_one_) outcome_.faster_ways = netsim::faster_ways(*request_, result_, outcome_.seconds_of_run);
    if (!shown_->outputs.to_stdout()) print(summary(o_, outcome_));
  }

 private:
  void make_machine() {
    if (o_.draws > 0) {
      drawn_ = study::draw_machines(o_.platform, o_.draws, o_.seed);
      study::check_intervals({&drawn_, 1}, o_.platform, o_.engine);
    }
    machine_ = o_.draws > 0 ? std::make_shared<const mapping::Machine>(study::middle_machine(o_.platform))
                            : kept_.machine(o_.platform);
  }

  void name_outputs() {
    shown_.emplace(o_);
    auto& outputs = shown_->outputs;
    const auto& json = shown_->json;
    outputs.add(o_.links_csv, [&] { return core::csv_of(json["links"]); });
    outputs.add(o_.ranks_csv, [&] { return core::csv_of(is_one_ ? json["ranks"] : rank_rows(json["jobs"])); });
    outputs.add(o_.jobs_csv, [&] { return core::csv_of(job_rows(json["jobs"])); });
    outputs.add(o_.contention_csv, [&] { return core::csv_of(json["contention"]); });
    outputs.add(o_.draws_csv, [&] { return core::csv_of(draws_table(json["uncertainty"]["runs"])); });
    outputs.add(o_.critical_path_csv, [&] { return core::csv_of(json["critical_path"]["steps"]); });
    for (const auto& [format, path] : formats_)
      if (const auto& make = format->make; make.is_folder)
        outputs.add_folder(path, [&](const core::OutputFolder& folder) { make.write_folder(*viewed_, folder); });
      else
        outputs.add_parts(path, [&](core::OutputFile& file) { make.write_file(*viewed_, file); });
  }

  // --- one TRACE ---

  void judge_trace() {
    mapper_ = o_.map.make();
    slots_on_ = o_.placement.slots_on(*machine_, o_.seed);
    source_.emplace(o_.trace);
  }

  void place_trace() {
    const auto& trace = *placed_.traces.emplace_back(kept_.trace(*source_));
    slots_ = slots_on_(trace.ranks());
    watched_.emplace(trace, "adding up messages");
    traffic_.emplace(*watched_, replay_.collectives, matrix_);
    const mapping::Program program{trace, replay_};
    auto mapping = mapping::make_mapping(*mapper_, {*machine_, slots_, *traffic_, o_.seed, &program, &outcome_.notes});
    placed_.jobs.push_back({{}, trace, std::move(mapping), replay_});
  }

  /// What a document has of one TRACE alone.
  void tell_trace() {
    const bool all_tables = o_.tables || writes_tables(o_);
    told_.ranks = all_tables || !o_.ranks_csv.empty();
    told_.bottlenecks = !o_.brief;
    told_.steps = !o_.critical_path_csv.empty();  // the page and the columns have theirs of the result
    if (o_.verify) {
      outcome_.verification = verify(*request_, result_, *o_.verify);
      told_.verification = verification_json(*outcome_.verification);
    }
    if (o_.draws == 0) return;
    outcome_.drawn = drawn_;
    outcome_.drawn_times = run_on_drawn(*request_, o_.events, drawn_, o_.workers);
    told_.uncertainty = study::uncertainty_json(drawn_, outcome_.drawn_times, o_.engine);
  }

  // --- the jobs ---

  void place_jobs() {
    // What neighbours hold is theirs.
    if (!o_.placement.has_neighbours()) busy_ = o_.placement.taken(*machine_, o_.seed);
    placing_.emplace(cosim::PlacingRequest{*machine_, descriptions_, busy_, replay_, matrix_});
    placed_ = cosim::place_jobs(*placing_);
    outcome_.nodes = placed_.nodes;
  }

  void tell_jobs() {
    const auto count = request_->jobs.size();
    for (std::size_t i = 0; i < count; ++i) {
      const auto& trace = request_->jobs[i].trace;
      const auto& computation = outcome_.computations.emplace_back(
          netsim::computation_use(trace, workloads::computation_by_rank(trace), *machine_, replay_));
      used_.push_back(compute_in_words(computation));
      auto& told = told_.jobs.emplace_back(
          netsim::ToldOfJob{.computation = computation, .training = trace.training(), .map = o_.map.text()});
      if (is_one_) {
        told.notes = outcome_.notes;
        continue;
      }
      const auto& job = descriptions_[i];
      told.trace = job.trace.text();
      told.map = job.map.text();
      told.seed = job.seed;
      told.nodes = placed_.nodes[i];
    }
    if (o_.explain) explain();
  }

  void explain() {
    std::vector<std::vector<study::OtherMapping>> others;
    for (std::size_t job = 0; job < request_->jobs.size(); ++job)
      others.push_back(study::other_mappings(is_one_ ? o_.map : descriptions_[job].map,
                                             [&](const auto& mapper) { return mapping_by(mapper, job); }));
    auto& explanations = outcome_.explanations;
    explanations = study::explain(*request_, result_, others, o_.workers);
    for (std::size_t job = 0; job < explanations.size(); ++job)
      told_.jobs[job].explanation =
          explanations[job] ? study::explanation_json(*explanations[job], *machine_, result_.last_round(job), names_)
                            : Json();
  }

  /// What another mapper than the user's makes of a job.
  netsim::Mapping mapping_by(const mapping::MapperChoice& mapper, std::size_t job) const {
    if (!is_one_) return cosim::mapping_by(mapper, *placing_, placed_, job);
    const mapping::Program program{request_->job().trace, replay_};
    return mapping::make_mapping(mapper, {*machine_, slots_, *traffic_, o_.seed, &program});
  }

  views::Columns columns(const views::RunNames& names) const {
    std::vector<workloads::CommunicationMatrix> matrices;
    for (const auto& job : request_->jobs)
      matrices.push_back(netsim::placed_matrix(*machine_, WatchedTrace(job.trace, "adding up messages"),
                                               replay_.collectives, job.mapping));
    if (!is_one_) return views::jobs_columns(*request_, result_, matrices, shown_->json, names);
    auto drawn = views::run_columns(*machine_, request_->job().mapping, result_, matrices.front(), names);
    for (const auto* key : {"explanation", "training", "exposed"})
      if (const auto found = shown_->json.find(key); found != shown_->json.end()) drawn.meta[key] = *found;
    return drawn;
  }

  const SimulateOptions& o_;
  Kept& kept_;
  const bool is_one_ = o_.has_one_trace();
  netsim::ReplayOptions replay_;
  mapping::MatrixKind matrix_{};
  study::Draws drawn_;
  std::shared_ptr<const mapping::Machine> machine_;
  std::optional<views::Slice> plane_;
  std::vector<std::string> names_;  ///< names of the jobs; the one TRACE has none
  Events events_;
  std::vector<std::pair<const core::Entry<views::RunFormat>*, std::string>> formats_ = wanted_formats(o_);
  std::optional<Shown> shown_;
  RealClock::time_point begun_;  ///< when inputs were judged

  // One TRACE.
  std::unique_ptr<mapping::Mapper> mapper_;
  cosim::Placement::Slots slots_on_;
  std::optional<workloads::TraceSource> source_;
  std::vector<platforms::NodeId> slots_;
  std::optional<WatchedTrace> watched_;
  std::optional<mapping::Traffic> traffic_;
  std::optional<views::ViewedRun> viewed_;

  // Several jobs.
  std::vector<cosim::JobDescription> descriptions_;
  cosim::Allocation busy_;
  std::optional<cosim::PlacingRequest> placing_;

  cosim::PlacedJobs placed_;
  Json used_ = Json::array();  ///< how --compute says what each job computes
  netsim::ToldOfRun told_;
  Outcome outcome_;
  std::optional<netsim::Run>& request_ = outcome_.run;
  netsim::Result& result_ = outcome_.result;
};

}  // namespace

void simulate(SimulateOptions& o, Kept& kept, const TakeResult& take) {
  o.platform = o.what_if.apply(o.platform);
  Simulating simulating(o, kept);
  simulating.judge();
  simulating.place();
  simulating.run();
  simulating.tell();
  simulating.draw();
  simulating.finish(take);
}

void add_simulate(CLI::App& app) {
  add_command<SimulateOptions>(app, "simulate", "predict the run time of a trace on a machine", simulate_options,
                               [](SimulateOptions& o) {
                                 Kept kept;
                                 simulate(o, kept);
                               });
}

}  // namespace toroid::cli
