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

using core::Json;

struct TraceOptions {
  std::string trace, other, json, svg, output = "-", collectives = "default", kind = "expanded", format = "table",
                                       to = "ti";
  bool messages = false, per_rank = false, tags = true, merge_waits = false;
  std::optional<double> computation;
};

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

void add_trace(CLI::App& app) {
  auto& trace = add_family(app, "trace", "look at traces, convert and generate them");
  add_trace_info(trace);
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
