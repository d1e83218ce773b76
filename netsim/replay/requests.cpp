#include "netsim/replay/requests.hpp"

namespace toroid::netsim {

void Outstanding::add(RequestId id) {
  auto& to = slot(requests_[id].handle);
  (to.last == no_request ? to.first : requests_[to.last].newer) = id;
  to.last = id;
  to.notes.given = true;
}

void Outstanding::remove(RequestId id) {
  auto& from = slot(requests_[id].handle);
  RequestId older = no_request;
  for (auto other = from.first; other != id; other = requests_[other].newer) older = other;
  const auto newer = requests_[id].newer;
  (older == no_request ? from.first : requests_[older].newer) = newer;
  if (newer == no_request) from.last = older;
  requests_[id].newer = no_request;
}

void Outstanding::take_all(std::vector<RequestId>& chosen) {
  chosen.clear();
  const auto take = [&](Slot& slot) {
    for (auto id = slot.first; id != no_request; id = requests_[id].newer) chosen.push_back(id);
    slot.first = slot.last = no_request;
  };
  for (auto& slot : slots_) take(slot);
  take(without_handle_);
}

}  // namespace toroid::netsim
