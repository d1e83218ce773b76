#include "cosim/jobs_csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/csv.hpp"
#include "cosim/totals.hpp"

namespace toroid::cosim {
namespace {

std::string_view state(End end) {
  switch (end) {
    case End::done:
      return "COMPLETED_SUCCESSFULLY";
    case End::killed:
      return "COMPLETED_WALLTIME_REACHED";
    case End::rejected:
      return "REJECTED";
  }
  return "";
}

/// Our columns.
std::string places(const Record& r, const alloc::AllocationMetrics& m) {
  return fmt::format("{},{},{},{},{},{},{},{}", bounded_slowdown(r), m.sum_pairwise_hops, m.mean_pairwise_hops,
                     m.components, m.box_routers, m.surface, r.node_seconds, fmt::join(r.nodes, " "));
}

}  // namespace

std::string interval_set(std::span<const NodeId> nodes) {
  std::vector<NodeId> sorted(nodes.begin(), nodes.end());
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last + 1 < sorted.size() && sorted[last + 1] == sorted[last] + 1) ++last;
    fmt::format_to(std::back_inserter(text), "{}{}", first == 0 ? "" : " ", sorted[first]);
    if (last > first) fmt::format_to(std::back_inserter(text), "-{}", sorted[last]);
    first = last + 1;
  }
  return text;
}

JobsCsv::JobsCsv(const Machine& machine, std::string workload, Write write)
    : measure_(machine), workload_(core::csv_field(workload)), write_(std::move(write)) {
  write_(
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
      "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
      "consumed_energy,metadata,bounded_slowdown,sum_pairwise_hops,mean_pairwise_hops,components,box_routers,"
      "surface_links,node_seconds,nodes\n");
}

void JobsCsv::ended(const Record& r) {
  std::string line;
  const auto end = std::back_inserter(line);
  fmt::format_to(end, "{},{},{},{},{},{},{},{},", core::csv_field(r.job.id()), workload_, to_string(r.job.demand),
                 r.submitted.seconds(), r.job.size, r.estimate.seconds(), r.end == End::done ? 1 : 0, state(r.end));
  if (r.end == End::rejected)
    line += "-1,-1,-1,-1,-1,-1,,-1,,,,,,,,,";
  else
    fmt::format_to(end, "{},{},{},{},{},{},{},-1,,{}", r.started.seconds(), r.run_time(), r.ended.seconds(), r.wait(),
                   r.response(), r.run_time() > 0 ? r.response() / r.run_time() : 1, interval_set(r.nodes),
                   places(r, measure_.all(r.nodes)));
  line += '\n';
  write_(line);
}

}  // namespace toroid::cosim
