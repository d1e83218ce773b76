#include "cosim/jobs_csv.hpp"

#include "core/csv.hpp"
#include "toroid/cosim/schedule_metrics.hpp"

namespace toroid::cosim {
namespace {

std::string_view state(End end) {
  constexpr std::array<std::string_view, 5> states{"COMPLETED_SUCCESSFULLY", "COMPLETED_WALLTIME_REACHED",
                                                   "COMPLETED_FAILED", "COMPLETED_KILLED", "REJECTED"};
  return states[static_cast<std::size_t>(end)];
}

/// Our columns.
std::string places(const Record& r, const alloc::AllocationMetrics& m) {
  return fmt::format("{},{},{},{},{},{},{},{}", bounded_slowdown(r), m.sum_pairwise_hops, m.mean_pairwise_hops,
                     m.components, m.box_routers, m.surface, r.node_seconds, fmt::join(r.nodes, " "));
}

/// Our columns of jobs whose run times the network decides.
constexpr std::string_view work_columns =
    ",program,alone_s,slowdown,messages,bytes,hop_bytes,dilation_max,max_link_load_bytes,compute_s,latency_s,"
    "bandwidth_s,sharing_s,lost_to";

std::string work_fields(const Work& w, double run_time) {
  const auto or_nothing = [](bool known, auto value) { return known ? fmt::format("{}", value) : std::string(); };
  const bool known = w.alone > 0;
  const bool has_path = w.critical_path.has_value();
  const auto path = w.critical_path.value_or(netsim::History());
  auto text = fmt::format(",{},{},{},{},{},{},{},{}", core::csv_field(w.program), or_nothing(known, w.alone),
                          or_nothing(known, w.slowdown(run_time)), w.traffic.messages, w.traffic.bytes,
                          w.traffic.hop_bytes, w.traffic.dilation_max, or_nothing(known, w.max_link_load));
  for (const double part : {path.compute, path.latency, path.bandwidth, path.sharing})
    text += fmt::format(",{}", or_nothing(has_path, part));
  std::string losses;
  for (const auto& [to, name, seconds] : w.losses)
    losses += fmt::format("{}{}:{}", losses.empty() ? "" : " ", name, seconds);
  return text + "," + core::csv_field(losses);
}

}  // namespace

std::string interval_set(std::span<const NodeId> nodes) {
  std::string text;
  for_each_run(nodes, [&](NodeId first, std::size_t count) {
    fmt::format_to(std::back_inserter(text), "{}{}", text.empty() ? "" : " ", first);
    if (count > 1)
      fmt::format_to(std::back_inserter(text), "-{}", first.value() + static_cast<std::int32_t>(count) - 1);
  });
  return text;
}

JobsCsv::JobsCsv(const Machine& machine, std::string workload, bool with_work, Write write)
    : measure_(machine), workload_(core::csv_field(workload)), with_work_(with_work), write_(std::move(write)) {
  std::string header =
      "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,"
      "starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources,"
      "consumed_energy,metadata,bounded_slowdown,sum_pairwise_hops,mean_pairwise_hops,components,box_routers,"
      "surface_links,node_seconds,nodes,user,group,application,queue,partition";
  if (with_work_) header += work_columns;
  write_(header + ",reason\n");
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
  const auto& notes = r.job.notes;
  for (const auto note : {notes.user, notes.group, notes.application, notes.queue, notes.partition})
    line += note >= 0 ? fmt::format(",{}", note) : std::string(",");
  if (r.work != nullptr)
    line += work_fields(*r.work, r.run_time());
  else if (with_work_)
    line.append(static_cast<std::size_t>(std::count(work_columns.begin(), work_columns.end(), ',')), ',');
  write_(fmt::format("{},{}\n", line, core::csv_field(std::string(r.reason))));
}

TimelineCsv::TimelineCsv(const Machine& machine, Write write) : FollowedPieces(machine), write_(std::move(write)) {
  write_("time_s,waiting_jobs,running_jobs,held_nodes,free_nodes,free_regions,largest_free_region\n");
}

void TimelineCsv::settled(const Time& now) {
  const auto regions = free().regions();
  write_(fmt::format("{},{},{},{},{},{},{}\n", now.seconds(), waiting_, running(), held(), free().count(),
                     regions.count, regions.largest));
}

MachineStatesCsv::MachineStatesCsv(const Machine& machine, Write write)
    : FollowedPieces(machine), write_(std::move(write)) {
  write_("time,nb_sleeping,nb_switching_on,nb_switching_off,nb_idle,nb_computing\n");
  this->write(0);
}

void MachineStatesCsv::write(double time) {
  held_ = held();
  out_ = out();
  write_(fmt::format("{},{},0,0,{},{}\n", time, out_, free().count(), held_));
}

}  // namespace toroid::cosim
