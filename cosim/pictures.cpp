#include "cosim/pictures.hpp"

namespace toroid::cosim {

/// Nothing has changed since the last event: what was then is what is at all times before this one.
void SnapshotObserver::pass(const Time& now) {
  while (snapshots_.size() < times_.size() && Time(times_[snapshots_.size()]) + netsim::Clock::together < now) take();
}

void SnapshotObserver::take() {
  Snapshot snapshot{times_[snapshots_.size()], {}, out_};
  TOROID_ASSERT(snapshots_.empty() || snapshots_.back().time <= snapshot.time);
  for (const auto& [id, holder] : holders_) snapshot.holders.push_back(holder);
  snapshots_.push_back(std::move(snapshot));
}

void SnapshotObserver::started(const Record& record) {
  pass(record.started);
  holders_[record.id] = {record.id, record.job.id(), {record.nodes.begin(), record.nodes.end()}, record.job};
}

void SnapshotObserver::resized(JobId id, std::span<const NodeId> nodes, const Time& now) {
  pass(now);
  holders_.at(id).nodes.assign(nodes.begin(), nodes.end());
}

void SnapshotObserver::ended(const Record& record) {
  pass(record.ended);
  holders_.erase(record.id);
}

void SnapshotObserver::node_out(NodeId node, const Time& now) {
  pass(now);
  out_.insert(node);
}

void SnapshotObserver::node_back(NodeId node, const Time& now) {
  pass(now);
  out_.erase(node);
}

std::vector<Snapshot> SnapshotObserver::finish() {
  while (snapshots_.size() < times_.size()) take();
  return std::move(snapshots_);
}

void GanttObserver::ended(const Record& record) {
  if (record.end == End::rejected) return;
  auto& job = jobs_.emplace_back();
  job.id = record.id;
  job.name = record.job.id();
  job.started = record.started.seconds();
  job.ended = record.ended.seconds();
  job.nodes.assign(record.nodes.begin(), record.nodes.end());
  if (auto changes = changes_.extract(record.id); !changes.empty() && changes.mapped().size() > 1)
    job.changes = std::move(changes.mapped());
  job.submitted = record.submitted.seconds();
  TOROID_ASSERT(job.submitted <= job.started && job.started <= job.ended);
  job.estimate = record.estimate.seconds();
  job.end = record.end;
  job.program = record.job.program;
  if (record.work != nullptr) {
    job.alone = record.work->alone;
    job.program = record.work->program;
    job.losses = record.work->losses;
  }
  job.notes = record.job.notes;
  last_ = std::max(last_, job.ended);
}

void GanttObserver::node_back(NodeId node, const Time& now) {
  const auto out = out_.extract(node);
  TOROID_ASSERT(!out.empty());
  outages_.push_back({node, out.mapped(), now.seconds()});
}

std::vector<Outage> GanttObserver::outages() const {
  auto all = outages_;
  for (const auto& [node, began] : out_) all.push_back({node, began, last_});
  for (auto& outage : all) outage.ended = std::min(outage.ended, last_);
  std::erase_if(all, [](const Outage& outage) { return outage.ended <= outage.began; });
  return all;
}

}  // namespace toroid::cosim
