// Nodes that fail and come back, and what that does to jobs.

#include "cosim/loop/loop.hpp"

namespace toroid::cosim {

/// Nodes fail from the first submission on, for as long as there are jobs.
void Loop::start_failures() {
  if (parts_.failures == nullptr || parts_.failures->has_started() || submitted_ == 0) return;
  parts_.failures->start({[this](NodeId node, const Time& back) { node_failed(node, back); },
                          [this](NodeId node, const Time& back) { node_postponed(node, back); },
                          [this](NodeId node) { node_repaired(node); }, [this] { count_idle_failure(); }});
}

/// Ends a run in which nothing runs any more: failures at random would go on for ever. Outages end by themselves.
void Loop::count_idle_failure() {
  constexpr std::int32_t most_idle = 100'000;
  if (running_ == 0 && active_.size() > 0 && ++idle_failures_ > most_idle)  // what runs ends by itself
    throw core::SimulationError(
        fmt::format("nodes failed {} times while jobs waited and none ran: too many are out for them, {} of "
                    "{} nodes are free",
                    most_idle, parts_.free.count(), all_nodes_));
}

/// Ends the job that holds the node, if any: the node is out as soon as the job has given it back.
void Loop::node_failed(NodeId node, const Time& back) {
  if (parts_.free.is_free(node)) return take_out(node, back);
  for (const auto& [id, slot] : slots_) {
    auto& active = active_[slot];
    if (std::ranges::find(active.nodes, node) == active.nodes.end()) continue;
    active.failed.emplace_back(node, back);
    if (active.failed.size() == 1) parts_.run_times.kill(id);  // else it is about to end
    return;
  }
  TOROID_ASSERT(false);  // a node is free, out, or held
}

/// A node that is out comes back later than its scheduler was told. One whose job is about to end is not out yet.
void Loop::node_postponed(NodeId node, const Time& back) {
  for (const auto& [id, slot] : slots_)
    for (auto& [failed, when] : active_[slot].failed)
      if (failed == node) {
        when = back;
        return;
      }
  happened();
  const Time now = parts_.clock.now();
  parts_.scheduler.ended(HolderId(node), now);
  parts_.scheduler.node_out(node, now, back);
}

void Loop::take_out(NodeId node, const Time& back) {
  happened();
  const Time now = parts_.clock.now();
  parts_.free.take({&node, 1});
  ++out_;
  TOROID_ASSERT(out_ <= all_nodes_);
  parts_.scheduler.node_out(node, now, back);
  for (auto* observer : parts_.observers) observer->node_out(node, now);
}

void Loop::node_repaired(NodeId node) {
  happened();
  parts_.scheduler.ended(HolderId(node), parts_.clock.now());
  parts_.free.give_back({&node, 1});
  TOROID_ASSERT(out_ > 0);
  --out_;
  for (auto* observer : parts_.observers) observer->node_back(node, parts_.clock.now());
}

}  // namespace toroid::cosim
