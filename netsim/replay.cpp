#include "netsim/replay.hpp"

#include <utility>

#include "netsim/replay/ranks.hpp"

namespace toroid::netsim {

Replay::Replay(const workloads::Trace& trace, Mapping mapping, Network& network, ReplayOptions options, Ended ended)
    : ranks_(std::make_unique<Ranks>(trace, std::move(mapping), network, std::move(options), std::move(ended))) {}
Replay::~Replay() = default;

void Replay::start() {
  ranks_->start();
}
Repeating& Replay::repeating() {
  return *ranks_;
}
void Replay::kill() {
  ranks_->kill();
}

}  // namespace toroid::netsim
