#include "cosim/node_failures.hpp"

#include <cmath>

namespace toroid::cosim {

NodeFailures::NodeFailures(const FailureOptions& options, const platforms::Machine& machine, netsim::Clock& clock,
                           std::uint64_t seed)
    : options_(options),
      nodes_(machine.compute_nodes().begin(), machine.compute_nodes().end()),
      clock_(clock),
      random_(seed, "failures of nodes"),
      repairs_(nodes_.size()) {}

void NodeFailures::start(Happens failed, Happens repaired) {
  failed_ = std::move(failed);
  repaired_ = std::move(repaired);
  if (!nodes_.empty()) fail_later();
}

void NodeFailures::stop() {
  if (next_) clock_.cancel(*next_);
  next_.reset();
  for (auto& repair : repairs_) {
    if (repair) clock_.cancel(*repair);
    repair.reset();
  }
}

void NodeFailures::fail_later() {
  const double mean = options_.mtbf / static_cast<double>(nodes_.size());
  next_ = clock_.start_timer(netsim::Time(-mean * std::log1p(-random_.unit())), *this, failure);
}

void NodeFailures::timer_ended(std::uint32_t payload) {
  if (payload != failure) {
    repairs_[payload].reset();
    return repaired_(nodes_[payload]);
  }
  fail_later();
  const auto place = static_cast<std::uint32_t>(random_.below(nodes_.size()));
  if (repairs_[place]) return;
  repairs_[place] = clock_.start_timer(netsim::Time(options_.repair), *this, place);
  failed_(nodes_[place]);
}

}  // namespace toroid::cosim
