// toroid advise: which mapping to take, and why.

#include "cli/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/manifest.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/summary_lines.hpp"
#include "cli/swapped_arguments.hpp"
#include "cli/watched_trace.hpp"
#include "core/context.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "jobs/jobs_source.hpp"
#include "mapping/traffic_grid.hpp"
#include "netsim/network.hpp"
#include "netsim/run.hpp"
#include "platforms/check.hpp"
#include "platforms/load.hpp"
#include "study/advice/advice.hpp"
#include "views/documents/run_difference.hpp"
#include "views/documents/run_document.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::cli {
namespace {

using core::Json;
using study::Advice;
using study::SecondLook;

Json manifest(const AdviseOptions& o) {
  Json manifest{{"toroid", version},      {"command", "advise"},  {"arguments", o.arguments},
                {"platform", o.platform}, {"traces", o.subjects}, {"inputs", inputs_json()}};
  o.placement.record(manifest);
  manifest["baseline"] = o.baseline.text();
  manifest["maps"] = core::texts_of(o.maps);
  manifest["repeat"] = o.repeats;
  manifest["budget"] = o.budget;
  manifest["seed"] = o.seed;
  o.replay.record(manifest);
  manifest["provenance"] = provenance_json({o.platform});
  return manifest;
}

std::string times(double gain) {
  return fmt::format("{:.3f} times", gain);
}

/// What the advice says of one program, in lines.
class AdviceText {
 public:
  AdviceText(const Advice& advice, const study::AdviceRequest& request) : advice_(advice), request_(request) {}

  std::string text() {
    if (advice_.is_idle) {
      add("take", fmt::format("{}, as it is: no rank sends another one a message, so any mapping is as good",
                              without().map.text()));
      add("time", core::format_duration(without().time));
      return text_;
    }
    tell_choice();
    for (const auto& [label, said] : mean_in_words(advice_.computation)) add(label, said);
    tell_looks(SecondLook::Kind::computation);
    tell_looks(SecondLook::Kind::communication);
    tell_luck();
    tell_looks(SecondLook::Kind::engine);
    tell_limits();
    tell_changes();
    tell_looks(SecondLook::Kind::reference);
    for (const auto& remark : advice_.remarks) add("note", remark);
    for (const auto& tried : advice_.tried)
      if (!tried.error.empty()) add("failed", fmt::format("{}: {}", tried.map.text(), core::excerpt(tried.error, 200)));
    if (advice_.needed_budget > request_.budget)
      add("budget", fmt::format("--budget {:.0f}s has room for everything", std::ceil(advice_.needed_budget)));
    return text_;
  }

 private:
  void add(std::string_view label, std::string_view said) { text_ += advice_line(label, said); }

  const study::Tried& taken() const { return advice_.taken(); }
  const study::Tried& without() const { return advice_.without(); }

  /// `communication time 1 ms`
  std::string time_of(double seconds) const {
    return fmt::format("{} {}", time_in_words(advice_.computation), core::format_duration(seconds));
  }
  /// The name of a mapper, and of the baseline what its time is, if it draws lots.
  std::string name_of_baseline() const {
    const auto draws = without().times.size();
    return without().map.text() + (draws > 1 ? fmt::format(" (the median of {} draws)", draws) : "");
  }

  void tell_choice() {
    if (advice_.keeps_baseline()) return tell_that_nothing_is_better();
    add("take", taken().map.text() +
                    (taken().times.size() > 1 ? fmt::format(", --seed {}", request_.seed + taken().search) : ""));
    if (!taken().notes.empty()) add("", taken().notes.back());
    auto said = fmt::format("{} as fast as {}: {} instead of {}", times(advice_.gain()), name_of_baseline(),
                            time_of(taken().time), core::format_duration(without().time));
    if (taken().times.size() > 1)
      said += fmt::format("; {} searches found {:.3f} to {:.3f}", taken().times.size(),
                          study::ratio(without().time, taken().worst()), advice_.gain());
    add("gain", said);
  }

  void tell_that_nothing_is_better() {
    std::size_t others = 0;
    auto said = time_of(without().time);
    for (std::size_t i = 1; i < advice_.tried.size(); ++i)
      if (const auto& other = advice_.tried[i]; !other.times.empty()) {
        ++others;
        said += fmt::format("; {} {}", other.map.text(), core::format_duration(other.time));
      }
    add("take", fmt::format("{}, as it is: none of the {} others that were tried is faster by {:.0f} %",
                            name_of_baseline(), others, 100 * Advice::margin));
    add("time", said);
  }

