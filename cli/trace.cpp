
#include <set>

#include "cli/commands.hpp"
#include "cli/option.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "cli/summary_lines.hpp"
#include "cli/swapped_arguments.hpp"
#include "cli/watched_trace.hpp"
#include "core/json.hpp"
#include "core/progress.hpp"
#include "core/units.hpp"
#include "mapping/traffic.hpp"
#include "mapping/traffic_grid.hpp"
#include "views/charts/heat_map.hpp"
#include "workloads/amounts.hpp"
#include "workloads/cut.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"
#include "workloads/summary.hpp"
#include "workloads/trace_source.hpp"

namespace toroid::cli {
namespace {

std::unique_ptr<workloads::Trace> open_trace(const std::string& text) {
  refuse_swapped("TRACE", text);
  return workloads::open_trace(text);
}

using core::Json;

struct TraceOptions {
  std::string trace, other, json, svg, output = "-", collectives = "default", kind = "expanded", format = "table",
                                       to = "ti", iterations, time, ranks;
  bool messages = false, per_rank = false, ignore_tags = false, merge_waits = false;
  std::optional<double> computation;
};

/// What `trace info` tells of a trace.
struct TraceInfo {
  explicit TraceInfo(const workloads::Trace& of)
      : trace(of),
        summary(workloads::summarize(WatchedTrace(of, "counting"))),
        handed_in(workloads::collective_bytes(of)),
        found(mapping::find_grid(workloads::point_to_point_matrix(of))) {}

  double bytes_per_operation() const {
    const auto operations = static_cast<double>(summary.operations);
    return summary.operations == 0 ? 0 : static_cast<double>(trace.memory_bytes()) / operations;
  }

