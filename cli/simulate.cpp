#include <algorithm>
#include <chrono>

#include "cli/commands.hpp"
#include "cli/config.hpp"
#include "cli/explanation_tables.hpp"
#include "cli/manifest.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/simulate.hpp"
#include "cli/summary_lines.hpp"
#include "cli/swapped_arguments.hpp"
#include "cli/watched_trace.hpp"
#include "core/context.hpp"
#include "core/csv.hpp"
#include "core/error.hpp"
#include "core/json.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "netsim/mapping.hpp"
#include "netsim/result_json.hpp"
#include "netsim/run.hpp"
#include "study/advice/explanation.hpp"
#include "study/draws.hpp"
#include "views/documents/run_document.hpp"
#include "views/machines/machine_drawing.hpp"
#include "views/timelines/formats.hpp"
#include "workloads/amounts.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::cli {

using core::Json;

namespace {

/// Real time by what it went into, in seconds.
struct WallTimes {
  double read = 0, map = 0, run = 0;
};

/// What the bar says to one who waits.
std::string hint(const SimulateOptions& o) {
  const auto faster = netsim::faster_engine(o.engine);
  return faster.empty() ? "" : fmt::format("--engine {}: 10 to 100 times faster", faster);
}

std::string busiest_links(const mapping::Machine& machine, const netsim::Result& r) {
  core::Table table({"busiest links", "bytes", "mean use", "peak use", "most flows"});
  const auto links = r.bottlenecks();
  if (links.empty()) return {};
  for (std::size_t i = 0; i < std::min<std::size_t>(5, links.size()); ++i)
    table.add({machine.link_name(links[i].link), core::format_bytes(static_cast<double>(links[i].bytes)),
               percent(links[i].mean_utilization), r.utilization_window ? percent(links[i].peak_utilization) : "-",
               std::to_string(links[i].peak_flows)});
  return "\n" + table.text();
}

/// What the time depends on besides the machine: the engine, its routes, the order of messages.
std::string network_line(const SimulateOptions& o, const netsim::Result& r) {
  const auto setting = [&](std::string_view name, std::string_view otherwise) {
    for (const auto& [key, value] : r.engine_settings)
      if (key == name) return value;
    return std::string(otherwise);
  };
  const auto order = o.replay.order.empty() ? setting("order", "") : o.replay.order;
  return fmt::format("network        {}, {} routes; a node sends {}\n", o.engine.text(),
                     setting("routing", "dimension-order"), order_in_words(netsim::parse_order(order)));
}

/// `iterations 12 to 250 repeat iteration 11`.
std::string in_words(const netsim::RepeatedIterations& repeated) {
  const auto& [first, count, period, messages] = repeated;
  const auto iterations = [](std::uint64_t from, std::uint64_t number) {
    return number == 1 ? fmt::format("iteration {}", from)
                       : fmt::format("iterations {} to {}", from, from + number - 1);
  };
  return fmt::format("{} repeat{} {}", iterations(first, count), count == 1 ? "s" : "",
                     iterations(first - period, period));
}

double share_of_messages(const netsim::Result& r, std::uint64_t messages) {
  return netsim::share(static_cast<double>(messages), static_cast<double>(r.messages));
}

/// How many iterations are simulated, and how well that tells the time; nothing where no sample was wanted.
std::string sampled_lines(const netsim::Result& r) {
  if (!r.sampled) return {};
  const auto& s = *r.sampled;
  if (!s.is_estimate()) return fmt::format("sampled        no, all is simulated: {}\n", s.why_whole);
  double messages = 0;
  for (const auto& repeated : r.repeated) messages += share_of_messages(r, repeated.messages);
  return fmt::format(
      "sampled        {} of {} iterations are simulated, in {} clusters after {} to warm up; {} of the messages "
      "are left out\n"
      "known to       {} either way, {:.2g} % of the run time (95 % confidence; {:.2g} % wanted)\n"
      "estimates      the run time, what it is made of, what ranks do, and the use of links\n",
      s.iterations - s.left_out, s.iterations, s.clusters, s.warm_up, percent(messages),
      core::format_duration(s.half_width), 100 * netsim::share(s.half_width, r.runtime), 100 * s.wanted);
}

/// What ranks do on average. The critical path never waits: where a rank waits for its partner, the path is the
/// partner's.
std::string waits_line(const netsim::Result& r) {
  const auto parts = study::means_of_ranks(r);
  const auto part = [&](std::size_t i) { return percent(netsim::share(parts[i].seconds, r.runtime)); };
  return fmt::format("ranks          on average compute {}, wait for messages on their way {}, for a partner {}\n",
                     part(0), part(1), part(2));
}

/// What ranks wait for, on average, by the purpose of the messages; nothing where the program does not tell purposes.
std::string exposed_table(const netsim::Result& r) {
  if (r.exposed.empty()) return {};
  core::Table table({"exposed communication", "on its way", "for a partner", "of the time"});
  const auto ranks = static_cast<double>(r.ranks.size());
  for (const auto& [purpose, blocked] : r.exposed)
    table.add({purpose.empty() ? "other" : purpose, core::format_duration(blocked.transfer / ranks),
               core::format_duration(blocked.wait / ranks),
               percent(netsim::share((blocked.transfer + blocked.wait) / ranks, r.runtime))});
  return "\n" + table.text();
}

/// `allgather by rings of 4x4, allreduce by recursive_doubling`; empty where there were none.
std::string collectives_line(const netsim::Result& r) {
  std::vector<std::string> parts;
  for (const auto& use : r.collectives) {
    const auto& algorithm = workloads::collective_algorithms()[use.algorithm];
    const auto grid = netsim::grid_in_words(use);
    parts.push_back(
        fmt::format("{} by {}{}", to_string(algorithm.kind), algorithm.name, grid.empty() ? "" : " of " + grid));
  }
  return parts.empty() ? std::string() : fmt::format("collectives    {}\n", core::join(parts));
}

/// What the words of a summary mean, as in docs/reference/glossary.md.
constexpr std::string_view words =
    "latency: until first bytes arrive; bandwidth: a rank's own messages at full speed; sharing: what other messages\n"
    "added, on the same links, pair of nodes or card; for a partner: until another rank sends or receives, or the run "
    "ends\n";

/// What was run, and what came of it.
struct Outcome {
  const mapping::Machine& machine;
  const workloads::Trace& trace;
  const netsim::Result& result;
  netsim::ComputationUse computation;
  std::vector<std::string> notes = {};  ///< of the mapper
  std::optional<Verification> verification = {};
  std::optional<study::Explanation> explanation = {};
  study::Draws drawn = {};
  study::DrawnTimes drawn_times = {};
  WallTimes wall = {};
  std::vector<std::string> faster_ways = {};  ///< netsim::faster_ways()
};

std::string summary(const SimulateOptions& o, const Outcome& outcome) {
  const auto& [machine, trace, r, computation, notes, v, explanation, drawn, drawn_times, wall, faster_ways] = outcome;
  const bool is_estimate = r.sampled && r.sampled->is_estimate();
  std::string text = fmt::format("{:<14} {}{}\n", time_in_words(computation), core::format_duration(r.runtime),
                                 is_estimate ? " +- " + core::format_duration(r.sampled->half_width) : std::string());
  text += fmt::format("placed         {} ranks on {}, map {}\n", r.ranks.size(), o.platform, o.map.text());
  text += computation_lines(computation, r.runtime);
  text += training_line(trace.training(), computation, trace.ranks(), r.runtime);
  text += network_line(o, r);
  text += remark_lines(netsim::named_remarks(o.engine, machine, drawn.properties()));
  text += mapper_lines(notes) + collectives_line(r) + traffic_lines(r, r.loads);
  const auto part = [&](double seconds) { return percent(netsim::share(seconds, r.runtime)); };
  const auto& path = r.critical_path;
  text += fmt::format("critical path  compute {}, latency {}, bandwidth {}, sharing {}\n", part(path.compute),
                      part(path.latency), part(path.bandwidth), part(path.sharing));
  for (const auto& repeated : r.repeated)
    if (!repeated.is_sampled())
      text += fmt::format("repeats        {}, {} of the messages\n", in_words(repeated),
                          percent(share_of_messages(r, repeated.messages)));
  text += sampled_lines(r);
  text += waits_line(r);
  text += exposed_table(r);
  text += busiest_links(machine, r);
  if (o.draws > 0) text += uncertainty_text(drawn, drawn_times, o.engine);
  if (explanation) text += text_of(*explanation, machine, r);
  if (v)
    text += fmt::format(
        "\nverification   {}'s run time is {}; {} differs by {:+.4f} %, in the end of a rank by up to {:.4f} %\n",
        v->engine, core::format_duration(v->runtime), o.engine.text(), 100 * v->deviation, 100 * v->rank_deviation_max);
  if (const auto& p = r.profile)
    text += fmt::format("\nprofile        reading {}, mapping {}, replay {}, solver {}, repeats {}, events {}\n",
                        core::format_duration(wall.read), core::format_duration(wall.map),
                        core::format_duration(p->clients), core::format_duration(p->solver),
                        core::format_duration(p->repeats),
                        core::format_duration(p->total - p->clients - p->solver - p->repeats));
  if (r.sampled && r.sampled->is_estimate() && (v || o.draws > 0))
    text +=
        "\nwhole runs     the run above is a sample; those it is compared with, and those on drawn machines, are "
        "whole\n";
  text += o.events.too_late(r.runtime);
  text += fmt::format("\n{}", words);
  if (!o.events.at.empty()) text += "where an event makes a link fail or slower, that adds to sharing, too\n";
  text += fmt::format("\nsimulated in {}\n", core::format_duration(wall.read + wall.map + wall.run));
  for (const auto& way : faster_ways) text += fmt::format("({})\n", way);
  return text;
}

/// Seconds since it was made or last asked.
class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void simulate_trace(const SimulateOptions& o, Kept& kept, const TakeResult& take) {
  check_shown(o);
  const auto replay = o.replay.options();
  const auto matrix_kind = mapping::parse_matrix_kind(o.matrix);
  auto drawn = o.draws > 0 ? study::draw_machines(o.platform, o.draws, o.seed) : study::Draws{};
  if (o.draws > 0) study::check_intervals({&drawn, 1}, o.platform, o.engine);
  const auto shared_machine = o.draws > 0 ? std::make_shared<const mapping::Machine>(study::middle_machine(o.platform))
                                          : kept.machine(o.platform);
  const auto& machine = *shared_machine;
  const auto plane = plane_of(o, machine);
  const auto events = o.events.events(machine, {});
  netsim::check_engine_for(events.changes, o.engine);
  if (o.verify) core::in_context("--verify", [&] { netsim::check_engine_for(events.changes, *o.verify); });
  const auto mapper = o.map.make();
  const auto slots_of = o.placement.slots_on(machine, o.seed);
  const workloads::TraceSource source(o.trace);
  netsim::load(o.engine);
  if (o.verify) netsim::load(*o.verify);
  Shown shown(o);
  auto& json = shown.json;
  auto& outputs = shown.outputs;
  std::optional<views::ViewedRun> viewed;
  const auto formats = wanted_formats(o);
  for (const auto& [format, path] : formats)
    if (const auto& make = format->make; make.is_folder)
      outputs.add_folder(path, [&](const core::OutputFolder& folder) { make.write_folder(*viewed, folder); });
    else
      outputs.add_parts(path, [&](core::OutputFile& file) { make.write_file(*viewed, file); });
  outputs.add(o.links_csv, [&] { return core::csv_of(json["links"]); });
  outputs.add(o.ranks_csv, [&] { return core::csv_of(json["ranks"]); });
  outputs.add(o.draws_csv, [&] { return core::csv_of(draws_table(json["uncertainty"]["runs"])); });
  outputs.add(o.critical_path_csv, [&] { return core::csv_of(json["critical_path"]["steps"]); });
  WallTimes wall;
  Stopwatch watch;
  const auto trace = netsim::trace_for(kept.trace(source), replay);
  wall.read = watch.lap();
  const auto slots = slots_of(trace->ranks());
  const WatchedTrace watched(*trace, "adding up messages");
  const mapping::Traffic traffic(watched, replay.collectives, matrix_kind);
  const mapping::Program program{*trace, replay};
  std::vector<std::string> notes;
  const auto mapping = mapping::make_mapping(*mapper, {machine, slots, traffic, o.seed, &program, &notes});
  wall.map = watch.lap();
  netsim::RunRequest request{machine, *trace, mapping, replay, o.engine, o.profile, o.windows, events.changes};
  request.options.log_causes = !o.critical_path_csv.empty();
  if (o.draws_page()) views::record_for_columns(request);
  if (o.explain) study::record_for_explanation(request);
  for (const auto& [format, path] : formats) {
    request.options.keep_timeline = true;
    request.keep_windows = request.keep_windows || format->make.draws_links;
  }
  const auto result = [&] {
    const auto operations = static_cast<std::uint64_t>(workloads::about_length(*trace));
    core::Progress bar("simulating", operations, hint(o));
    return netsim::run(request, &bar);
  }();
  wall.run = watch.lap();

