#include "netsim/fluid/contention.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "netsim/fluid/capacities.hpp"

namespace toroid::netsim {

Contention::Contention(const Machine& machine, core::IdVector<NodeId, JobNumber> job_of, std::size_t jobs)
    : jobs_(jobs),
      job_of_(std::move(job_of)),
      rates_(link_capacities(machine)),
      parts_(machine.link_count()),
      shares_(jobs) {}

void Contention::begin(FlowId id, NodeId from, NodeId to, Route route, double alone, const Time& now, bool again) {
  advance(now);
  const auto stream = stream_between(from, to, route, alone);
  settle(stream, now);
  ++streams_[stream].flows;
  note_change(stream);
  if (id >= flows_.size()) flows_.resize(id + std::size_t{1});
  auto& flow = flows_[id];
  flow.stream = stream;
  if (!again) flow.lost.assign(jobs_, 0);
  for (std::size_t job = 0; job < jobs_; ++job) flow.lost[job] -= lost_by(stream)[job];
}

void Contention::end(FlowId id, std::uint64_t bytes, const Time& now) {
  advance(now);
  auto& flow = flows_[id];
  settle(flow.stream, now);
  --streams_[flow.stream].flows;
  note_change(flow.stream);
  for (std::size_t job = 0; job < jobs_; ++job) flow.lost[job] += lost_by(flow.stream)[job];
  for (const LinkId link : rates_.route(flow.stream)) parts_[link][streams_[flow.stream].job].carried += bytes;
}

void Contention::change(const Machine& machine, const Time& now) {
  advance(now);
  machine_changed_ = capacities_changed_ = true;
  for (const LinkId link : machine.links()) rates_.set_capacity(link, machine.link_bandwidth(link));
  for (StreamId id = 0; id < streams_.size(); ++id) {
    if (streams_[id].flows == 0 && streams_[id].weight == 0) continue;  // there is none
    settle(id, now);
    streams_[id].alone = std::numeric_limits<double>::infinity();
    for (const LinkId link : rates_.route(id))
      streams_[id].alone = std::min(streams_[id].alone, machine.link_bandwidth(link));
  }
}

void Contention::forget_idle_routes() {
  std::erase_if(changed_, [this](StreamId id) {
    if (streams_[id].flows > 0) return false;
    streams_[id].changed = false;
    remove(id);
    return true;
  });
}

Contention::StreamId Contention::stream_between(NodeId from, NodeId to, Route route, double alone) {
  const auto [entry, is_new] = stream_of_.try_emplace(Lines::of_pair(from, to), 0);
  if (!is_new) return *entry;
  const auto id = *entry = rates_.add(route);
  if (id >= streams_.size()) {
    streams_.resize(id + std::size_t{1});
    books_.resize(2 * jobs_ * streams_.size());
  }
  streams_[id] = {.from = from, .to = to, .job = job_of_[from], .alone = alone, .settled = present_};
  std::fill_n(lost_by(id), 2 * jobs_, 0.0);
  for (const LinkId link : route) {
    parts_[link].resize(jobs_);
    ++parts_[link][streams_[id].job].streams;
  }
  return id;
}

void Contention::note_change(StreamId id) {
  if (!std::exchange(streams_[id].changed, true)) changed_.push_back(id);
}

/// Time goes on: until now rates are what the flows of the last instant made them.
void Contention::advance(const Time& now) {
  if (!(present_ < now)) return;
  if (!changed_.empty() || std::exchange(capacities_changed_, false)) update_rates();
  present_ = now;
}

void Contention::update_rates() {
  for (const auto id : changed_) {
    auto& stream = streams_[id];
    stream.changed = false;
    if (stream.flows == 0) {
      remove(id);
      continue;
    }
    if (stream.flows == stream.weight) continue;
    add_rate(id, (static_cast<double>(stream.flows) - stream.weight) * stream.rate);
    rates_.set_weight(id, stream.weight = stream.flows);
  }
  changed_.clear();
  for (const auto id : rates_.solve()) {
    auto& stream = streams_[id];
    const double rate = rates_.rate(id);
    if (rate == stream.rate && rates_.bottleneck(id) == stream.bottleneck) continue;
    settle(id, present_);
    add_rate(id, stream.weight * (rate - stream.rate));
    stream.rate = rate;
    stream.bottleneck = rates_.bottleneck(id);
    for (JobNumber job = 0; job < jobs_; ++job) seen_by(id)[job] = parts_[stream.bottleneck][job].moved_until(present_);
  }
}

void Contention::remove(StreamId id) {
  auto& stream = streams_[id];
  add_rate(id, -(stream.weight * stream.rate));
  for (const LinkId link : rates_.route(id)) {
    auto& part = parts_[link][stream.job];
    if (--part.streams == 0) part.rate = 0;  // without what rounding left
  }
  stream_of_.erase(Lines::of_pair(stream.from, stream.to));
  rates_.set_weight(id, 0);
  stream.weight = 0;
}

void Contention::add_rate(StreamId id, double difference) {
  for (const LinkId link : rates_.route(id)) parts_[link][streams_[id].job].add_rate(difference, present_);
}

/// Books what a flow of the stream lost since that was last done. Rate and bottleneck have been the same all the time.
void Contention::settle(StreamId id, const Time& now) {
  auto& stream = streams_[id];
  const double seconds = (now - stream.settled).seconds();
  stream.settled = now;
  if (!(seconds > 0) || !(stream.rate > 0)) return;
  double moved = 0;
  for (JobNumber job = 0; job < jobs_; ++job) {
    const double until_now = parts_[stream.bottleneck][job].moved_until(now);
    const double itself = job == stream.job ? stream.rate * seconds : 0;
    shares_[job] = std::max(0.0, until_now - std::exchange(seen_by(id)[job], until_now) - itself);
    moved += shares_[job];
  }
  const double lost = std::max(0.0, 1 - stream.rate / stream.alone) * seconds;
  if (moved > 0)
    for (JobNumber job = 0; job < jobs_; ++job) lost_by(id)[job] += lost * (shares_[job] / moved);
}

}  // namespace toroid::netsim
