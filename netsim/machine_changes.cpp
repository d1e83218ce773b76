#include "netsim/machine_changes.hpp"

#include "core/error.hpp"

namespace toroid::netsim {

std::vector<std::string> engines_that_change() {
  std::vector<std::string> able;
  for (const auto& entry : engines().entries())
    if (entry.make.machine_may_change) able.emplace_back(entry.name);
  return able;
}

void check_engine_for(const MachineChanges& changes, const EngineChoice& engine) {
  if (changes.changes.empty() || engine.thing().machine_may_change) return;
  core::fail_input("engine '{}' cannot change the machine while jobs run; expected {}", core::excerpt(engine.text()),
                   core::either(engines_that_change()));
}

MachineChanger::MachineChanger(Network& network, const MachineChanges& changes) : network_(network), changes_(changes) {
  for (const auto& change : changes.changes)
    timers_.push_back(network.clock().start_timer_at(Time(change.time), *this, 0));
}

MachineChanger::~MachineChanger() {
  for (; next_ < timers_.size(); ++next_) network_.clock().cancel(timers_[next_]);
}

void MachineChanger::timer_ended(std::uint32_t) {
  network_.change(*changes_.changes[next_++].machine, changes_.on_link_failure);
}

}  // namespace toroid::netsim