  const bool all_tables = o.tables || writes_tables(o);
  const auto computation = netsim::computation_use(*trace, workloads::computation_by_rank(*trace), machine, replay);
  Outcome outcome{machine, *trace, result, computation, notes};
  netsim::ToldOfRun told{.links = all_tables || !o.links_csv.empty(),
                         .ranks = all_tables || !o.ranks_csv.empty(),
                         .bottlenecks = !o.brief,
                         .steps = !o.critical_path_csv.empty(),  // the page and the columns have theirs of the result
                         .computation = computation,
                         .training = trace->training(),
                         .read_s = wall.read,
                         .map_s = wall.map,
                         .notes = notes,
                         .remarks = netsim::named_remarks(o.engine, machine, drawn.properties())};
  if (!o.events.at.empty()) told.events = cosim::events_json(o.events.told(result.runtime));
  if (o.verify) {
    outcome.verification = verify(request, result, *o.verify);
    told.verification = verification_json(*outcome.verification);
  }
  if (o.draws > 0) {
    outcome.drawn = drawn;
    outcome.drawn_times = run_on_drawn(request, o.events, drawn, o.worker_count());
    told.uncertainty = study::uncertainty_json(drawn, outcome.drawn_times, o.engine);
  }
  if (o.explain) {
    outcome.explanation = study::explain(
        request, result,
        study::other_mappings(o.map,
                              [&](const mapping::MapperChoice& other) {
                                return mapping::make_mapping(other, {machine, slots, traffic, o.seed, &program});
                              }),
        o.worker_count());
    told.explanation = study::explanation_json(*outcome.explanation, machine, result);
  }
  if (!o.brief) told.manifest = run_manifest(o, kept, compute_in_words(computation), result.engine_settings);
  json = netsim::result_json(machine, result, told);
  const views::RunNames names{o.platform, o.trace, o.map.text(), o.engine.text(), computation.is_left_out()};
  if (o.draws_page())
    shown.columns = views::run_columns(machine, mapping, result,
                                       netsim::placed_matrix(machine, watched, replay.collectives, mapping), names);
  if (o.draws_page() && o.explain) shown.columns->meta["explanation"] = json["explanation"];
  if (o.draws_picture())
    shown.draw(machine, plane, result.links, views::drawn_ranks(result, o.placement.taken(machine, o.seed)), names,
               fmt::format("{} {}", time_in_words(computation), core::format_duration(result.runtime)));
  viewed.emplace(views::ViewedRun{machine, *trace, result, names});
  if (take) return take(std::move(json));
  outputs.write();
  outcome.wall = wall;
  outcome.faster_ways = netsim::faster_ways(request, result, wall.run);
  if (!outputs.to_stdout()) print(summary(o, outcome));
}

}  // namespace

