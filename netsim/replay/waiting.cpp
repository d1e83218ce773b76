#include "netsim/replay/waiting.hpp"

#include <algorithm>

namespace toroid::netsim {

/// Waits for all blockers.
bool Waiting::wait_for_all() {
  std::erase_if(blockers_, [&](RequestId id) {
    const bool done = requests_[id].done;
    if (done) requests_.remove(id);
    return done;
  });
  for (const auto id : blockers_) requests_[id].awaited = true;
  pending_ = blockers_.size();
  return pending_ == 0;
}

Waiting::Named Waiting::wait(const RequestName& name) {
  if (const auto id = outstanding_.find(name); id != no_request) {
    outstanding_.remove(id);
    add(id);
    return wait_for_all() ? Named::ended : Named::blocked;
  }
  auto* early = ended_early_.find(name);
  if (early == nullptr) return Named::unknown;
  if (--*early == 0) ended_early_.erase(name);
  return Named::ended;
}

bool Waiting::wait_all(std::size_t count) {
  outstanding_.newest(count, blockers_);
  for (const auto id : blockers_) outstanding_.remove(id);
  return wait_for_added();
}

bool Waiting::wait_any(std::size_t count) {
  outstanding_.newest(count, blockers_);
  const auto done = std::find_if(blockers_.begin(), blockers_.end(), [&](RequestId id) { return requests_[id].done; });
  if (done != blockers_.end()) end_early(*done);
  if (done != blockers_.end() || blockers_.empty()) {
    blockers_.clear();
    return true;
  }
  for (const auto id : blockers_) requests_[id].awaited = true;
  pending_ = 1;
  any_ = true;
  return false;
}

/// Whether it succeeds here says nothing of the recorded run: a later wait for the request is in order.
void Waiting::test(const RequestName& name) {
  const auto id = outstanding_.find(name);
  if (id != no_request && requests_[id].done) end_early(id);
}

bool Waiting::wait_for_rest() {
  outstanding_.take_all(blockers_);
  return wait_for_added();
}

bool Waiting::end(RequestId id) {
  auto& request = requests_[id];
  request.done = true;
  if (!request.awaited || --pending_ > 0) return false;
  if (any_) {
    for (const auto other : blockers_) requests_[other].awaited = false;
    any_ = false;
    end_early(id);
  } else {
    for (const auto blocker : blockers_) requests_.remove(blocker);
  }
  blockers_.clear();
  return true;
}

const Request* Waiting::blocker() const {
  const Request* first = nullptr;
  for (const auto id : blockers_)
    if (!requests_[id].done && (first == nullptr || requests_[id].operation < first->operation)) first = &requests_[id];
  return first;
}

/// Ends a request where the trace names none, and remembers its name.
void Waiting::end_early(RequestId id) {
  ++*ended_early_.try_emplace(requests_[id].name, 0).first;
  outstanding_.remove(id);
  requests_.remove(id);
}

}  // namespace toroid::netsim
