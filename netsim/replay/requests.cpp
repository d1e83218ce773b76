#include "netsim/replay/requests.hpp"

#include <algorithm>

namespace toroid::netsim {
namespace {

using workloads::any_source;
using workloads::any_tag;

bool fits(const Request& request, const RequestName& wanted) {
  const auto& [sender, receiver, tag] = request.name;
  const auto& [wanted_sender, wanted_receiver, wanted_tag] = wanted;
  const bool same_sender =
      sender == wanted_sender || (!request.is_send && (sender == any_source || wanted_sender == any_source));
  return same_sender && receiver == wanted_receiver && (tag == wanted_tag || tag == any_tag || wanted_tag == any_tag);
}

}  // namespace

std::uint64_t HashRequestName::operator()(const RequestName& name) const {
  const auto& [sender, receiver, tag] = name;
  const auto pair = (std::uint64_t{static_cast<std::uint32_t>(sender)} << 32U) | static_cast<std::uint32_t>(receiver);
  std::uint64_t h = (pair ^ (pair >> 29U)) * 0x9e3779b97f4a7c15ULL;
  h = (h ^ static_cast<std::uint32_t>(tag)) * 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 32U);
}

template <Request::Links Request::*links>
void Outstanding::append(List& list, RequestId id) {
  (requests_[id].*links) = {list.last, no_request};
  (list.last == no_request ? list.first : (requests_[list.last].*links).after) = id;
  list.last = id;
}

template <Request::Links Request::*links>
void Outstanding::unlink(List& list, RequestId id) {
  const auto [before, after] = requests_[id].*links;
  (before == no_request ? list.first : (requests_[before].*links).after) = after;
  (after == no_request ? list.last : (requests_[after].*links).before) = before;
}

void Outstanding::add(RequestId id) {
  const auto& request = requests_[id];
  append<&Request::in_order>(request.by_name ? named_ : others_, id);
  append<&Request::of_name>(*of_name_.try_emplace(request.name, {}).first, id);
}

void Outstanding::remove(RequestId id) {
  const auto& request = requests_[id];
  unlink<&Request::in_order>(request.by_name ? named_ : others_, id);
  auto& same_name = *of_name_.find(request.name);
  unlink<&Request::of_name>(same_name, id);
  if (same_name.first == no_request) of_name_.erase(request.name);
}

RequestId Outstanding::older(RequestId a, RequestId b) const {
  if (a == no_request || b == no_request) return a == no_request ? b : a;
  return requests_[a].operation <= requests_[b].operation ? a : b;
}

RequestId Outstanding::first_of(const RequestName& name) const {
  const auto* list = of_name_.find(name);
  return list == nullptr ? no_request : list->first;
}

RequestId Outstanding::first_fitting(const List& list, const RequestName& wanted) const {
  auto id = list.first;
  while (id != no_request && !fits(requests_[id], wanted)) id = requests_[id].in_order.after;
  return id;
}

RequestId Outstanding::find(const RequestName& name) const {
  const auto exact = first_of(name);
  if (exact != no_request) return exact;
  const auto& [sender, receiver, tag] = name;
  if (sender == any_source || tag == any_tag) return older(first_fitting(named_, name), first_fitting(others_, name));
  // Without wildcards in the name, these are all that were posted with one and fit.
  return older(first_of({any_source, receiver, tag}),
               older(first_of({sender, receiver, any_tag}), first_of({any_source, receiver, any_tag})));
}

void Outstanding::newest(std::size_t count, std::vector<RequestId>& chosen) const {
  chosen.clear();
  for (auto id = others_.last; id != no_request && chosen.size() < count; id = requests_[id].in_order.before)
    chosen.push_back(id);
  std::reverse(chosen.begin(), chosen.end());
}

void Outstanding::take_all(std::vector<RequestId>& chosen) {
  chosen.clear();
  for (const auto* list : {&named_, &others_})
    for (auto id = list->first; id != no_request; id = requests_[id].in_order.after) chosen.push_back(id);
  for (const auto id : chosen) remove(id);
}

}  // namespace toroid::netsim
