// toroid advise: which mapping to take, and why.

#include "cli/commands/advise.hpp"

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/watched_trace.hpp"
#include "core/blame.hpp"
#include "core/standard_error.hpp"
#include "core/units.hpp"
#include "mapping/traffic_grid.hpp"
#include "platforms/check.hpp"
#include "study/advice/log_advice.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "views/documents/run_difference.hpp"
#include "views/documents/run_document.hpp"

namespace toroid::cli {
namespace {

using study::Advice;

Json manifest(const AdviseOptions& o) {
  Json manifest{{"toroid", version},      {"command", "advise"},  {"arguments", o.arguments},
                {"platform", o.platform}, {"traces", o.subjects}, {"inputs", inputs_json()}};
  record(manifest, placement_options, o.placement);
  manifest["baseline"] = o.baseline.text();
  manifest["maps"] = core::texts_of(o.maps);
  manifest["repeat"] = o.repeats;
  manifest["budget"] = o.budget;
  manifest["seed"] = o.seed;
  record(manifest, replay_options, o.replay);
  manifest["provenance"] = provenance_json({o.platform});
  return manifest;
}

/// One of the programs, ready to be asked about.
class Program {
 public:
  Program(const AdviseOptions& options, const platforms::Machine& machine, const netsim::ReplayOptions& replay,
          const cosim::Placement::Slots& slots_of, const workloads::TraceSource& source, std::string label)
      : options_(options),
        name_(source.text()),
        label_(std::move(label)),
        trace_(source.open()),
        watched_(*trace_, "adding up messages"),
        traffic_(watched_, replay.collectives),
        request_{.machine = machine,
                 .trace = *trace_,
                 .traffic = traffic_,
                 .slots = slots_of(trace_->ranks()),
                 .baseline = options.baseline,
                 .maps = options.maps,
                 .options = replay,
                 .repeats = options.repeats,
                 .seed = options.seed,
                 .budget = options.budget_seconds()} {
    core::in_context(name_, [&] { study::check(request_); });
  }
  Program(Program&&) = delete;

  const std::string& name() const { return name_; }
  const std::string& label() const { return label_; }
  const study::AdviceRequest& request() const { return request_; }

  std::string head() const {
    const auto grid = mapping::find_grid(traffic_.matrix());
    return advice_line("machine",
                       fmt::format("{}, {} nodes", options_.platform_label, request_.machine.compute_nodes().size())) +
           advice_line(
               "program",
               fmt::format("{}, {} ranks on {} slots; traffic {}", label_, traffic_.ranks(), request_.slots.size(),
                           grid.exists ? "looks like " + grid.grid.text() : "is no grid: " + grid.reason));
  }

  std::string page(const Advice& advice) const {
    const views::ColumnsFile before("the run before", columns(advice.without(), advice.computation.is_left_out()));
    const views::ColumnsFile after("the run after", columns(advice.taken(), advice.computation.is_left_out()));
    return views::difference_page(views::RunDifference(before, after).columns());
  }

 private:
  std::string columns(const study::Tried& tried, bool leaves_out) const {
    constexpr std::size_t windows = 64;
    netsim::Run run{request_.machine, request_.trace, tried.mapping, request_.options, netsim::fast_engine};
    run.windows = windows;
    views::record_for_columns(run);
    core::Progress bar("drawing", trace_->operation_count());
    const auto result = netsim::run(run, &bar);
    return views::run_columns(
               request_.machine, tried.mapping, result, traffic_.matrix(),
               {options_.platform_label, label_, tried.map.text(), std::string(netsim::fast_engine), leaves_out})
        .document();
  }

