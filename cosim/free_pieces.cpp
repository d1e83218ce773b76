#include "cosim/free_pieces.hpp"

#include "alloc/neighbours.hpp"

namespace toroid::cosim {

using platforms::RouterId;

FreePieces::FreePieces(const platforms::Machine& machine) : machine_(machine) {
  free_on_.assign(machine.grid().size(), 0);
  for (const RouterId router : free_on_.ids()) neighbours_.add(alloc::neighbours(machine, router));
  give_back(machine.compute_nodes());
}

void FreePieces::add(std::span<const NodeId> nodes, std::int32_t sign) {
  for (const NodeId node : nodes) free_on_[machine_.router(node)] += sign;
  free_ += sign * static_cast<std::int32_t>(nodes.size());
}

FreePieces::Regions FreePieces::regions() const {
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
  TOROID_ASSERT(regions.largest <= free_ && (regions.count > 0) == (free_ > 0));
  return regions;
}

void FollowedPieces::hold(JobId id, std::span<const NodeId> nodes) {
  auto& held = held_[id];
  free_.give_back(held);
  free_.take(nodes);
  held.assign(nodes.begin(), nodes.end());
}

void FollowedPieces::ended(const Record& record) {
  if (record.end == End::rejected) return;  // it held nothing
  hold(record.id, {});
  held_.erase(record.id);
}

void FollowedPieces::node_out(NodeId node, const Time&) {
  free_.take({&node, 1});
  ++out_;
}

void FollowedPieces::node_back(NodeId node, const Time&) {
  TOROID_ASSERT(out_ > 0);
  free_.give_back({&node, 1});
  --out_;
}

void Fragmentation::settled(const Time& now) {
  const double seconds = now.seconds() - since_;
  TOROID_ASSERT(seconds >= 0);
  free_seconds_ += now_free_ * seconds;  // of the time before the first instant nothing is known: these are 0
  outside_seconds_ += now_outside_ * seconds;
  since_ = now.seconds();
  now_free_ = free().count();
  now_outside_ = free().count() - free().regions().largest;
}

}  // namespace toroid::cosim