  void tell_luck() {
    const auto& random = advice_.tried[Advice::by_lot];
    if (random.times.empty()) return;
    add("random order",
        fmt::format("ranks by lot on these nodes take {:.3f} to {:.3f} times as long as the advice, {} "
                    "draw{}",
                    study::ratio(random.best(), taken().time), study::ratio(random.worst(), taken().time),
                    random.times.size(), random.times.size() == 1 ? "" : "s"));
  }

  /// What a gain says of the gain that the advice promises.
  std::string_view verdict(double gain) const {
    if (gain < 1 - Advice::margin) return "the advice does NOT hold";
    if (gain < 1 + Advice::margin) return "no difference";
    return gain - 1 < (advice_.gain() - 1) / 2 ? "less than half of the gain" : "the advice holds";
  }

  std::string both_times(const SecondLook& look) const {
    return fmt::format("{} as fast, {} instead of {}", times(look.gain()), core::format_duration(look.advised),
                       core::format_duration(look.baseline));
  }

  void tell_looks(SecondLook::Kind kind) {
    for (const auto& look : advice_.looks) {
      if (look.kind != kind) continue;
      const bool on_computation = kind == SecondLook::Kind::computation || kind == SecondLook::Kind::communication;
      const auto label = kind == SecondLook::Kind::computation             ? "of the whole"
                         : kind == SecondLook::Kind::communication         ? "communication"
                         : kind == SecondLook::Kind::reference             ? "checked"
                         : look.engine == netsim::router_engine            ? "packets"
                         : look.engine.find(":ties=") != std::string::npos ? "ties"
                                                                           : "adaptive";
      add(label, look.left_out.empty() ? said_of(look) : look.left_out);
      if (on_computation) add("", amount_in_words(advice_.computation));
    }
  }

  std::string said_of(const SecondLook& look) const {
    if (look.kind == SecondLook::Kind::reference) {
      const double percent = 100 * deviation(look);
      return fmt::format("{} {} {:.4f} %", look.engine, percent < 1 ? "agrees to" : "DIFFERS by up to", percent);
    }
    const bool computes = look.kind == SecondLook::Kind::computation;
    if (look.kind == SecondLook::Kind::communication && look.map != Advice::baseline)
      return fmt::format("{}{} without computation",
                         advice_.keeps_baseline() ? advice_.tried[look.map].map.text() + " is " : "", both_times(look));
    const auto how = computes                                       ? std::string("with computation")
                     : look.kind == SecondLook::Kind::communication ? std::string("without computation")
                                                                    : "by " + look.engine;
    if (advice_.keeps_baseline()) return fmt::format("{} {}", core::format_duration(look.advised), how);
    if (computes && look.gain() >= 1 + Advice::margin) return fmt::format("{} {}", both_times(look), how);
    return fmt::format("{}: {} {}", verdict(look.gain()), both_times(look), how);
  }

  /// How far the reference is from the times that the advice stands on, at most.
  double deviation(const SecondLook& look) const {
    return std::max(std::abs(study::ratio(look.advised, taken().time) - 1),
                    std::abs(study::ratio(look.baseline, without().time) - 1));
  }

  using Shares = std::vector<std::pair<double, std::string>>;

  static void largest_first(Shares& all) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  }

  void tell_limits() {
    if (!advice_.limits) return add("limits", advice_.no_limits);
    const auto& limits = *advice_.limits;
    const std::string_view of_what = limits.whole ? " of the communication time" : "";
    add("limits", parts_of(limits.measures, where_shared()) + std::string(of_what));
    if (limits.whole) add("", parts_of(*limits.whole, "") + " with computation");
    add("", fmt::format("ranks wait for partners {} of the time, on average", percent(limits.waiting_for_partners)));
  }

  static std::string parts_of(const study::Measures& m, const std::string& where) {
    Shares parts{{m.compute_share, "compute"},
                 {m.latency_share, "latency"},
                 {m.bandwidth_share, "bandwidth"},
                 {m.sharing_share, "sharing"}};
    largest_first(parts);
    std::vector<std::string> texts;
    for (const auto& [share, part] : parts)
      texts.push_back(fmt::format("{} {}{}", part, percent(share), part == "sharing" ? where : ""));
    return core::join(texts);
  }

