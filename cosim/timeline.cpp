#include "cosim/timeline.hpp"

#include <fmt/format.h>

namespace toroid::cosim {

TimelineCsv::TimelineCsv(const Machine& machine, Write write)
    : compute_nodes_(static_cast<std::int32_t>(machine.compute_nodes().size())),
      write_(std::move(write)),
      free_(machine) {
  write_("time_s,waiting_jobs,running_jobs,held_nodes,free_nodes,free_regions,largest_free_region\n");
}

void TimelineCsv::hold(JobId id, std::span<const NodeId> nodes) {
  auto& held = held_[id];
  free_.give_back(held);
  free_.take(nodes);
  held.assign(nodes.begin(), nodes.end());
}

void TimelineCsv::started(const Record& record) {
  --waiting_;
  hold(record.id, record.nodes);
}

void TimelineCsv::resized(JobId id, std::span<const NodeId> nodes, const Time&) {
  hold(id, nodes);
}

void TimelineCsv::ended(const Record& record) {
  if (record.end == End::rejected) {
    --waiting_;
    return;
  }
  hold(record.id, {});
  held_.erase(record.id);
}

void TimelineCsv::node_out(NodeId node, const Time&) {
  free_.take({&node, 1});
  ++out_;
}

void TimelineCsv::node_back(NodeId node, const Time&) {
  free_.give_back({&node, 1});
  --out_;
}

void TimelineCsv::settled(const Time& now) {
  const auto regions = free_.regions();
  write_(fmt::format("{},{},{},{},{},{},{}\n", now.seconds(), waiting_, held_.size(),
                     compute_nodes_ - free_.count() - out_, free_.count(), regions.count, regions.largest));
}

}  // namespace toroid::cosim
