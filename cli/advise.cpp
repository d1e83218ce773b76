// toroid advise: which mapping to take, and why.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "cli/advise_options.hpp"
#include "cli/commands.hpp"
#include "cli/computation_lines.hpp"
#include "cli/config.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/version.hpp"
#include "cli/watched_trace.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "jobs/jobs_source.hpp"
#include "mapping/traffic_grid.hpp"
#include "netsim/router_engine.hpp"
#include "netsim/run.hpp"
#include "platforms/check.hpp"
#include "platforms/load.hpp"
#include "study/advice.hpp"
#include "study/executor.hpp"
#include "views/run_difference.hpp"
#include "views/run_document.hpp"
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
  return manifest;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string times(double gain) {
  return fmt::format("{:.3f} times", gain);
}

/// What the advice says of one program, in lines.
class Telling {
 public:
  Telling(const Advice& advice, const Json& json, double budget)
      : advice_(advice), computation_(json["computation"]), budget_(budget) {}

  std::string text() {
    tell_choice();
    tell_whole();
    tell_luck();
    for (const auto& look : advice_.looks)
      if (look.kind == SecondLook::Kind::engine) tell_engine(look);
    tell_limits();
    tell_changes();
    tell_reference();
    if (advice_.needed_budget > budget_)
      add("budget", fmt::format("--budget {:.0f}s has room for everything", std::ceil(advice_.needed_budget)));
    for (const auto& tried : advice_.tried)
      if (!tried.error.empty()) add("failed", fmt::format("{}: {}", tried.map.text(), core::excerpt(tried.error, 200)));
    return text_;
  }

 private:
  void add(std::string_view label, std::string_view said) { text_ += advice_line(label, said); }

  const study::Tried& baseline() const { return advice_.tried[Advice::baseline]; }
  bool keeps() const { return advice_.advised == Advice::baseline; }

  /// `communication time 1 ms`
  std::string time_of(double seconds) const {
    return fmt::format("{} {}", time_in_words(computation_), core::format_duration(seconds));
  }

  void tell_choice() {
    const auto& taken = advice_.taken();
    if (keeps()) return tell_that_nothing_is_better();
    add("take", taken.map.text() + (taken.times.size() > 1 ? fmt::format(", search {}", taken.search + 1) : ""));
    if (!taken.notes.empty()) add("", taken.notes.back());
    auto said = fmt::format("{} as fast as {}: {} instead of {}", times(advice_.gain()), baseline().map.text(),
                            time_of(taken.best()), core::format_duration(baseline().best()));
    if (taken.times.size() > 1)
      said += fmt::format("; {} searches found {:.3f} to {:.3f}", taken.times.size(), baseline().best() / taken.worst(),
                          advice_.gain());
    add("gain", said);
  }

  void tell_that_nothing_is_better() {
    add("take", fmt::format("{}, as it is: no other mapping is faster by {:.0f} %", baseline().map.text(),
                            100 * Advice::margin));
    auto said = time_of(baseline().best());
    for (std::size_t i = Advice::by_lot + 1; i < advice_.tried.size(); ++i)
      if (const auto& other = advice_.tried[i]; !other.times.empty())
        said += fmt::format("; {} {}", other.map.text(), core::format_duration(other.best()));
    add("time", said);
  }

  void tell_whole() {
    for (const auto& look : advice_.looks) {
      if (look.kind != SecondLook::Kind::computation) continue;
      if (!look.left_out.empty()) {
        add("of the whole", "not known: runs with computation: " + look.left_out);
        continue;
      }
      add("of the whole", keeps()
                              ? core::format_duration(look.advised) + " with computation"
                              : fmt::format("{} as fast with computation: {} instead of {}", times(look.gain()),
                                            core::format_duration(look.advised), core::format_duration(look.baseline)));
      add("", amount_in_words(computation_));
    }
  }

  void tell_luck() {
    const auto& random = advice_.tried[Advice::by_lot];
    if (random.times.empty()) return;
    const double best = advice_.taken().best();
    add("random order",
        fmt::format("ranks by lot on these nodes take {:.3f} to {:.3f} times as long as the advice, {} draws",
                    random.best() / best, random.worst() / best, random.times.size()));
  }

