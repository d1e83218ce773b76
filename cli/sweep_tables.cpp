#include "cli/sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/table.hpp"
#include "core/units.hpp"

namespace toroid::cli {

std::string left_out_line(double seconds) {
  if (seconds <= 0) return {};
  return fmt::format(
      "left out       {} of computation by the busiest rank of a job, on average: run times are communication times; "
      "--compute trace includes it\n",
      core::format_duration(seconds));
}

std::string averaged_line(const core::Json& most_variation) {
  if (most_variation.is_null()) return {};
  if (most_variation == 0.0)
    return "averaged       nothing: no iterations of recorded programs compute differently; as by --compute trace\n";
  return fmt::format(
      "averaged       the computation of recorded programs, which varied from iteration to iteration by {:.1f} % at "
      "most (standard deviation over mean)\n",
      100 * most_variation.get<double>());
}

namespace {

/// A column of times: the mean of a field of each group, in the unit that suits them all.
class TimeColumn {
 public:
  TimeColumn(std::string title, const char* field, const std::vector<study::SweepGroup>& groups)
      : title_(std::move(title)), field_(field), unit_(means(field, groups)) {}
  std::string title() const { return fmt::format("{} [{}]", title_, unit_.name()); }
  std::string cell(const study::SweepGroup& group) const {
    return group.rows.empty() ? "-" : unit_.format(group.mean(field_));
  }

 private:
  static std::vector<double> means(const char* field, const std::vector<study::SweepGroup>& groups) {
    std::vector<double> found;
    for (const auto& group : groups)
      if (!group.rows.empty()) found.push_back(group.mean(field));
    return found;
  }
  std::string title_;
  const char* field_;
  core::DurationUnit unit_;
};

}  // namespace

std::string sweep_table(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  const bool maps = sweep.spec().has_programs();
  const TimeColumn wait("wait", "mean_wait_s", groups), response("response", "mean_response_s", groups),
      run_time("run time", "mean_run_time_s", groups), makespan("makespan", "makespan_s", groups);
  std::vector<std::string> header{"machine", "jobs", "scheduler", "allocator"};
  if (maps) header.emplace_back("map");
  header.insert(header.end(), {"runs", wait.title(), response.title(), "slowdown",
                               maps ? run_time.title() : "utilization", makespan.title(), "pairwise hops"});
  core::Table table(header);
  double left_out = 0;
  core::Json variation;  // null is less than any number
  for (const auto& group : groups) {
    const auto name = sweep.label(group.first);
    const auto text = [&](const char* key) { return name[key].get<std::string>(); };
    const auto mean = [&](const char* field, const char* format) {
      return group.rows.empty() ? "-" : fmt::format(fmt::runtime(format), group.mean(field));
    };
    std::vector<std::string> row{text("platform"), text("workload"), text("scheduler"), text("alloc")};
    if (maps) row.push_back(text("map"));
    const auto utilization = group.rows.empty() ? "-" : fmt::format("{:.2f} %", 100 * group.mean("utilization"));
    row.insert(row.end(), {std::to_string(group.rows.size()), wait.cell(group), response.cell(group),
                           mean("mean_bounded_slowdown", "{:.3f}"), maps ? run_time.cell(group) : utilization,
                           makespan.cell(group), mean("avg_sum_pairwise_hops", "{:.6g}")});
    table.add(row);
    if (maps && !group.rows.empty()) left_out = std::max(left_out, group.mean("mean_computation_left_out_s"));
    for (const auto* run : group.rows)
      variation = std::max(variation, run->result.value("max_computation_variation", core::Json()));
  }
  const auto line = left_out_line(left_out) + averaged_line(variation);
  return table.text() + (line.empty() ? "" : "\n" + line);
}

std::string sweep_verdicts(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups,
                           const std::vector<study::TradeOffs>& trade_offs) {
  std::string text;
  for (const auto& found : trade_offs) {
    const auto said = study::verdict_text(sweep, groups, found);
    if (said.empty()) continue;
    const auto name = sweep.label(groups[found.groups[0]].first);
    text += '\n';
    if (trade_offs.size() > 1)
      text += fmt::format("{:<15}{} on {}\n", "jobs", name["workload"].get<std::string>(),
                          name["platform"].get<std::string>());
    text += said;
  }
  return text;
}

}  // namespace toroid::cli