  const workloads::Trace& trace;
  workloads::TraceSummary summary;
  std::array<std::uint64_t, workloads::op_kind_count> handed_in;  ///< bytes, by kind of collective
  mapping::FoundGrid found;                                       ///< the grid of the point-to-point messages
};

/// Calls `use` with each kind of operation that occurs, and its number.
template <class Use>
void for_each_kind(const TraceInfo& info, Use use) {
  for (std::size_t k = 0; k < info.summary.by_kind.size(); ++k)
    if (info.summary.by_kind[k] > 0) use(static_cast<workloads::OpKind>(k), k);
}

Json operations_by_kind(const TraceInfo& info) {
  Json kinds = Json::object();
  for_each_kind(info, [&](workloads::OpKind kind, std::size_t k) {
    kinds[std::string(to_string(kind))] = info.summary.by_kind[k];
  });
  return kinds;
}

Json collective_bytes(const TraceInfo& info) {
  Json bytes = Json::object();
  for_each_kind(info, [&](workloads::OpKind kind, std::size_t k) {
    if (is_collective(kind)) bytes[std::string(to_string(kind))] = info.handed_in[k];
  });
  return bytes;
}

const core::Object<mapping::FoundGrid> grid_object{
    "grid",
    {{"extents", "list of count", "of the grid that the traffic looks like",
      [](auto& f) { return f.exists ? Json(f.grid.extents) : core::absent(); }},
     {"periodic", "list of yes or no", "for each axis",
      [](auto& f) { return f.exists ? Json(f.grid.periodic) : core::absent(); }},
     {"near_bytes", "share", "of the bytes between ranks at most one step apart along each axis",
      [](auto& f) { return f.exists ? Json(f.grid.near_bytes) : core::absent(); }},
     {"text", "text", "the grid in words", [](auto& f) { return f.exists ? Json(f.grid.text()) : core::absent(); }},
     {"reason", "text", "only where there is no grid: why",
      [](auto& f) { return f.exists ? core::absent() : Json(f.reason); }}}};

const core::Object<workloads::Recording> recording_object{
    "recording",
    {{"clock", "text", "wall, cpu or instructions", &workloads::Recording::clock},
     {"ranks", "count", "on the machine that was fullest", &workloads::Recording::ranks},
     {"cores", "count", "that these ranks could use; where they are fewer, ranks waited for cores",
      &workloads::Recording::cores}}};

const core::Object<TraceInfo> trace_object{
    "trace",
    {core::version_field<TraceInfo>(),
     {"begins", "text",
      "where the first operation of rank 0 stands: file and line; or the generator, with its iterations "
      "if they are not all",
      [](auto& t) { return t.trace.locate(0, 0); }},
     {"ranks", "count", "number of ranks", [](auto& t) { return t.summary.ranks; }},
     {"operations", "count", "of all ranks; init and finalize do not count",
      [](auto& t) { return t.summary.operations; }},
     {"operations_by_kind", "count by name", "how many of each kind that occurs", operations_by_kind},
     {"collective_bytes", "bytes by name",
      "of each kind of collective that occurs, the bytes that all ranks hand in: the message of a broadcast, at its "
      "root; "
      "the vector of a reduction; blocks for all members of an all-to-all. What is sent depends on the algorithms",
      collective_bytes},
     {"messages", "count", "point-to-point messages sent, without those of collectives, including messages to oneself",
      [](auto& t) { return t.summary.messages; }},
     {"bytes", "bytes", "of these messages", [](auto& t) { return t.summary.bytes; }},
     {"self_messages", "count", "messages to oneself among them", [](auto& t) { return t.summary.self_messages; }},
     {"bytes_max_rank", "bytes", "sent by the rank that sends most", [](auto& t) { return t.summary.bytes_max_rank; }},
     {"partners_min", "count", "other ranks that a rank sends point-to-point messages to, at least",
      [](auto& t) { return t.summary.partners_min; }},
     {"partners_mean", "number", "the same on average", [](auto& t) { return t.summary.partners_mean; }},
     {"partners_max", "count", "the same at most", [](auto& t) { return t.summary.partners_max; }},
     {"grid", "grid", "of the point-to-point messages", [](auto& t) { return grid_object(t.found); }},
     {"flops", "number", "sum over all ranks; of a captured trace nanoseconds, or instructions if it counted them",
      [](auto& t) { return t.summary.flops; }},
     {"slept_s", "seconds", "sum over all ranks", [](auto& t) { return t.summary.slept_seconds; }},
     {"recorded", "recording or null", "how computation was measured that toroid capture has recorded",
      [](auto& t) {
        const auto recording = workloads::recording_of(t.trace);
        return recording.clock.empty() ? Json() : recording_object(recording);
      }},
     {"memory_bytes", "bytes", "memory that holds the trace; 0 for a generator",
      [](auto& t) { return t.trace.memory_bytes(); }},
     {"memory_bytes_per_operation", "number", "that over the operations", &TraceInfo::bytes_per_operation}}};

/// The sum of the amounts of a trace's computations.
std::string computed_in_words(workloads::Computation kind, double amount) {
  if (kind == workloads::Computation::timed) return core::format_duration(1e-9 * amount) + " of all ranks, as measured";
  return fmt::format("{:.6g} {}", amount, kind == workloads::Computation::counted ? "instructions" : "flops");
}

void print_info(const TraceInfo& info) {
  const auto& s = info.summary;
  const auto size = [](std::uint64_t bytes) { return core::format_bytes(static_cast<double>(bytes)); };
  print(fmt::format("begins      {}\n", info.trace.locate(0, 0)));
  fmt::print("ranks       {}\n", s.ranks);
  fmt::print("operations  {}\n", s.operations);
  for_each_kind(info, [&](workloads::OpKind kind, std::size_t k) {
    fmt::print(
        "  {:<14} {:>12}{}\n", to_string(kind), s.by_kind[k],
        is_collective(kind) && info.handed_in[k] > 0 ? fmt::format(", {} handed in", size(info.handed_in[k])) : "");
  });
  fmt::print("messages    {} point-to-point, {}; {} messages to the sender itself\n", s.messages, size(s.bytes),
             s.self_messages);
  fmt::print("partners    {} to {} ranks, {:.2f} on average\n", s.partners_min, s.partners_max, s.partners_mean);
  fmt::print("grid        {}\n",
             info.found.exists ? "looks like " + info.found.grid.text() : "none: " + info.found.reason);
  fmt::print("compute     {}\n", computed_in_words(info.trace.computation(), s.flops));
  if (const auto said = recording_in_words(workloads::recording_of(info.trace)); !said.empty())
    fmt::print("recorded    {}\n", said);
  if (const auto bytes = info.trace.memory_bytes(); bytes > 0)
    fmt::print("memory      {}, {:.2f} B per operation\n", size(bytes), info.bytes_per_operation());
}

void info(const TraceOptions& o) {
  Json json;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  const auto trace = open_trace(o.trace);
  const TraceInfo info(*trace);
  json = trace_object(info);
  outputs.write();
  if (!outputs.to_stdout()) print_info(info);
}

/// Says, before a text is written, that the text is long.
void announce_text(double bytes) {
  constexpr double much = 1e9;
  if (bytes >= much) core::announce(fmt::format("at least {} of text", core::format_bytes(bytes)));
}

void matrix(const TraceOptions& o) {
  const auto kind = mapping::parse_matrix_kind(o.kind);
  const auto collectives = workloads::CollectiveChoice::parse(o.collectives);
  const auto& format = workloads::matrix_formats().find(o.format);
  if (o.messages && format.name != "table") core::fail_input("--messages: expected --format table, found {}", o.format);
  std::optional<mapping::Traffic> traffic;
  const auto write = [&](core::OutputFile& file) {
    const auto sink = [&](std::string_view part) { file.write(part); };
    if (o.messages)
      workloads::write_matrix_csv(traffic->matrix(), true, sink);
    else
      format.make.write(traffic->matrix(), sink);
  };
  Outputs outputs;
  if (o.svg.empty() || o.output != "-") outputs.add_parts(o.output, write);
  outputs.add_svg(o.svg, [&] { return views::heat_map_svg(traffic->matrix(), o.messages, o.trace); });
  std::unique_ptr<workloads::Trace> trace;
  std::optional<WatchedTrace> watched;
  if (const auto* given = workloads::matrix_format_of(o.trace)) {
    const TraceOptions unless_given;
    if (o.kind != unless_given.kind || o.collectives != unless_given.collectives)
      core::fail_input("{}: is a matrix ({}) already; --matrix and --collectives are for traces", o.trace, given->name);
    traffic.emplace(given->make.read(o.trace));
  } else {
    trace = open_trace(o.trace);
    traffic.emplace(watched.emplace(*trace, "adding up messages"), collectives, kind);
  }
  if (format.make.is_dense) announce_text(2.0 * traffic->ranks() * traffic->ranks());
  traffic->matrix();
  outputs.write();
}

/// The names of the formats that can be written so.
std::vector<std::string> written_formats(workloads::TraceFormat::Write workloads::TraceFormat::*how) {
  std::vector<std::string> names;
  for (const auto& entry : workloads::trace_formats().entries())
    if (entry.make.*how != nullptr) names.emplace_back(entry.name);
  return names;
}

void convert(const TraceOptions& o) {
  const auto how = o.per_rank ? &workloads::TraceFormat::write_per_rank : &workloads::TraceFormat::write;
  const auto write = workloads::trace_formats().find(o.to).make.*how;
  if (write == nullptr)
    core::fail_input("{}: expected --to {}, found {}", o.per_rank ? "--per-rank" : "trace convert",
                     core::either(written_formats(how)), o.to);
  const auto collectives = workloads::CollectiveChoice::parse(o.collectives);
  const auto opened = open_trace(o.trace);
  const std::unique_ptr<workloads::Trace> trace = std::make_unique<WatchedTrace>(*opened, "converting");
  core::OutputSet outputs;
  write(*trace, collectives, outputs, o.output);
  outputs.commit();
}

/// The two ends of `A-B`, or of `A` alone. The sign of an exponent, as in 1e-3s, parts nothing.
std::pair<std::string, std::string> ends_of(const std::string& text, std::string_view option) {
  std::vector<std::size_t> signs;
  for (auto at = text.find('-'); at != std::string::npos; at = text.find('-', at + 1))
    if (at == 0 || (text[at - 1] != 'e' && text[at - 1] != 'E')) signs.push_back(at);
  const std::string first = signs.empty() ? text : text.substr(0, signs[0]),
                    last = signs.empty() ? text : text.substr(signs[0] + 1);
  if (signs.size() > 1 || first.empty() || last.empty())
    core::fail_input("{}: found '{}', expected FIRST-LAST", option, core::excerpt(text));
  return {first, last};
}

using RankRange = std::pair<std::int32_t, std::int32_t>;

RankRange interval_of(const std::string& text, std::string_view option) {
  const auto [first, last] = ends_of(text, option);
  const auto a = core::parse_number<std::int32_t>(first), b = core::parse_number<std::int32_t>(last);
  if (!a || !b || *a < 0)
    core::fail_input("{}: found '{}', expected FIRST-LAST, whole numbers", option, core::excerpt(text));
  if (*b < *a)
    core::fail_input("{}: found '{}', expected FIRST-LAST, FIRST not above LAST", option, core::excerpt(text));
  return {*a, *b};
}

/// What `trace cut` is asked for.
struct Cut {
  std::optional<RankRange> iterations;
  std::optional<std::pair<double, double>> time;
  std::vector<RankRange> ranks;
};

Cut parse_cut(const TraceOptions& o) {
  if (o.iterations.empty() && o.time.empty() && o.ranks.empty())
    core::fail_input("trace cut: expected --iterations, --time or --ranks");
  Cut cut;
  if (!o.iterations.empty()) cut.iterations = interval_of(o.iterations, "--iterations");
  if (!o.time.empty()) {
    const auto [first, last] = ends_of(o.time, "--time");
    cut.time = {core::parse_duration(first, "--time"), core::parse_duration(last, "--time")};
    if (cut.time->second <= cut.time->first)
      core::fail_input("--time: found '{}', expected FROM-TO, TO being later", core::excerpt(o.time));
  }
  if (!o.ranks.empty())
    for (const auto part : core::split(o.ranks, ',')) cut.ranks.push_back(interval_of(std::string(part), "--ranks"));
  return cut;
}

/// The ranks in the intervals, ascending.
std::vector<workloads::Rank> ranks_in(const std::vector<RankRange>& intervals, std::int32_t ranks) {
  std::set<workloads::Rank> all;
  for (const auto& [first, last] : intervals) {
    if (last >= ranks) core::fail_input("--ranks: found rank {}, expected a rank below {}", last, ranks);
    for (auto rank = first; rank <= last; ++rank) all.insert(workloads::Rank(rank));
  }
  return {all.begin(), all.end()};
}

std::pair<workloads::Places, workloads::Places> places_of(const workloads::Trace& trace, const Cut& cut) {
  if (cut.iterations)
    return workloads::iteration_places(trace, static_cast<std::uint64_t>(cut.iterations->first),
                                       static_cast<std::uint64_t>(cut.iterations->second));
  return {workloads::time_places(trace, cut.time->first), workloads::time_places(trace, cut.time->second)};
}

void cut(const TraceOptions& o) {
  const auto asked = parse_cut(o);
  auto trace = open_trace(o.trace);
  core::OutputSet outputs;
  const auto operations = workloads::summarize(WatchedTrace(*trace, "counting")).operations;
  if (asked.iterations || asked.time) {
    const auto [from, to] = places_of(*trace, asked);
    trace = workloads::cut_between(*trace, from, to).trace;
  }
  std::string left_out;
  if (!asked.ranks.empty()) {
    auto cut = workloads::cut_to_ranks(*trace, ranks_in(asked.ranks, trace->ranks()));
    trace = std::move(cut.trace);
    left_out = fmt::format("left out    {} messages to other ranks, {}; {} calls of collectives without their root\n",
                           cut.messages, core::format_bytes(static_cast<double>(cut.bytes)), cut.collectives);
  }
  const auto left = workloads::summarize(*trace);
  workloads::write_own(WatchedTrace(*trace, "writing"), outputs, o.output);
  outputs.commit();
  if (o.output == "-") return;
  fmt::print("ranks       {}\noperations  {} of {}\n{}", left.ranks, left.operations, operations, left_out);
}

void diff(const TraceOptions& o) {
  const auto a = open_trace(o.trace), b = open_trace(o.other);
  if (a->ranks() != b->ranks())
    throw core::SimulationError(
        fmt::format("the traces differ: one of {} ranks and one of {}", a->ranks(), b->ranks()));
  workloads::DiffOptions options;
  options.tags = !o.ignore_tags;
  options.merge_waits = o.merge_waits;
  options.computation = o.computation.has_value();
  options.tolerance = o.computation.value_or(0) / 100;
  const auto differences = workloads::first_differences(*a, *b, options);
  const auto side = [](char sign, const workloads::TraceDifference::Side& s) {
    print(fmt::format("  {} {}{}\n", sign, s.operation, s.place.empty() ? "" : fmt::format("  ({})", s.place)));
  };
  for (const auto& difference : differences) {
    fmt::print("rank {}\n", difference.rank);
    side('-', difference.a);
    side('+', difference.b);
  }
  if (!differences.empty())
    throw core::SimulationError(fmt::format("the traces differ: {} of {} ranks", differences.size(), a->ranks()));
  fmt::print("equal\n");
}

}  // namespace

std::vector<core::ObjectText> trace_objects() {
  return {trace_object, recording_object, grid_object};
}

void add_trace(CLI::App& app) {
  auto* command = app.add_subcommand("trace", "look at traces, convert and generate them");
  command->require_subcommand(1);
  auto o = std::make_shared<TraceOptions>();
  const auto add = [&](const char* name, const char* help) {
    auto* sub = command->add_subcommand(name, help);
    sub->add_option("TRACE", o->trace,
                    "trace in any form (toroid list formats), or a generator such as stencil:grid=4x4x4 (toroid list "
                    "generators)")
        ->required();
    return sub;
  };
  auto* info_command = add("info", "count ranks, operations, messages, bytes and partners of a trace");
  add_output(*info_command, "--json", o->json, "write as JSON (- for standard output)");
  info_command->callback([o] { info(*o); });

  auto* matrix_command =
      add("matrix", "print how much each rank sends to each other: a row for each sender, without messages to itself");
  matrix_command->get_option("TRACE")->description(
      "trace in any form, generator, or a matrix to be converted (toroid list matrices)");
  add_output(*matrix_command, "-o,--output", o->output, "file (- for standard output)")->capture_default_str();
  add_output(
      *matrix_command, "--svg", o->svg,
      "draw the matrix instead: a row for each sender, a column for each receiver, dark where they exchange much");
  add_value(*matrix_command, "--format", o->format,
            "table, list, mtx, metis, scotch or qaplib (see toroid list matrices)");
  add_value(*matrix_command, "--matrix", o->kind,
            "messages that count: expanded (those of collectives, too) or p2p (no collectives)");
  add_value(*matrix_command, "--collectives", o->collectives,
            "algorithms of the collectives: default or smpi, with overrides");
  matrix_command->add_flag("--messages", o->messages, "count messages instead of bytes");
  matrix_command->callback([o] { matrix(*o); });

  auto* convert_command =
      add("convert",
          "write a trace or a generated program as a file: SimGrid's time-independent trace, GOAL, or our own form");
  add_output(*convert_command, "-o,--output", o->output,
             "file; compressed if its name ends in .zst or .gz; - for standard output")
      ->required();
  convert_command
      ->add_option(
          "--to", o->to,
          "format: ti (SimGrid's time-independent trace), goal (for LogGOPSim; collectives as their messages), own "
          "(everything that a program can say) or text (own, as text that people can read and edit)")
      ->check(CLI::IsMember(written_formats(&workloads::TraceFormat::write)))
      ->capture_default_str();
  add_value(*convert_command, "--collectives", o->collectives,
            "for goal: algorithms of the collectives: default or smpi, with overrides");
  convert_command->add_flag(
      "--per-rank", o->per_rank,
      "write a top file and a file for each rank, as smpirun -replay reads them, instead of a single file");
  convert_command->callback([o] { convert(*o); });

  auto* cut_command = add("cut", "write a part of a trace that is a program itself, in our own form");
  add_output(*cut_command, "-o,--output", o->output,
             "file; compressed if its name ends in .zst or .gz; - for standard output")
      ->required();
  auto* iterations = cut_command->add_option(
      "--iterations", o->iterations,
      "iterations FIRST-LAST, counted from 1, of a generator that knows them; all before and after is left out");
  cut_command
      ->add_option("--time", o->time,
                   "the part FROM-TO, such as 10ms-20ms, of the time that each rank computes and sleeps (a flop counts "
                   "as a nanosecond)")
      ->excludes(iterations);
  cut_command->add_option("--ranks", o->ranks,
                          "only these ranks, such as 0-3,8, numbered anew; messages with other ranks are left out");
  cut_command->callback([o] { cut(*o); });

  auto* diff_command = add("diff", "compare the operations of two traces; exit code 1 if they differ");
  diff_command->add_option("OTHER", o->other, "the trace to compare with: a file or a generator")->required();
  diff_command
      ->add_option("--computation", o->computation,
                   "compare computations, too: between two calls they may differ by so many percent")
      ->transform(real(0, 1e6));
  diff_command->add_flag("--ignore-tags", o->ignore_tags, "ignore differences in tags");
  diff_command->add_flag("--merge-waits", o->merge_waits,
                         "take waits that follow one another for a single wait, as in a waitall");
  diff_command->callback([o] { diff(*o); });
}

}  // namespace toroid::cli
