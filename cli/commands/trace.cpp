#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/result_fields.hpp"
#include "cli/tables/summary_lines.hpp"
#include "cli/watched_trace.hpp"
#include "core/units.hpp"
#include "mapping/traffic_grid.hpp"
#include "toroid/workloads/trace_source.hpp"
#include "views/charts/charts.hpp"
#include "workloads/amounts.hpp"
#include "workloads/collectives/rules.hpp"
#include "workloads/diff.hpp"
#include "workloads/formats/formats.hpp"
#include "workloads/matrices/matrices.hpp"

namespace toroid::cli {
namespace {

std::unique_ptr<workloads::Trace> open_trace(const std::string& text) {
  refuse_swapped("TRACE", text);
  return workloads::open_trace(text);
}

struct TraceOptions {
  std::string trace, other, json, svg, output = "-", collectives = "default", kind = "expanded", format = "table",
                                       to = "ti";
  bool messages = false, per_rank = false, tags = true, merge_waits = false;
  std::optional<double> computation;
};

// trace info

Options trace_info_options(TraceOptions& o) {
  return {
      trace_argument(o.trace),
      {"--json", o.json, output_file(), "write as JSON (- for standard output)"},
  };
}

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
     {"near_bytes", "share", "of bytes between ranks at most one step apart along each axis",
      [](auto& f) { return f.exists ? Json(f.grid.near_bytes) : core::absent(); }},
     {"text", "text", "the grid in words", [](auto& f) { return f.exists ? Json(f.grid.text()) : core::absent(); }},
     {"reason", "text", "only where there is no grid: why",
      [](auto& f) { return f.exists ? core::absent() : Json(f.reason); }}}};

const core::Object<workloads::Recording> recording_object{
    "recording",
    {{"clock", "text", "wall, cpu or instructions", &workloads::Recording::clock},
     {"ranks", "count", "on the machine that was fullest", &workloads::Recording::ranks},
     {"cores", "count", "that these ranks could use", &workloads::Recording::cores}}};

using workloads::Coverage;

/// The share of something of all nodes that those have that are replayed; nothing where the trace has none of it.
Json covered(const Coverage& c, double Coverage::Amount::*of) {
  return c.all.*of > 0 ? Json(c.replayed.*of / c.all.*of) : Json();
}

const core::Object<Coverage> coverage_object{
    "coverage",
    {{"nodes", "count", "of the graph that do something", [](auto& c) { return c.all.nodes; }},
     {"replayed", "count", "of these nodes", [](auto& c) { return c.replayed.nodes; }},
     {"bytes", "share or null", "that nodes send or hand in, where sizes are known",
      [](auto& c) { return covered(c, &Coverage::Amount::bytes); }},
     {"time", "share or null", "that nodes took when recorded",
      [](auto& c) { return covered(c, &Coverage::Amount::seconds); }},
     {"left_out", "count by name", "nodes that are not replayed as they were, by the reason",
      [](auto& c) { return Json(c.left_out); }}}};

