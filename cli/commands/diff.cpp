// toroid diff: two runs beside each other.

#include "cli/commands.hpp"
#include "cli/outputs.hpp"
#include "cli/tables/summary_lines.hpp"
#include "core/table.hpp"
#include "core/units.hpp"
#include "views/documents/run_difference.hpp"

namespace toroid::cli {
namespace {

struct DiffOptions {
  std::string before, after, html;
};

/// The second number beside the first one: `-57 %`.
std::string change(double before, double after) {
  if (before == after) return "0 %";
  if (!(before > 0)) return "-";
  const double percent = 100 * (after / before - 1);
  return std::abs(percent) < 0.05 ? "0 %" : fmt::format("{:+.1f} %", percent);
}

std::string run_line(const char* which, const views::RunSummary& run) {
  return fmt::format("{}  {}, map {}, on {}, engine {}\n", which, run.trace, run.map, run.platform, run.engine);
}

std::string difference_text(const views::RunDifference& difference) {
  const auto &before = difference.before(), &after = difference.after();
  std::string text = run_line("before", before) + run_line("after ", after) + "\n";
  core::Table table({"", "before", "after", "change"});
  const auto add = [&](const std::string& name, double a, double b, auto format) {
    table.add({name, format(a), format(b), change(a, b)});
  };
  const bool of_communication = before.is_of_communication && after.is_of_communication;
  add(of_communication ? "communication time" : "run time", before.runtime, after.runtime, core::format_duration);
  for (std::size_t p = 0; p < before.parts.size(); ++p)
    add("  " + before.parts[p].name, before.parts[p].seconds, after.parts[p].seconds, core::format_duration);
  add("bytes", before.bytes, after.bytes, [](double b) { return core::format_bytes(b); });
  add("hops per byte", before.hops_per_byte, after.hops_per_byte,
      [](double hops) { return fmt::format("{:.3f}", hops); });
  text += table.text();
  constexpr std::size_t shown = 5;
  const auto changes = difference.changes(shown);
  if (changes.empty()) return text + "\nNo link is used otherwise.\n";
  core::Table links({"links whose mean use changes most", "before", "after", "bytes before", "bytes after"});
  for (const auto& link : changes)
    links.add({link.name, percent(link.before), percent(link.after), core::format_bytes(link.bytes_before),
               core::format_bytes(link.bytes_after)});
  return text + "\n" + links.text();
}

void diff(const DiffOptions& o) {
  const views::ColumnsFile before(o.before), after(o.after);
  const views::RunDifference difference(before, after);
  Outputs outputs;
  outputs.add(o.html, [&] { return views::difference_page(difference.columns()); });
  outputs.write();
  if (!outputs.to_stdout()) print(difference_text(difference));
}

Options diff_options(DiffOptions& o) {
  const std::string help = ": a document that simulate --columns wrote";
  return {
      {"BEFORE", o.before, input_file(), required, "a run" + help},
      {"AFTER", o.after, input_file(), required, "another run, on a machine of the same shape" + help},
      {"--html", o.html, output_file(),
       "write a page to look at: before, after and the difference on the machine, link by link"},
  };
}

}  // namespace

void add_diff(CLI::App& app) {
  add_command<DiffOptions>(app, "diff",
                           "two runs beside each other: what the second one does otherwise, and on which links",
                           diff_options, diff);
}

}  // namespace toroid::cli