  const AdviseOptions& options_;
  std::string name_, label_;
  std::shared_ptr<const workloads::Trace> trace_;
  WatchedTrace watched_;
  mapping::Traffic traffic_;
  study::AdviceRequest request_;
};

/// What is odd about the machine, a line each.
std::string warnings(const platforms::Machine& machine) {
  std::string text;
  platforms::check_plausible(machine.description(), [&](const std::string& property, const std::string& message) {
    text += advice_line("note", fmt::format("{}: {}", property, message));
  });
  return text;
}

void advise_on_programs(AdviseOptions o, const std::vector<workloads::TraceSource>& sources) {
  const auto rank_file = o.rank_file.read();
  const auto replay = o.replay.options();
  o.budget_seconds();
  for (const auto& [path, name] : {std::pair(&o.rank_file.output, "-o"), {&o.html, "--html"}})
    if (!path->empty() && o.subjects.size() > 1)
      core::fail_input("{} is for one program; expected one, found {}", name, o.subjects.size());
  o.baseline.make();  // what is wrong with a mapper is told before a trace is read
  for (const auto& map : o.maps) map.make();
  const auto machine = platforms::make_machine(o.platform);
  // Nobody has ranks in the order in which nodes are drawn by lot.
  if (!o.arguments.contains("--baseline") && o.placement.has_drawn_order(machine)) o.baseline = "node";
  const auto slots_of = o.placement.slots_on(machine, o.seed);
  std::string said = warnings(machine), file, page, failure;
  Json whole{{"schema_version", core::schema_version}, {"programs", Json::array()}};
  Outputs outputs;
  outputs.add(o.rank_file.output, [&] { return file; });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add(o.html, [&] { return page; });
  TOROID_ASSERT(o.subject_labels.size() == sources.size());
  std::vector<std::unique_ptr<Program>> programs;
  for (std::size_t i = 0; i < sources.size(); ++i)
    programs.push_back(std::make_unique<Program>(o, machine, replay, slots_of, sources[i], o.subject_labels[i]));
  for (const auto& program : programs) {
    if (!whole["programs"].empty()) said += "\n";
    said += program->head();
    auto request = program->request();
    if (core::is_watched())
      request.first_answer = [](const study::Advice& advice) { fmt::print(stderr, "{}", first_answer_text(advice)); };
    Json json{{"trace", program->name()}};
    try {
      const auto advice = study::advise(request, o.workers);
      json.update(study::advice_json(advice, request));
      said += advice_text(advice, request);
      if (!o.rank_file.output.empty()) file = rank_file.text(machine, request.slots, advice.taken().mapping);
      if (!o.html.empty()) page = program->page(advice);
    } catch (const core::SimulationError& error) {  // advice on this program: the others have theirs
      if (o.subjects.size() == 1) throw;
      json["error"] = error.what();
      said += advice_line("failed", error.what());
      if (failure.empty()) failure = fmt::format("{}: {}", program->label(), error.what());
    }
    whole["programs"].push_back(std::move(json));
  }
  whole["manifest"] = manifest(o);
  outputs.write();
  if (!outputs.to_stdout()) print(said);
  if (!failure.empty()) throw core::SimulationError(failure);
}

/// The arguments that are for a job log alone, and those that are for programs alone. All others are for both.
const std::vector<std::string> of_jobs{"--scheduler", "--shares",  "--exchange", "--program",
                                       "--at",        "--lenient", "--too-large"};
const std::vector<std::string> of_programs{"--baseline", "--map",    "--nodes",    "--busy",        "--ranks-per-node",
                                           "--compute",  "--eager",  "--envelope", "--collectives", "--order",
                                           "--repeats",  "--format", "--hosts",    "--budget"};

/// The only ones that are for --chips.
const std::vector<std::string> of_chips{"--chips", "--batch", "--json", "PLATFORM", "SUBJECT"};

/// Throws InputError on an argument that has no meaning for --chips.
void check_arguments_of_chips(const AdviseOptions& o) {
  const auto refuse = [](const std::string& name) {
    core::fail_input("{} is not for --chips, which takes {}, {}", name, of_chips[1], of_chips[2]);
  };
  for (const auto& [name, given] : o.arguments.items())
    if (std::ranges::find(of_chips, name) == of_chips.end() && name != "--plugin") refuse(name);
  if (!o.rank_file.output.empty()) refuse("-o");  // arguments have no files that are written
  if (!o.html.empty()) refuse("--html");
}

/// Throws InputError on an argument that has no meaning for what was given.
void check_arguments(const AdviseOptions& o, bool is_log) {
  for (const auto& name : is_log ? of_programs : of_jobs)
    if (o.arguments.contains(name))
      core::fail_input("{} is for {}; found {}", name, is_log ? "programs" : "a job log", core::join(o.subjects));
  o.replay.refuse_sample("as advice rests on whole runs");
  if (!is_log && o.arguments.contains("--alloc") && o.allocators.size() > 1)
    core::fail_input("--alloc: expected one allocator, which chooses the nodes of a program; found {}",
                     core::join(core::texts_of(o.allocators)));
  if (!is_log) return;
  if (o.subjects.size() > 1) core::fail_input("expected one job log, or programs; found {}", core::join(o.subjects));
  if (!o.rank_file.output.empty()) core::fail_input("-o is for programs; found {}", o.subjects[0]);
}

std::vector<std::string> names_of_exchanges() {
  std::vector<std::string> names;
  for (const auto& exchange : study::assumed_exchanges()) names.push_back(exchange.name);
  return names;
}

Options advise_options(AdviseOptions& o) {
  return {
      Heading{"Subject"},
      platform_argument(o.platform),
      {"SUBJECT", o.subjects, trace_name(), required,
       "traces or generators, as for simulate, each advised on by itself; or one job log or stream, as for schedule; "
       "'LABEL := NAME' gives one, the machine, an allocator or a scheduler another name in tables and pictures"},
      Heading{"Work"},
      {"--repeat", o.repeats, common, whole(1, 1000),
       "runs of what draws lots, with seeds SEED, SEED+1, ...; of a job log: draws of what each job exchanges, and of "
       "its share (default there: 1 of a log of more than 10,000 jobs and two months)"},
      {"--budget", o.budget,
       "of a program: work to spend, in seconds of a usual core; counted in steps, so that the advice is the same on "
       "any machine; a terminal shows what is best before this search"},
      seed_option(o.seed, "first seed"),
      workers_option(o.workers, "worker processes (default: as many as there are cores)"),
      machine_options(o.what_if),
      Heading{"Placement"},
      {"--baseline", o.baseline,
       "of a program: what you would do without advice, a mapper or a file; unless given, node where --alloc draws "
       "nodes by lot"},
      {"--map", o.maps, "of a program: mappers that are tried"},
      placement_options_with(
          o.placement, {"--alloc", choices(o.allocators, &o.allocator_labels), common, entry_of(alloc::allocators()),
                        "of a job log: allocators that are compared, by default also slurm-torus3d on machines with "
                        "placements; of a program: the one that chooses its nodes (default there: none)"}),
      replay_options(o.replay),
      rank_file_options(o.rank_file),
      Heading{"Trainings"},
      {"--chips", o.chips, common, whole(1, 1'000'000),
       "chips of a generation of TPUs, PLATFORM without a shape: which slice, and which layout of a training (llm); "
       "more generations may stand before the training"},
      {"--batch", o.batch, whole(1, 10'000'000), "with --chips: sequences of a step"},
      Heading{"Results"},
      {"--html", o.html, common, output_file(),
       "write a page to look at: of a program the baseline, the advice and their difference on the machine, link by "
       "link; of a job log charts"},
      Heading{"Job logs"},
      {"--scheduler", choices(o.schedulers, &o.scheduler_labels), common, entry_of(cosim::schedulers()),
       "of a job log: schedulers that are compared"},
      {"--shares", o.shares, real(0.001, 1),
       "of a job log: shares of their time in the log for which jobs are assumed to communicate, on average"},
      {"--exchange", o.exchanges, one_of(names_of_exchanges()),
       "of a job log: what jobs are assumed to exchange: stencil (with neighbours in the box of the job's size), "
       "all-to-all, or both (one or the other by lot)"},
      {"--program", o.rules, trace_name(), repeated, key("programs"), excludes("--exchange"),
       "of a job log: what jobs exchange instead, as for schedule; only bytes between ranks count"},
      {"--at", o.at, repeated, "of a job log: an outage, as for schedule"},
      {"--too-large", o.too_large, one_of({"fail", "reject"}),
       "of a job log, of jobs that can never fit: fail, or reject"},
      {"--lenient", o.lenient, "of a job log: leave out what is malformed, and count it"},
      Heading{"Results"},
      {"--json", o.json, common, output_file(), "write everything as JSON (- for standard output)"},
  };
}

void advise(AdviseOptions& o) {
  if (o.chips) {
    check_arguments_of_chips(o);
    return advise_on_chips(o);
  }
  if (o.batch) core::fail_input("--batch is for --chips, which is not given");
  std::vector<std::string> machine{o.platform};
  o.platform_label = take_labels(machine, [&o](const std::string& name) { return o.what_if.apply(name); }).front();
  o.platform = machine.front();
  o.subject_labels = take_labels(o.subjects);
  const bool is_log = std::ranges::any_of(o.subjects, jobs::is_jobs);
  std::vector<workloads::TraceSource> sources;
  for (const auto& subject : o.subjects) {  // what is no file is told before arguments that go with what it would be
    if (is_log) break;
    refuse_swapped("TRACE", subject);
    sources.emplace_back(subject);
  }
  check_arguments(o, is_log);
  if (!is_log && o.arguments.contains("--alloc")) o.placement.alloc = o.allocators.front();
  if (is_log)
    advise_on_jobs(o);
  else
    advise_on_programs(o, sources);
}

}  // namespace

void add_advise(CLI::App& app) {
  add_command<AdviseOptions>(
      app, "advise", "which mapping to take for a program, or which scheduler and allocator for a log; what that gains",
      advise_options, advise);
}

}  // namespace toroid::cli
