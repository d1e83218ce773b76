#include "netsim/replay/waiting.hpp"

namespace toroid::netsim {

/// Waits for all blockers.
bool Waiting::wait_for_all() {
  const auto ended = [&](RequestId id) {
    const bool done = requests_[id].done;
    if (done) take(id);
    return done;
  };
  blockers_.erase(std::remove_if(blockers_.begin(), blockers_.end(), ended), blockers_.end());
  for (const auto id : blockers_) requests_[id].awaited = true;
  pending_ = blockers_.size();
  return pending_ == 0;
}

Waiting::Named Waiting::wait(RequestHandle handle) {
  if (const auto id = outstanding_.oldest(handle); id != no_request) {
    outstanding_.remove(id);
    add(id);
    return wait_for_all() ? Named::ended : Named::blocked;
  }
  if (knows(handle) && outstanding_.notes(handle).persistent) return Named::ended;
  return ask_again(handle) ? Named::ended : Named::unknown;
}

bool Waiting::wait_all(std::span<const RequestHandle> handles) {
  for (const auto handle : handles)
    if (const auto id = outstanding_.oldest(handle); id != no_request) {
      outstanding_.remove(id);
      add(id);
    } else {
      ask_again(handle);
    }
  return wait_for_added();
}

template <class Visit>
void Waiting::for_each_outstanding(std::span<const RequestHandle> handles, Visit&& visit) const {
  for (const auto handle : handles)
    for (auto id = outstanding_.oldest(handle); id != no_request;) {
      const auto newer = requests_[id].newer;
      if (!visit(id)) return;
      id = newer;
    }
}

bool Waiting::wait_any(std::span<const RequestHandle> handles) {
  RequestId done = no_request;
  for_each_outstanding(handles, [&](RequestId id) {
    if (requests_[id].done) done = id;
    return done == no_request;
  });
  if (done != no_request) {
    take_early(done);
    return true;
  }
  for_each_outstanding(handles, [&](RequestId id) {
    if (!std::exchange(requests_[id].awaited, true)) add(id);  // a handle may come twice
    return true;
  });
  any_ = !blockers_.empty();
  pending_ = any_ ? 1 : 0;
  return !any_;
}

bool Waiting::wait_some(std::span<const RequestHandle> handles) {
  bool some = false;
  for_each_outstanding(handles, [&](RequestId id) {
    const bool done = requests_[id].done;
    if (done) take_early(id);
    some = some || done;
    return true;
  });
  return some || wait_any(handles);
}

/// Whether it succeeds here says nothing of the recorded run: a later wait for the request is in order.
void Waiting::test(RequestHandle handle) {
  const auto id = outstanding_.oldest(handle);
  if (id != no_request && requests_[id].done) take_early(id);
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
    take_early(id);
  } else {
    for (const auto blocker : blockers_) take(blocker);
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

void Waiting::take(RequestId id) {
  work_ += requests_[id].work;
  if (tells_) taken_.push_back(id);
  requests_.remove(id);
}

/// Asks for a request that take_early() took, which can be done once. False if there is none of that handle.
bool Waiting::ask_again(RequestHandle handle) {
  if (!knows(handle)) return false;
  auto& ended_early = outstanding_.notes(handle).ended_early;
  if (ended_early == 0) return false;
  --ended_early;
  return true;
}

/// Takes a request that is outstanding and that the program may still ask for: where a call takes one of several, or a
/// test may succeed or not, it need not be the same as in the run that was recorded.
void Waiting::take_early(RequestId id) {
  ++outstanding_.notes(requests_[id].handle).ended_early;
  outstanding_.remove(id);
  take(id);
}

}  // namespace toroid::netsim
