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

std::string sweep_table(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  const bool maps = sweep.spec().has_programs();
  std::vector<std::string> header{"machine", "jobs", "scheduler", "allocator"};
  if (maps) header.emplace_back("map");
  header.insert(header.end(), {"runs", "wait", "response", "slowdown", maps ? "run time" : "utilization", "makespan",
                               "pairwise hops"});
  core::Table table(header);
  double left_out = 0;
  for (const auto& group : groups) {
    const auto name = sweep.name(group.first);
    const auto text = [&](const char* key) { return name[key].get<std::string>(); };
    std::vector<std::string> row{text("platform"), text("workload"), text("scheduler"), text("alloc")};
    if (maps) row.push_back(text("map"));
    row.push_back(std::to_string(group.rows.size()));
    for (const auto* field : {"mean_wait_s", "mean_response_s", "mean_bounded_slowdown",
                              maps ? "mean_run_time_s" : "utilization", "makespan_s", "avg_sum_pairwise_hops"})
      row.push_back(group.rows.empty() ? "-" : fmt::format("{:.6g}", group.mean(field)));
    table.add(row);
    if (maps && !group.rows.empty()) left_out = std::max(left_out, group.mean("mean_computation_left_out_s"));
  }
  const auto line = left_out_line(left_out);
  return table.text() + (line.empty() ? "" : "\n" + line);
}

std::string sweep_verdicts(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups,
                           const std::vector<study::TradeOffs>& trade_offs) {
  std::string text;
  for (const auto& found : trade_offs) {
    const auto said = study::verdict_text(sweep, groups, found);
    if (said.empty()) continue;
    const auto name = sweep.name(groups[found.groups[0]].first);
    text += '\n';
    if (trade_offs.size() > 1)
      text += fmt::format("{:<15}{} on {}\n", "jobs", name["workload"].get<std::string>(),
                          name["platform"].get<std::string>());
    text += said;
  }
  return text;
}

}  // namespace toroid::cli
