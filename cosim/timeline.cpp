#include "cosim/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "alloc/neighbours.hpp"

namespace toroid::cosim {

using platforms::RouterId;

TimelineCsv::TimelineCsv(const Machine& machine, Write write) : machine_(machine), write_(std::move(write)) {
  const auto routers = static_cast<std::size_t>(machine.grid().size());
  free_on_.assign(routers, 0);
  for (RouterId router = 0; router < machine.grid().size(); ++router)
    neighbours_.push_back(alloc::neighbours(machine, router));
  for (const NodeId node : machine.compute_nodes()) ++free_on_[static_cast<std::size_t>(machine.router(node))];
  free_ = static_cast<std::int32_t>(machine.compute_nodes().size());
  write_("time_s,waiting_jobs,running_jobs,held_nodes,free_nodes,free_regions,largest_free_region\n");
}

void TimelineCsv::hold(JobId id, std::span<const NodeId> nodes) {
  auto& held = held_[id];
  for (const NodeId node : held) ++free_on_[static_cast<std::size_t>(machine_.router(node))];
  for (const NodeId node : nodes) --free_on_[static_cast<std::size_t>(machine_.router(node))];
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

/// Routers with a free node, as far as working links join them.
TimelineCsv::Regions TimelineCsv::free_regions() {
  Regions regions;
  std::vector<char> is_seen(free_on_.size(), 0);
  std::vector<std::size_t> stack;
  const auto reach = [&](std::size_t router) {
    if (free_on_[router] == 0 || is_seen[router] != 0) return;
    is_seen[router] = 1;
    stack.push_back(router);
  };
  for (std::size_t first = 0; first < free_on_.size(); ++first) {
    reach(first);
    if (stack.empty()) continue;
    ++regions.count;
    std::int32_t nodes = 0;
    while (!stack.empty()) {
      const auto router = stack.back();
      stack.pop_back();
      nodes += free_on_[router];
      for (const auto next : neighbours_[router]) reach(static_cast<std::size_t>(next));
    }
    regions.largest = std::max(regions.largest, nodes);
  }
  return regions;
}

void TimelineCsv::settled(const Time& now) {
  const auto regions = free_regions();
  write_(fmt::format("{},{},{},{},{},{},{}\n", now.seconds(), waiting_, held_.size(),
                     static_cast<std::int32_t>(machine_.compute_nodes().size()) - free_, free_, regions.count,
                     regions.largest));
}

}  // namespace toroid::cosim