  /// How the run by packets is called: by the routes that these take.
  static std::string_view label_of(const SecondLook& look) {
    return look.engine == netsim::router_engine ? "packets" : "adaptive";
  }

  static std::string_view verdict(double gain) {
    if (gain >= 1 + Advice::margin) return "the advice holds";
    return gain > 1 - Advice::margin ? "no difference" : "the advice does NOT hold";
  }

  void tell_engine(const SecondLook& look) {
    if (!look.left_out.empty()) return add(label_of(look), "not asked: " + look.left_out);
    add(label_of(look),
        keeps() ? fmt::format("{} by {}", core::format_duration(look.advised), look.engine)
                : fmt::format("{}: {} as fast by {}, {} instead of {}", verdict(look.gain()), times(look.gain()),
                              look.engine, core::format_duration(look.advised), core::format_duration(look.baseline)));
  }

  void tell_limits() {
    if (!advice_.limits) return add("limits", "not asked: more work than is left of the budget");
    const auto& m = advice_.limits->measures;
    std::vector<std::pair<double, std::string>> parts{{m.compute_share, "compute"},
                                                      {m.latency_share, "latency"},
                                                      {m.bandwidth_share, "bandwidth"},
                                                      {m.sharing_share, "sharing"}};
    largest_first(parts);
    std::vector<std::string> texts;
    for (const auto& [share, part] : parts)
      texts.push_back(fmt::format("{} {}{}", part, percent(share), part == "sharing" ? where_shared() : ""));
    add("limits", core::join(texts));
    add("", fmt::format("ranks wait for partners {} of the time, on average",
                        percent(advice_.limits->waiting_for_partners)));
  }

  /// On which links the time is lost to sharing: ` (on x 12.3 %, on y 3.5 %)`.
  std::string where_shared() const {
    std::vector<std::string> texts;
    for (const auto& loss : advice_.limits->losses)
      if (const double share = loss.seconds / advice_.limits->measures.runtime; share >= 0.0005)
        texts.push_back(fmt::format("on {} {}", loss.links, percent(share)));
    return texts.empty() ? "" : fmt::format(" ({})", core::join(texts));
  }

  static void largest_first(std::vector<std::pair<double, std::string>>& all) {
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  }

  void tell_changes() {
    if (advice_.effects.empty()) return add("would help", "not asked: more work than is left of the budget");
    std::vector<std::pair<double, std::string>> gains;
    std::vector<std::string> useless;
    for (const auto& effect : advice_.effects) {
      if (!effect.time) continue;
      const double saved = 1 - *effect.time / advice_.taken().best();
      if (std::abs(saved) < Advice::margin)
        useless.push_back(effect.change.text());
      else
        gains.emplace_back(saved, effect.change.text());
    }
    largest_first(gains);
    std::vector<std::string> texts;
    for (const auto& [saved, change] : gains) texts.push_back(fmt::format("{} {:+.1f} %", change, -100 * saved));
    if (!texts.empty()) add("would help", core::join(texts) + " of the time");
    if (!useless.empty())
      add("would not", core::join(useless) + fmt::format(": less than {:.0f} %", 100 * Advice::margin));
  }

  void tell_reference() {
    for (const auto& look : advice_.looks) {
      if (look.kind != SecondLook::Kind::reference) continue;
      if (!look.left_out.empty())
        add("checked", fmt::format("by {}: no, {}", look.engine, look.left_out));
      else
        add("checked", fmt::format("{} agrees to {:.4f} %", look.engine, 100 * deviation(look)));
    }
  }

  /// How far the reference is from the times that the advice stands on, at most.
  double deviation(const SecondLook& look) const {
    return std::max(std::abs(look.advised / advice_.taken().best() - 1),
                    std::abs(look.baseline / baseline().best() - 1));
  }

  const Advice& advice_;
  const Json& computation_;
  double budget_;
  std::string text_;
};

