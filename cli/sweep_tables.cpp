#include "cli/sweep_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/table.hpp"
#include "core/units.hpp"
#include "cosim/schedule_metrics.hpp"

namespace toroid::cli {

std::string left_out_line(double seconds) {
  if (seconds <= 0) return {};
  return fmt::format(
      "left out       {} of computation by the busiest rank of a job, on average: run times are communication times; "
      "--compute trace includes it\n",
      core::format_duration(seconds));
}

std::string averaged_line(const std::optional<double>& most_variation) {
  if (!most_variation) return {};
  if (*most_variation == 0)
    return "averaged       nothing: no iterations of recorded programs compute differently; as by --compute trace\n";
  return fmt::format(
      "averaged       the computation of recorded programs, which varied from iteration to iteration by {:.1f} % at "
      "most (standard deviation over mean)\n",
      100 * *most_variation);
}

namespace {

/// The means of a metric by group; times in the unit that suits them all.
class MeansColumn {
 public:
  MeansColumn(const cosim::ScheduleMetric& metric, const std::vector<study::SweepGroup>& groups) : metric_(metric) {
    if (metric.type == "seconds") unit_.emplace(means(groups));
  }
  std::string title() const {
    return unit_ ? fmt::format("{} [{}]", metric_.title, unit_->name()) : std::string(metric_.title);
  }
  std::string cell(const study::SweepGroup& group) const {
    if (group.rows.empty()) return "-";
    const double mean = group.mean(metric_.name);
    if (unit_) return unit_->format(mean);
    if (metric_.type == "share") return fmt::format("{:.2f} %", 100 * mean);
    return fmt::format(fmt::runtime(metric_.format), mean);
  }

 private:
  std::vector<double> means(const std::vector<study::SweepGroup>& groups) const {
    std::vector<double> found;
    for (const auto& group : groups)
      if (!group.rows.empty()) found.push_back(group.mean(metric_.name));
    return found;
  }
  cosim::ScheduleMetric metric_;
  std::optional<core::DurationUnit> unit_;
};

}  // namespace

std::string sweep_table(const study::Sweep& sweep, const std::vector<study::SweepGroup>& groups) {
  const bool maps = sweep.spec().has_programs();
  std::vector<MeansColumn> columns;
  for (const auto& metric : cosim::placed_metrics(&cosim::ScheduleMetric::column, maps))
    columns.emplace_back(metric, groups);
  std::vector<std::string> header{"machine", "jobs", "scheduler", "allocator"};
  if (maps) header.emplace_back("map");
  header.emplace_back("runs");
  for (const auto& column : columns) header.push_back(column.title());
  core::Table table(header);
  double left_out = 0;
  std::optional<double> variation;  // no number is less than any
  for (const auto& group : groups) {
    const auto name = sweep.label(group.first);
    const auto text = [&](const char* key) { return name[key].get<std::string>(); };
    std::vector<std::string> row{text("platform"), text("workload"), text("scheduler"), text("alloc")};
    if (maps) row.push_back(text("map"));
    row.push_back(std::to_string(group.rows.size()));
    for (const auto& column : columns) row.push_back(column.cell(group));
    table.add(row);
    if (maps && !group.rows.empty()) left_out = std::max(left_out, group.mean("mean_computation_left_out_s"));
    for (const auto* run : group.rows)
      if (const auto found = run->result.find("max_computation_variation");
          found != run->result.end() && !found->is_null())
        variation = std::max(variation, std::optional(found->get<double>()));
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
