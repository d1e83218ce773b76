#include "cli/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/summary_lines.hpp"
#include "core/table.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "netsim/jobs_json.hpp"
#include "platforms/document.hpp"

namespace toroid::cli {
namespace {

using netsim::JobOutcome;
using netsim::JobsRequest;
using netsim::JobsResult;

std::string name_of(const netsim::PlacedJob& job) {
  return core::excerpt(job.name);
}

std::string duration_or_dash(const std::optional<double>& seconds) {
  return seconds ? core::format_duration(*seconds) : "-";
}

std::string share_or_dash(const std::optional<double>& seconds, double time) {
  return seconds ? percent(netsim::share(*seconds, time)) : "-";
}

}  // namespace

std::string jobs_table(const JobsRequest& request, const JobsResult& result,
                       const std::vector<cosim::Allocation>& nodes) {
  core::Table table(
      {"job", "ranks", "nodes", "start", "end", "rounds", "run time", "alone", "slowdown", "sharing", "with others"});
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& job = result.jobs[i];
    const bool is_cut = job.how == JobOutcome::killed || job.how == JobOutcome::failed;
    const auto slowdown = job.slowdown();
    const auto part = [&](double seconds) { return percent(netsim::share(seconds, job.total())); };
    table.add({name_of(request.jobs[i]), std::to_string(job.ranks.size()), std::to_string(nodes[i].size()),
               core::format_duration(job.start),
               core::format_duration(job.end) + (is_cut ? fmt::format(" ({})", to_string(job.how)) : ""),
               std::to_string(job.rounds.size()), duration_or_dash(job.runtime()), duration_or_dash(job.alone),
               slowdown ? fmt::format("{:.3f}", *slowdown) : "-", part(job.critical_path.sharing),
               result.is_attributed() ? part(job.critical_path.others) : "-"});
  }
  return table.text();
}

std::string computations_text(const JobsRequest& request, const std::vector<netsim::ComputationUse>& computations) {
  std::string text;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& use = computations[i];
    if (use.all_ranks_s == 0) continue;
    text += fmt::format("{} {}: {}\n", name_of(request.jobs[i]),
                        use.is_left_out() ? "leaves out computation" : "computes", amount_in_words(use));
    for (const auto& [label, said] : mean_in_words(use)) text += fmt::format("  {:<8} {}\n", label, said);
  }
  return text.empty() ? text : "\n" + text;
}

std::string repeats_text(const JobsRequest& request, const JobsResult& result) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < request.jobs.size(); ++i) {
    const auto& job = result.jobs[i];
    if (job.repeated == 0) continue;
    const auto share = netsim::share(static_cast<double>(job.repeated), static_cast<double>(job.messages));
    parts.push_back(fmt::format("{} of the messages of {}", percent(share), name_of(request.jobs[i])));
  }
  if (parts.empty()) return {};
  return fmt::format("repeats: {} are in iterations that repeat earlier ones\n", core::join(parts));
}

std::string contention_table(const JobsRequest& request, const JobsResult& result) {
  if (!result.is_attributed()) return fmt::format("who slows whom cannot be said: {}\n", result.why_not_shared);
  const bool with_changes = !request.changes.changes.empty();
  std::vector<std::string> header{"run time lost by"};
  for (const auto& job : request.jobs) header.push_back("to " + name_of(job));
  if (with_changes) header.emplace_back("to changes");
  header.insert(header.end(), {"beside alone", "uncharged"});
  core::Table table(header);
  for (std::size_t victim = 0; victim < request.jobs.size(); ++victim) {
    const auto& job = result.jobs[victim];
    std::vector<std::string> row{name_of(request.jobs[victim])};
    const auto add = [&](const std::optional<double>& seconds) { row.push_back(share_or_dash(seconds, job.total())); };
    for (const auto& seconds : result.losses(victim)) add(seconds);
    if (with_changes) add(job.changes);
    add(job.lost());
    add(result.uncharged(victim));
    table.add(row);
  }
  return table.text();
}

std::string shared_links_table(const JobsRequest& request, const JobsResult& result) {
  const auto links = netsim::busiest(result.links);
  if (links.empty()) return {};
  core::Table table({"busiest links", "bytes", "mean use", "peak use", "of"});
  for (std::size_t i = 0; i < std::min<std::size_t>(5, links.size()); ++i) {
    const auto& link = links[i];
    const auto bytes = static_cast<double>(link.bytes);
    std::vector<std::string> parts;
    for (const auto& load : result.loads_of(link.link))
      parts.push_back(fmt::format("{} {}", name_of(request.jobs[load.job]),
                                  percent(netsim::share(static_cast<double>(load.bytes), bytes))));
    table.add({platforms::link_facts(request.machine, link.link).name, core::format_bytes(bytes),
               percent(link.mean_utilization), result.utilization_window ? percent(link.peak_utilization) : "-",
               core::join(parts)});
  }
  return "\n" + table.text();
}

}  // namespace toroid::cli
