#include "cosim/node_failures.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace toroid::cosim {

NodeFailures::NodeFailures(const NodeFailureOptions& options, std::vector<PlannedOutage> outages,
                           const platforms::Machine& machine, netsim::Clock& clock, std::uint64_t seed)
    : options_(options),
      outages_(std::move(outages)),
      place_(static_cast<std::size_t>(machine.node_count())),
      clock_(clock),
      random_(seed, "failures of nodes") {
  for (const auto node : machine.compute_nodes()) set_up(node);
}

void NodeFailures::start(Events events) {
  events_ = std::move(events);
  beginnings_.resize(outages_.size());
  const auto instant = clock_.now() + netsim::Clock::together;
  for (std::uint32_t i = 0; i < outages_.size(); ++i)
    if (const auto& outage = outages_[i]; time_of(outage.span.end) > clock_.now()) {
      if (time_of(outage.span.begin) <= instant)
        begin(outage);
      else
        beginnings_[i] = clock_.start_timer_at(time_of(outage.span.begin), *this, first_outage + i);
    }
  fail_later();
}

void NodeFailures::stop() {
  if (next_) clock_.cancel(*next_);
  next_.reset();
  for (const auto& timer : beginnings_)
    if (timer) clock_.cancel(*timer);
  beginnings_.clear();
  for (const auto& [node, repair] : repairs_)
    if (repair.timer) clock_.cancel(*repair.timer);
  repairs_.clear();
}

/// Drawn anew whenever the number of nodes changes that are up, as may be where nothing has an age.
void NodeFailures::fail_later() {
  if (next_) clock_.cancel(*next_);
  next_.reset();
  if (up_.empty() || options_.mtbf <= 0) return;
  const double mean = options_.mtbf / static_cast<double>(up_.size());
  next_ = clock_.start_timer(netsim::Time(-mean * std::log1p(-random_.unit())), *this, failure);
}

void NodeFailures::fail_at_random() {
  next_.reset();
  const auto node = up_[random_.below(up_.size())];
  events_.at_random();
  take_down(node, clock_.now() + netsim::Time(options_.repair));
  fail_later();
}

void NodeFailures::begin(const PlannedOutage& outage) {
  for (const auto node : outage.nodes) take_down(node, time_of(outage.span.end));
  fail_later();
}

void NodeFailures::set_up(platforms::NodeId node) {
  place_[node.index()] = up_.size();
  up_.push_back(node);
}

void NodeFailures::set_out(platforms::NodeId node) {
  const auto place = place_[node.index()];
  place_[up_.back().index()] = place;
  std::swap(up_[place], up_.back());
  up_.pop_back();
}

void NodeFailures::take_down(platforms::NodeId node, const netsim::Time& back) {
  const auto [known, is_up] = repairs_.try_emplace(node);
  if (!is_up && back <= known->second.time) return;
  if (known->second.timer) clock_.cancel(*known->second.timer);
  known->second.time = back;
  known->second.timer.reset();
  if (back < time_of(never_s))
    known->second.timer = clock_.start_timer_at(back, *this, static_cast<std::uint32_t>(node.value()));
  if (!is_up) return events_.postponed(node, back);
  set_out(node);
  events_.failed(node, back);
}

void NodeFailures::timer_ended(std::uint32_t payload) {
  if (payload == failure) return fail_at_random();
  if (payload >= first_outage) {
    beginnings_[payload - first_outage].reset();
    return begin(outages_[payload - first_outage]);
  }
  const platforms::NodeId node(payload);
  repairs_.erase(node);
  set_up(node);
  fail_later();
  events_.repaired(node);
}

}  // namespace toroid::cosim
