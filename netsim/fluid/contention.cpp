#include "netsim/fluid/contention.hpp"

#include <numeric>

#include "netsim/repeats/tally.hpp"

namespace toroid::netsim {

Contention::Contention(const Machine& machine, core::IdVector<NodeId, JobNumber> job_of, std::size_t jobs)
    : jobs_(jobs),
      job_of_(std::move(job_of)),
      rates_(link_capacities(machine)),
      parts_(machine.link_count()),
      levels_(machine.link_count(), full_never),
      shares_(jobs) {}

void Contention::begin(FlowId id, NodeId from, NodeId to, Route route, double alone, const Time& now) {
  auto& flow = seen(id);
  TOROID_ASSERT(!flow.flows);
  TOROID_ASSERT_HEAVY(alone > 0 && job_of_[from] < jobs_ && job_of_[from] == job_of_[to]);
  advance(now);
  const auto stream = stream_between(from, to, route, alone);
  settle(stream, now);
  ++streams_[stream].flows;
  note_change(stream);
  flow.flows = true;
  flow.stream = stream;
  for (std::size_t job = 0; job < jobs_; ++job) flow.lost[job] -= streams_[stream].lost[job];
}

void Contention::end(FlowId id, std::uint64_t bytes, const Time& now) {
  TOROID_ASSERT(id < flows_.size() && flows_[id].flows);
  advance(now);
  auto& flow = flows_[id];
  flow.flows = false;
  settle(flow.stream, now);
  TOROID_ASSERT_HEAVY(streams_[flow.stream].flows > 0);
  --streams_[flow.stream].flows;
  note_change(flow.stream);
  for (std::size_t job = 0; job < jobs_; ++job) flow.lost[job] += streams_[flow.stream].lost[job];
  for (const LinkId link : rates_.route(flow.stream)) parts_[link][streams_[flow.stream].job].carried += bytes;
}

void Contention::wait_behind(FlowId id, FlowId before, double seconds) {
  if (before >= flows_.size() || flows_[before].lost.empty()) return;
  TOROID_ASSERT(!flows_[before].flows);
  auto& lost = seen(id).lost;
  const auto& cause = flows_[before].lost;
  const double sum = std::accumulate(cause.begin(), cause.end(), 0.0);
  const double part = sum > seconds ? seconds / sum : 1;
  for (std::size_t job = 0; job < jobs_; ++job) lost[jobs_ + job] += part * (cause[job] + cause[jobs_ + job]);
}

Losses Contention::take(FlowId id) {
  if (id >= flows_.size() || flows_[id].lost.empty()) return {};
  TOROID_ASSERT(!flows_[id].flows);
  taken_.swap(flows_[id].lost);
  flows_[id].lost.clear();
  const std::span<const double> all(taken_);
  return {all.first(jobs_), all.last(jobs_)};
}

void Contention::forget(FlowId id) {
  if (id >= flows_.size()) return;
  TOROID_ASSERT(!flows_[id].flows);
  flows_[id].lost.clear();
}

/// The flow, of which something is seen now.
Contention::Watched& Contention::seen(FlowId id) {
  if (id >= flows_.size()) flows_.resize(id + std::size_t{1});
  auto& flow = flows_[id];
  if (flow.lost.empty()) flow.lost.assign(2 * jobs_, 0);
  return flow;
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

void Contention::shift(const Time& by) {
  present_ += by;
  for (auto& stream : streams_) stream.settled += by;
  for (auto& parts : parts_)
    for (auto& part : parts) part.updated += by;
}

void Contention::tally(Tally& tally) {
  for (auto& parts : parts_)
    for (auto& part : parts) tally.add(part.carried);
}

Contention::StreamId Contention::stream_between(NodeId from, NodeId to, Route route, double alone) {
  const auto [entry, is_new] = stream_of_.try_emplace(Lines::of_pair(from, to), 0);
  if (!is_new) return *entry;
  const auto id = *entry = rates_.add(route);
  if (id >= streams_.size()) streams_.resize(id + std::size_t{1});
  streams_[id].begin(from, to, job_of_[from], alone, present_, jobs_);
  for (const LinkId link : route) {
    parts_[link].resize(jobs_);
    ++parts_[link][streams_[id].job].streams;
  }
  return id;
}

/// Time goes on: until now rates are what the flows of the last instant made them.
void Contention::advance(const Time& now) {
  TOROID_ASSERT_HEAVY(present_ <= now);
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
    note_loads(id);
    if (rates_.rate(id) != streams_[id].rate) note_move(id);
  }
  note_levels();
  for (const auto id : moved_) hold(id);
  moved_.clear();
}

/// Whom the links hold that have become full, or are no longer so, or at another rate.
void Contention::note_levels() {
  std::sort(loaded_.begin(), loaded_.end());
  loaded_.erase(std::unique(loaded_.begin(), loaded_.end()), loaded_.end());
  for (const LinkId link : loaded_) {
    const double level = rates_.level(link), before = std::exchange(levels_[link], level);
    if (level == full_never && before == full_never) continue;
    rates_.for_each_on(link, [&](StreamId id) {
      const auto& stream = streams_[id];
      const auto& held_by = stream.bottlenecks;
      const bool was_held = std::find(held_by.begin(), held_by.end(), link) != held_by.end();
      // Where several hold it, what each job moves over them counts for as long as none of these changes.
      if (was_held != is_held(stream, link) || (was_held && held_by.size() > 1)) note_move(id);
    });
  }
  loaded_.clear();
}

/// The stream has another rate from now on, or is held by other links.
void Contention::hold(StreamId id) {
  settle(id, present_);
  auto& stream = streams_[id];
  stream.moved = false;
  const double rate = rates_.rate(id);
  add_rate(id, stream.weight * (rate - stream.rate));
  stream.rate = rate;
  stream.bottlenecks.clear();
  stream.seen.clear();
  for (const LinkId link : rates_.route(id)) {
    if (!is_held(stream, link)) continue;
    stream.bottlenecks.push_back(link);
    for (const auto& part : parts_[link]) stream.seen.push_back(part.moved_until(present_));
  }
}

void Contention::remove(StreamId id) {
  auto& stream = streams_[id];
  TOROID_ASSERT_HEAVY(stream.flows == 0);
  add_rate(id, -(stream.weight * stream.rate));
  for (const LinkId link : rates_.route(id)) {
    auto& part = parts_[link][stream.job];
    if (--part.streams == 0) part.rate = 0;  // without what rounding left
  }
  note_loads(id);
  stream_of_.erase(Lines::of_pair(stream.from, stream.to));
  rates_.set_weight(id, 0);
  stream.weight = 0;
}

/// Books what a flow of the stream lost since that was last done. Its rate and what holds it have been the same all the
/// time.
void Contention::settle(StreamId id, const Time& now) {
  auto& stream = streams_[id];
  const double seconds = (now - stream.settled).seconds();
  TOROID_ASSERT_HEAVY(seconds >= 0 && stream.seen.size() == stream.bottlenecks.size() * jobs_);
  stream.settled = now;
  if (!(seconds > 0) || !(stream.rate > 0)) return;
  std::fill(shares_.begin(), shares_.end(), 0.0);
  auto seen = stream.seen.begin();
  for (const LinkId link : stream.bottlenecks)
    for (JobNumber job = 0; job < jobs_; ++job) {
      const double until_now = parts_[link][job].moved_until(now);
      const double itself = job == stream.job ? stream.rate * seconds : 0;
      shares_[job] = std::max(shares_[job], until_now - std::exchange(*seen++, until_now) - itself);
    }
  const double moved = std::accumulate(shares_.begin(), shares_.end(), 0.0);
  const double lost = std::max(0.0, 1 - stream.rate / stream.alone) * seconds;
  if (moved > 0)
    for (JobNumber job = 0; job < jobs_; ++job) stream.lost[job] += lost * (shares_[job] / moved);
}

}  // namespace toroid::netsim