  /// The links on which the time is lost to sharing: ` (on x 12.3 %, on y 3.5 %)`.
  std::string where_shared() const {
    std::vector<std::string> texts;
    for (const auto& loss : advice_.limits->losses)
      if (const double share = study::ratio(loss.seconds, advice_.limits->measures.runtime); share >= 0.0005)
        texts.push_back(fmt::format("{} {} {}", loss.links == "cores" ? "at" : "on", loss.links, percent(share)));
    return texts.empty() ? "" : fmt::format(" ({})", core::join(texts));
  }

  void tell_changes() {
    if (!advice_.no_effects.empty()) return add("would help", advice_.no_effects);
    Shares help, hurt;
    std::vector<std::string> useless;
    for (const auto& effect : advice_.effects) {
      if (!effect.time) continue;
      const double saved = 1 - study::ratio(*effect.time, taken().time);
      auto text = fmt::format("{} {:+.1f} %", effect.change.text(), -100 * saved);
      if (const auto whole = whole_time(); whole && effect.whole)
        text += fmt::format(" ({:+.1f} % of the whole)", 100 * (study::ratio(*effect.whole, *whole) - 1));
      if (std::abs(saved) < Advice::margin)
        useless.push_back(effect.change.text());
      else
        (saved > 0 ? help : hurt).emplace_back(std::abs(saved), text);
    }
    tell_shares("would help", help);
    tell_shares("would hurt", hurt);
    if (!useless.empty())
      add("would not", core::join(useless) + fmt::format(": less than {:.0f} % of the time", 100 * Advice::margin));
  }

  void tell_shares(std::string_view label, Shares shares) {
    if (shares.empty()) return;
    largest_first(shares);
    std::vector<std::string> texts;
    for (const auto& [share, text] : shares) texts.push_back(text);
    add(label, core::join(texts));
  }

  /// The run time of the advice with computation, where that is left out.
  std::optional<double> whole_time() const {
    for (const auto& look : advice_.looks)
      if (look.kind == SecondLook::Kind::computation && look.left_out.empty()) return look.advised;
    return std::nullopt;
  }

  const Advice& advice_;
  const study::AdviceRequest& request_;
  std::string text_;
};

/// One of the programs, ready to be asked about.
class Program {
 public:
  Program(const AdviseOptions& options, const platforms::Machine& machine, const netsim::ReplayOptions& replay,
          const cosim::Placement::Slots& slots_of, const workloads::TraceSource& source, std::string label)
      : options_(options),
        name_(source.text()),
        label_(std::move(label)),
        trace_(netsim::trace_for(source.open(), replay)),
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

  /// What stands above the advice.
  std::string head() const {
    const auto grid = mapping::find_grid(traffic_.matrix());
    return advice_line("machine",
                       fmt::format("{}, {} nodes", options_.platform_label, request_.machine.compute_nodes().size())) +
           advice_line(
               "program",
               fmt::format("{}, {} ranks on {} slots; traffic {}", label_, traffic_.ranks(), request_.slots.size(),
                           grid.exists ? "looks like " + grid.grid.text() : "is no grid: " + grid.reason));
  }

  /// The page of both runs, before and after.
  std::string page(const Advice& advice) const {
    const views::ColumnsFile before("the run before", columns(advice.without(), advice.computation.is_left_out()));
    const views::ColumnsFile after("the run after", columns(advice.taken(), advice.computation.is_left_out()));
    return views::difference_page(views::RunDifference(before, after).columns());
  }