const core::Object<TraceInfo> trace_object{
    "trace",
    {core::version_field<TraceInfo>(),
     {"begins", "text", "where the first operation of rank 0 stands, or the generator",
      [](auto& t) { return t.trace.locate(0, 0); }},
     {"ranks", "count", "number of ranks", [](auto& t) { return t.summary.ranks; }},
     {"operations", "count", "of all ranks, without init and finalize", [](auto& t) { return t.summary.operations; }},
     {"operations_by_kind", "count by name", "how many of each kind that occurs", operations_by_kind},
     {"collective_bytes", "bytes by name",
      "by kind, what all ranks hand in: the message of a broadcast at its root, the vector of a reduction, blocks for "
      "all members of an all-to-all",
      collective_bytes},
     {"messages", "count", "point-to-point, without those of collectives, with those to oneself",
      [](auto& t) { return t.summary.messages; }},
     {"bytes", "bytes", "of these messages", [](auto& t) { return t.summary.bytes; }},
     {"bytes_per_message", "number", "the same on average; 0 without messages",
      [](auto& t) {
        return netsim::share(static_cast<double>(t.summary.bytes), static_cast<double>(t.summary.messages));
      }},
     {"self_messages", "count", "messages to oneself among them", [](auto& t) { return t.summary.self_messages; }},
     {"bytes_max_rank", "bytes", "sent by the rank that sends most", [](auto& t) { return t.summary.bytes_max_rank; }},
     {"partners_min", "count", "ranks to which a rank sends point-to-point messages, at least",
      [](auto& t) { return t.summary.partners_min; }},
     {"partners_mean", "number", "the same on average", [](auto& t) { return t.summary.partners_mean; }},
     {"partners_max", "count", "the same at most", [](auto& t) { return t.summary.partners_max; }},
     {"grid", "grid", "of the point-to-point messages", [](auto& t) { return grid_object(t.found); }},
     {"flops", "number", "of all ranks; of a captured trace nanoseconds or instructions",
      [](auto& t) { return t.summary.flops; }},
     {"slept_s", "seconds", "sum over all ranks", [](auto& t) { return t.summary.slept_seconds; }},
     {"recorded", "recording or null", "how toroid capture measured computation",
      [](auto& t) {
        const auto recording = workloads::recording_of(t.trace);
        return recording.clock.empty() ? Json() : recording_object(recording);
      }},
     {"coverage", "coverage or null", "how much of an execution trace is replayed",
      [](auto& t) {
        const auto coverage = workloads::recording_of(t.trace).coverage;
        return coverage ? coverage_object(*coverage) : Json();
      }},
     {"memory_bytes", "bytes", "that holds the trace; 0 for a generator",
      [](auto& t) { return t.trace.memory_bytes(); }},
     {"memory_bytes_per_operation", "number", "that over the operations", &TraceInfo::bytes_per_operation}}};

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
  if (const auto coverage = workloads::recording_of(info.trace).coverage)
    fmt::print("replayed    {}\n", coverage_in_words(*coverage));
  if (const auto bytes = info.trace.memory_bytes(); bytes > 0)
    fmt::print("memory      {}, {:.2f} B per operation\n", size(bytes), info.bytes_per_operation());
}

void tell_trace(const TraceOptions& o) {
  Json json;
  Outputs outputs;
  outputs.add(o.json, [&] { return core::json_text(json, 1) + "\n"; });
  const auto trace = open_trace(o.trace);
  const TraceInfo info(*trace);
  json = trace_object(info);
  outputs.write();
  if (!outputs.to_stdout()) print_info(info);
}

// trace matrix, convert, diff

Option trace_output(TraceOptions& o) {
  return {"-o,--output", o.output, output_file(), required,
          "file; compressed if its name ends in .zst or .gz; - for standard output"};
}

/// Says, before a text is written, that the text is long.
void announce_text(double bytes) {
  constexpr double much = 1e9;
  if (bytes >= much) core::announce(fmt::format("at least {} of text", core::format_bytes(bytes)));
}

void write_matrix(const TraceOptions& o) {
  const auto& format = workloads::matrix_formats().find(o.format);
  if (o.messages && format.name != "table") core::fail_input("--messages: expected --format table, found {}", o.format);
  OpenedTraffic opened;
  const auto write = [&](core::OutputFile& file) {
    const auto sink = [&](std::string_view part) { file.write(part); };
    if (o.messages)
      workloads::write_matrix_csv(opened.traffic->matrix(), true, sink);
    else
      format.make.write(opened.traffic->matrix(), sink);
  };
  Outputs outputs;
  if (o.svg.empty() || o.output != "-") outputs.add_parts(o.output, write);
  outputs.add_svg(o.svg, [&] { return views::heat_map_svg(opened.traffic->matrix(), o.messages, o.trace); });
  opened = open_traffic(o.trace, o.kind, o.collectives);
  if (format.make.is_dense) announce_text(2.0 * opened.traffic->ranks() * opened.traffic->ranks());
  opened.traffic->matrix();
  outputs.write();
}

