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
void Replay::after_instant() {
  ranks_->after_instant();
}
void Replay::kill() {
  ranks_->kill();
}

}  // namespace toroid::netsim