/// One of the programs, ready to be asked about.
struct Program {
  explicit Program(const std::string& text) : name(text), trace(workloads::TraceSource(text).open()) {}

  std::string name;
  std::unique_ptr<workloads::Trace> trace;
};

std::string head(const AdviseOptions& o, const platforms::Machine& machine, const Program& program,
                 const mapping::Traffic& traffic, std::size_t slots) {
  const auto grid = mapping::find_grid(traffic.matrix());
  auto text = advice_line("machine", fmt::format("{}, {} nodes", o.platform, machine.compute_nodes().size()));
  text += advice_line("program",
                      fmt::format("{}, {} ranks on {} slots; traffic {}", program.name, traffic.ranks(), slots,
                                  grid.exists ? "looks like " + grid.grid.text() : "is no grid: " + grid.reason));
  return text;
}

/// The columns of a run of a mapping, for pages.
std::string columns_of(const AdviseOptions& o, const study::AdviceRequest& request, const study::Tried& tried,
                       const std::string& trace, bool leaves_out) {
  constexpr std::size_t windows = 64;
  netsim::RunRequest run{request.machine, request.trace, tried.mapping, request.options, netsim::fast_engine};
  run.windows = windows;
  views::record_for_columns(run);
  const auto result = netsim::run(run);
  return views::run_columns(request.machine, tried.mapping, result, request.traffic.matrix(),
                            {o.platform, trace, tried.map.text(), std::string(netsim::fast_engine), leaves_out})
      .document();
}

/// The page of both runs, before and after.
std::string page_of(const AdviseOptions& o, const study::AdviceRequest& request, const Advice& advice,
                    const std::string& trace) {
  const auto columns = [&](const study::Tried& tried) {
    return columns_of(o, request, tried, trace, advice.computation.is_left_out());
  };
  const views::ColumnsFile before("the run before", columns(advice.tried[Advice::baseline]));
  const views::ColumnsFile after("the run after", columns(advice.taken()));
  return views::difference_page(views::RunDifference(before, after).columns());
}

/// What is odd about the machine, a line each.
std::string warnings(const platforms::Machine& machine) {
  std::string text;
  platforms::check_plausible(machine.description(), [&](const std::string& property, const std::string& message) {
    text += advice_line("note", fmt::format("{}: {}", property, message));
  });
  return text;
}

void advise_on_programs(const AdviseOptions& o) {
  const auto budget = o.budget_seconds();
  const auto rank_file = o.rank_file.read();
  const auto replay = o.replay.options();
  for (const auto& trace : o.subjects) refuse_platform(trace);
  const std::vector<workloads::TraceSource> sources(o.subjects.begin(), o.subjects.end());
  for (const auto* path : {&o.rank_file.output, &o.html})
    if (!path->empty() && o.subjects.size() > 1)
      core::fail_input("{} is for one program; expected one TRACE, found {}", path == &o.html ? "--html" : "-o",
                       o.subjects.size());
  o.baseline.make();  // what is wrong with a mapper is told before a trace is read
  for (const auto& map : o.maps) map.make();
  const auto machine = platforms::make_machine(o.platform);
  const auto slots_of = o.placement.slots_on(machine, o.seed);
  std::string said = warnings(machine), file, page;
  Json whole{{"schema_version", core::schema_version}, {"programs", Json::array()}};
  Outputs outputs;
  outputs.add(o.rank_file.output, [&] { return file; });
  outputs.add(o.json, [&] { return core::json_text(whole, 1) + "\n"; });
  outputs.add(o.html, [&] { return page; });
  for (const auto& name : o.subjects) {
    const Program program(name);
    const WatchedTrace watched(*program.trace, "adding up messages");
    const mapping::Traffic traffic(watched, replay.collectives);
    const auto slots = slots_of(program.trace->ranks());
    const study::AdviceRequest request{machine, *program.trace, traffic,   slots,  o.baseline,
                                       o.maps,  replay,         o.repeats, o.seed, budget};
    const auto advice = study::advise(request, o.worker_count());
    auto json = study::advice_json(advice, request);
    json["trace"] = name;
    if (!said.empty() && whole["programs"].size() > 0) said += "\n";
    said += head(o, machine, program, traffic, slots.size()) + Telling(advice, json, budget).text();
    whole["programs"].push_back(std::move(json));
    if (!o.rank_file.output.empty()) file = rank_file.text(machine, slots, advice.taken().mapping);
    if (!o.html.empty()) page = page_of(o, request, advice, name);
  }
  whole["manifest"] = manifest(o);
  outputs.write();
  if (!outputs.to_stdout()) print(said);
}