Options matrix_options(TraceOptions& o) {
  return {
      trace_argument(o.trace, "trace in any form, generator, or a matrix to be converted (toroid list matrices)"),
      {"-o,--output", o.output, output_file(), "file (- for standard output)"},
      {"--svg", o.svg, output_file(),
       "draw the matrix instead: a row for each sender, a column for each receiver, dark where they exchange much"},
      {"--format", o.format, entry_of(workloads::matrix_formats()),
       "table, list, metis or qaplib (see toroid list matrices)"},
      {"--matrix", o.kind, like({"expanded", "p2p"}),
       "messages that count: expanded (those of collectives, too) or p2p (no collectives)"},
      {"--collectives", o.collectives, like(workloads::collective_rule_names()),
       "algorithms of the collectives: default, mpi, torus, openmpi or smpi, with overrides"},
      {"--messages", o.messages, "count messages instead of bytes"},
  };
}

/// The names of the formats that can be written so.
std::vector<std::string> written_formats(workloads::TraceFormat::Write workloads::TraceFormat::*how) {
  std::vector<std::string> names;
  for (const auto& entry : workloads::trace_formats().entries())
    if (entry.make.*how != nullptr) names.emplace_back(entry.name);
  return names;
}

void convert_trace(const TraceOptions& o) {
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

Options trace_convert_options(TraceOptions& o) {
  return {
      trace_argument(o.trace),
      trace_output(o),
      {"--to", o.to, one_of(written_formats(&workloads::TraceFormat::write)),
       "format: ti (SimGrid's time-independent trace), goal (for LogGOPSim; collectives as their messages), "
       "chakra (execution traces, for ASTRA-sim: PREFIX.%d.et), own "
       "(everything that a program can say) or text (own, as text that people can read and edit)"},
      {"--collectives", o.collectives, like(workloads::collective_rule_names()),
       "for goal, and collectives that chakra has no name for: their algorithms: default, mpi, torus, openmpi or smpi, "
       "with overrides"},
      {"--per-rank", o.per_rank,
       "write a top file and a file for each rank, as smpirun -replay reads them, instead of a single file"},
  };
}

void diff_traces(const TraceOptions& o) {
  const auto a = open_trace(o.trace), b = open_trace(o.other);
  if (a->ranks() != b->ranks())
    throw core::SimulationError(
        fmt::format("the traces differ: one of {} ranks and one of {}", a->ranks(), b->ranks()));
  workloads::DiffOptions options;
  options.tags = o.tags;
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

Options trace_diff_options(TraceOptions& o) {
  return {
      trace_argument(o.trace),
      {"OTHER", o.other, trace_name(), required, "the trace to compare with: a file or a generator"},
      {"--computation", o.computation, real(0, 1e6),
       "compare computations, too: between two calls they may differ by so many percent"},
      {"--ignore-tags", o.tags, "ignore differences in tags"},
      {"--merge-waits", o.merge_waits, "take waits that follow one another for a single wait, as in a waitall"},
  };
}

}  // namespace

std::vector<core::ObjectText> trace_objects() {
  return {trace_object, recording_object, coverage_object, grid_object};
}

void add_trace(CLI::App& app) {
  auto& trace = add_family(app, "trace", "look at traces, convert and generate them");
  add_command<TraceOptions>(trace, "info", "count ranks, operations, messages, bytes and partners of a trace",
                            trace_info_options, tell_trace);
  add_command<TraceOptions>(
      trace, "matrix",
      "print how much each rank sends to each other: a row for each sender, without messages to itself", matrix_options,
      write_matrix);
  add_command<TraceOptions>(
      trace, "convert",
      "write a trace or a generated program as a file: SimGrid's time-independent trace, GOAL, or our own form",
      trace_convert_options, convert_trace);
  add_command<TraceOptions>(trace, "diff", "compare the operations of two traces; exit code 1 if they differ",
                            trace_diff_options, diff_traces);
}

}  // namespace toroid::cli