void simulate(SimulateOptions& o, Kept& kept, const TakeResult& take) {
  o.platform = o.what_if.apply(o.platform);
  if (!o.jobs.empty()) return simulate_jobs(o, kept, take);
  if (!o.trace.empty() && o.placement.has_neighbours()) return simulate_jobs(o, kept, take);
  if (o.trace.empty()) core::fail_input("expected a TRACE, or jobs: --job TRACE");
  if (!o.draws_csv.empty() && o.draws == 0)
    core::fail_input("--draws-csv is for machines that are drawn: --uncertainty N");
  if (!o.jobs_csv.empty() || !o.contention_csv.empty())
    core::fail_input("{} is for jobs: --job TRACE", o.jobs_csv.empty() ? "--contention-csv" : "--jobs-csv");
  refuse_swapped("TRACE", o.trace);
  simulate_trace(o, kept, take);
}

void add_simulate(CLI::App& app) {
  auto* command = app.add_subcommand("simulate", "predict the run time of a trace on a machine");
  auto o = std::make_shared<SimulateOptions>();
  add_simulate_arguments(*command, *o);
  set_action(*command, [o](const Json& arguments) {
    o->arguments = arguments;
    Kept kept;
    simulate(*o, kept);
  });
}

}  // namespace toroid::cli