 private:
  /// The columns of a run of a mapping.
  std::string columns(const study::Tried& tried, bool leaves_out) const {
    constexpr std::size_t windows = 64;
    netsim::RunRequest run{request_.machine, request_.trace, tried.mapping, request_.options, netsim::fast_engine};
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

void advise_on_programs(AdviseOptions o) {
  const auto rank_file = o.rank_file.read();
  const auto replay = o.replay.options();
  o.budget_seconds();
  for (const auto& subject : o.subjects) refuse_swapped("TRACE", subject);
  const std::vector<workloads::TraceSource> sources(o.subjects.begin(), o.subjects.end());
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
  std::vector<std::unique_ptr<Program>> programs;
  for (std::size_t i = 0; i < sources.size(); ++i)
    programs.push_back(std::make_unique<Program>(o, machine, replay, slots_of, sources[i], o.subject_labels[i]));
  for (const auto& program : programs) {
    if (!whole["programs"].empty()) said += "\n";
    said += program->head();
    const auto& request = program->request();
    Json json{{"trace", program->name()}};
    try {
      const auto advice = study::advise(request, o.worker_count());
      json.update(study::advice_json(advice, request));
      said += AdviceText(advice, request).text();
      if (!o.rank_file.output.empty()) file = rank_file.text(machine, request.slots, advice.taken().mapping);
      if (!o.html.empty()) page = program->page(advice);
    } catch (const core::SimulationError& error) {  // of this program: the others have their advice
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
const std::vector<std::string> of_jobs{"--scheduler", "--shares", "--lenient", "--too-large"};
const std::vector<std::string> of_programs{"--baseline", "--map",    "--nodes",    "--busy",        "--ranks-per-node",
                                           "--compute",  "--eager",  "--envelope", "--collectives", "--order",
                                           "--repeats",  "--format", "--hosts"};

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

}  // namespace

void add_advise(CLI::App& app) {
  auto* command = app.add_subcommand(
      "advise", "which mapping to take for a program, or which scheduler and allocator for a log; what that gains");
  auto o = std::make_shared<AdviseOptions>();
  command->add_option("PLATFORM", o->platform, platform_help)->required();
  command
      ->add_option(
          "SUBJECT", o->subjects,
          "traces or generators, as for simulate, each advised on by itself; or one job log or stream, as for "
          "schedule; 'LABEL := NAME' gives one, the machine, an allocator or a scheduler another name in tables "
          "and pictures")
      ->required();
  command->add_option("--repeat", o->repeats, "runs of what draws lots, with seeds SEED, SEED+1, ...")
      ->capture_default_str()
      ->transform(whole(1, 1000));
  command
      ->add_option("--budget", o->budget,
                   "work to spend, in seconds of a usual core; counted in steps, so that the advice is the same on any "
                   "machine")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "first seed")->capture_default_str()->transform(any_seed());
  command->add_option("--workers", o->workers, "worker processes (default: as many as there are cores)")
      ->transform(whole(1, 4096))
      ->configurable(false);
  o->what_if.add_to(*command);
  add_choice(
      *command, "--baseline", o->baseline,
      "of a program: what you would do without advice, a mapper or a file; unless given, node where --alloc draws "
      "nodes by lot");
  add_choices(*command, "--map", o->maps, "of a program: mappers that are tried");
  o->placement.add_to(*command, o->allocators, o->allocator_labels,
                      "of a job log: allocators that are compared; of a program: the one that chooses its nodes "
                      "(default there: none)");
  o->replay.add_to(*command);
  o->rank_file.add_to(*command);
  add_output(
      *command, "--html", o->html,
      "write a page to look at: of a program the baseline, the advice and their difference on the machine, link by "
      "link; of a job log charts");
  add_choices(*command, "--scheduler", o->schedulers, "of a job log: schedulers that are compared",
              &o->scheduler_labels);
  command
      ->add_option("--shares", o->shares,
                   "of a job log: shares of their time for which jobs communicate, as far as is assumed to judge what "
                   "neighbours cost")
      ->capture_default_str()
      ->transform(real(0.001, 1));
  command->add_option("--too-large", o->too_large, "of a job log, of jobs that can never fit: fail, or reject")
      ->capture_default_str()
      ->check(CLI::IsMember({"fail", "reject"}));
  command->add_flag("--lenient", o->lenient, "of a job log: leave out what is malformed, and count it");
  add_output(*command, "--json", o->json, "write everything as JSON (- for standard output)");
  set_action(*command, [o](const Json& arguments) {
    o->arguments = arguments;
    std::vector<std::string> machine{o->platform};
    o->platform_label = take_labels(machine, [o](const std::string& name) { return o->what_if.apply(name); }).front();
    o->platform = machine.front();
    o->subject_labels = take_labels(o->subjects);
    const bool is_log = std::any_of(o->subjects.begin(), o->subjects.end(), jobs::is_jobs);
    check_arguments(*o, is_log);
    if (!is_log && arguments.contains("--alloc")) o->placement.alloc = o->allocators.front();
    if (is_log)
      advise_on_jobs(*o);
    else
      advise_on_programs(*o);
  });
}

}  // namespace toroid::cli
