#include "netsim/replay/requests.hpp"

#include <algorithm>

namespace toroid::netsim {
namespace {

using workloads::any_source;
using workloads::any_tag;

/// More requests are indexed by name when one is looked up.
constexpr std::size_t most_searched = 16;

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
  append<&Request::in_order>(requests_[id].by_name ? named_ : others_, id);
  ++size_;
  if (indexed_) add_to_index(id);
}

void Outstanding::remove(RequestId id) {
  const auto& request = requests_[id];
  unlink<&Request::in_order>(request.by_name ? named_ : others_, id);
  --size_;
  if (!indexed_) return;
  auto& same_name = *of_name_.find(request.name);
  unlink<&Request::of_name>(same_name, id);
  if (same_name.first == no_request) of_name_.erase(request.name);
  indexed_ = size_ > 0;
}

void Outstanding::add_to_index(RequestId id) {
  append<&Request::of_name>(*of_name_.try_emplace(requests_[id].name, {}).first, id);
}

void Outstanding::build_index() {
  // Both lists together, in order of posting: so are those of one name then.
  for (auto named = named_.first, other = others_.first; named != no_request || other != no_request;) {
    const auto id = older(named, other);
    add_to_index(id);
    (id == named ? named : other) = requests_[id].in_order.after;
  }
  indexed_ = true;
}

RequestId Outstanding::older(RequestId a, RequestId b) const {
  if (a == no_request || b == no_request) return a == no_request ? b : a;
  return requests_[a].operation <= requests_[b].operation ? a : b;
}

template <class Wanted>
RequestId Outstanding::oldest(Wanted&& wanted) const {
  const auto first = [&](const List& list) {
    auto id = list.first;
    while (id != no_request && !wanted(requests_[id])) id = requests_[id].in_order.after;
    return id;
  };
  return older(first(named_), first(others_));
}

RequestId Outstanding::find(const RequestName& name) {
  const auto& [sender, receiver, tag] = name;
  const bool many = size_ > most_searched;
  if (many && !indexed_) build_index();
  const auto exact = many ? find_indexed(name) : oldest([&](const Request& request) { return request.name == name; });
  if (exact != no_request) return exact;
  if (!many || sender == any_source || tag == any_tag)
    return oldest([&](const Request& request) { return fits(request, name); });
  // To a name without wildcards fit, besides itself, these three that receives may be posted with.
  return older(find_indexed({any_source, receiver, tag}),
               older(find_indexed({sender, receiver, any_tag}), find_indexed({any_source, receiver, any_tag})));
}

RequestId Outstanding::find_indexed(const RequestName& name) const {
  const auto* list = of_name_.find(name);
  return list == nullptr ? no_request : list->first;
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
