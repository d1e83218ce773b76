#include "cosim/node_failures.hpp"

#include <cmath>
#include <utility>

namespace toroid::cosim {

NodeFailures::NodeFailures(const FailureOptions& options, const platforms::Machine& machine, netsim::Clock& clock,
                           std::uint64_t seed)
    : options_(options),
      up_(machine.compute_nodes().begin(), machine.compute_nodes().end()),
      clock_(clock),
      random_(seed, "failures of nodes") {}

void NodeFailures::start(Happens failed, Happens repaired) {
  failed_ = std::move(failed);
  repaired_ = std::move(repaired);
  fail_later();
}

void NodeFailures::stop() {
  if (next_) clock_.cancel(*next_);
  next_.reset();
  for (const auto& [node, repair] : repairs_) clock_.cancel(repair);
  repairs_.clear();
}

/// Drawn anew whenever the number of nodes changes that are up, as may be where nothing has an age.
void NodeFailures::fail_later() {
  if (next_) clock_.cancel(*next_);
  next_.reset();
  if (up_.empty()) return;
  const double mean = options_.mtbf / static_cast<double>(up_.size());
  next_ = clock_.start_timer(netsim::Time(-mean * std::log1p(-random_.unit())), *this, failure);
}

void NodeFailures::fail() {
  next_.reset();
  std::swap(up_[random_.below(up_.size())], up_.back());
  const auto node = up_.back();
  up_.pop_back();
  repairs_[node] = clock_.start_timer(netsim::Time(options_.repair), *this, static_cast<std::uint32_t>(node.value()));
  fail_later();
  failed_(node);
}

void NodeFailures::timer_ended(std::uint32_t payload) {
  if (payload == failure) return fail();
  const platforms::NodeId node(payload);
  repairs_.erase(node);
  up_.push_back(node);
  fail_later();
  repaired_(node);
}

}  // namespace toroid::cosim
