#include "cosim/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "alloc/neighbours.hpp"

namespace toroid::cosim {

using platforms::RouterId;

TimelineCsv::TimelineCsv(const Machine& machine, Write write) : machine_(machine), write_(std::move(write)) {
  free_on_.assign(machine.grid().size(), 0);
  for (const RouterId router : free_on_.ids()) neighbours_.add(alloc::neighbours(machine, router));
  for (const NodeId node : machine.compute_nodes()) ++free_on_[machine.router(node)];
  free_ = static_cast<std::int32_t>(machine.compute_nodes().size());
  write_("time_s,waiting_jobs,running_jobs,held_nodes,free_nodes,free_regions,largest_free_region\n");
}

void TimelineCsv::hold(JobId id, std::span<const NodeId> nodes) {
  auto& held = held_[id];
  for (const NodeId node : held) ++free_on_[machine_.router(node)];
  for (const NodeId node : nodes) --free_on_[machine_.router(node)];
  free_ += static_cast<std::int32_t>(held.size()) - static_cast<std::int32_t>(nodes.size());
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
  --free_on_[machine_.router(node)];
  --free_;
  ++out_;
}

void TimelineCsv::node_back(NodeId node, const Time&) {
  ++free_on_[machine_.router(node)];
  ++free_;
  --out_;
}

/// Routers with a free node, as far as working links join them.
TimelineCsv::Regions TimelineCsv::free_regions() {
  Regions regions;
  core::IdVector<RouterId, char> is_seen(free_on_.size(), 0);
  std::vector<RouterId> stack;
  const auto reach = [&](RouterId router) {
    if (free_on_[router] == 0 || is_seen[router] != 0) return;
    is_seen[router] = 1;
    stack.push_back(router);
  };
  for (const RouterId first : free_on_.ids()) {
    reach(first);
    if (stack.empty()) continue;
    ++regions.count;
    std::int32_t nodes = 0;
    while (!stack.empty()) {
      const RouterId router = stack.back();
      stack.pop_back();
      nodes += free_on_[router];
      for (const RouterId next : neighbours_[router]) reach(next);
    }
    regions.largest = std::max(regions.largest, nodes);
  }
  return regions;
}

void TimelineCsv::settled(const Time& now) {
  const auto regions = free_regions();
  write_(fmt::format("{},{},{},{},{},{},{}\n", now.seconds(), waiting_, held_.size(),
                     static_cast<std::int32_t>(machine_.compute_nodes().size()) - free_ - out_, free_, regions.count,
                     regions.largest));
}

}  // namespace toroid::cosim