/// The arguments that are for a job log alone, and those that are for programs alone. All others are for both.
const std::vector<std::string> of_jobs{"--schedulers", "--allocs", "--shares", "--lenient"};
const std::vector<std::string> of_programs{"--baseline",       "--map",     "--nodes",  "--alloc",    "--busy",
                                           "--ranks-per-node", "--compute", "--eager",  "--envelope", "--collectives",
                                           "--order",          "--repeats", "--format", "--hosts"};

/// Throws InputError on an argument that has no meaning for what was given.
void check_arguments(const AdviseOptions& o, bool is_log) {
  for (const auto& name : is_log ? of_programs : of_jobs)
    if (o.arguments.contains(name))
      core::fail_input("{} is for {}; found {}", name, is_log ? "programs" : "a job log", core::join(o.subjects));
  if (!is_log) return;
  if (o.subjects.size() > 1) core::fail_input("expected one job log, or programs; found {}", core::join(o.subjects));
  if (!o.rank_file.output.empty()) core::fail_input("-o is for programs; found {}", o.subjects[0]);
}

}  // namespace

double AdviseOptions::budget_seconds() const {
  const double seconds = core::parse_duration(budget, "--budget");
  constexpr double least = 1, most = 1e6;
  if (seconds < least || seconds > most) core::fail_input("--budget: found {}, expected 1s to 1000000s", budget);
  return seconds;
}

std::size_t AdviseOptions::worker_count() const {
  return workers == 0 ? study::default_workers(1) : workers;
}

std::string advice_line(std::string_view label, std::string_view said) {
  return fmt::format("{:<15}{}\n", label, said);
}

void add_advise(CLI::App& app) {
  auto* command = app.add_subcommand(
      "advise", "which mapping to take for a program, or which scheduler and allocator for a log; what that gains");
  auto o = std::make_shared<AdviseOptions>();
  command->add_option("PLATFORM", o->platform, platform_help)->required();
  command
      ->add_option("SUBJECT", o->subjects,
                   "traces or generators, as for simulate, each advised on by itself; or one job log or stream, as for "
                   "schedule")
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
  add_choice(*command, "--baseline", o->baseline, "of a program: what you would do without advice, a mapper or a file");
  add_choices(*command, "--map", o->maps, "of a program: mappers that are tried");
  o->placement.add_to(*command);
  o->replay.add_to(*command);
  o->rank_file.add_to(*command);
  add_output(
      *command, "--html", o->html,
      "write a page to look at: of a program the baseline, the advice and their difference on the machine, link by "
      "link; of a job log charts");
  add_choices(*command, "--schedulers", o->schedulers, "of a job log: schedulers that are compared");
  add_choices(*command, "--allocs", o->allocators, "of a job log: allocators that are compared");
  command
      ->add_option("--shares", o->shares,
                   "of a job log: shares of their time for which jobs communicate, as far as is assumed to judge what "
                   "neighbours cost")
      ->capture_default_str()
      ->transform(real(0.001, 1));
  command->add_flag("--lenient", o->lenient, "of a job log: leave out what is malformed, and count it");
  add_output(*command, "--json", o->json, "write everything as JSON (- for standard output)");
  set_action(*command, [o](const Json& arguments) {
    o->arguments = arguments;
    o->platform = o->what_if.apply(o->platform);
    const bool is_log = jobs::is_jobs(o->subjects[0]);
    check_arguments(*o, is_log);
    if (is_log)
      advise_on_jobs(*o);
    else
      advise_on_programs(*o);
  });
}

}  // namespace toroid::cli
