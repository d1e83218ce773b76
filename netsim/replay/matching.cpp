#include "netsim/replay/matching.hpp"

namespace toroid::netsim {
namespace {

using workloads::any_source;
using workloads::any_tag;

bool has_wildcard(const Envelope& e) {
  return e.source == any_source || e.tag == any_tag;
}

bool fits(const Envelope& message, const Envelope& wanted) {
  return message.context == wanted.context && (wanted.source == any_source || wanted.source == message.source) &&
         (wanted.tag == any_tag || wanted.tag == message.tag);
}

}  // namespace

/// Takes the first of the other kind out of the queue of the address; without one, enters this into it.
MatchQueues::Id MatchQueues::meet(const Address& address, Id id, bool is_message) {
  const auto [queue, is_new] = queues_.try_emplace(address, {});
  if (!is_new && entries_[queue->first].is_message != is_message) return take(address, *queue);
  TOROID_ASSERT_HEAVY(is_new || entries_[queue->last].next == none);
  auto& [oldest, newest] = receivers_[address.receiver].lists[is_message];
  const auto at = entries_.add({{order_++, address.envelope, id, is_message}, none, newest, none});
  (newest == none ? oldest : entries_[newest].newer) = at;
  newest = at;
  (is_new ? queue->first : entries_[queue->last].next) = at;
  queue->last = at;
  return none;
}

MatchQueues::Id MatchQueues::take(const Address& address, Ends& queue) {
  const auto at = queue.first;
  const auto& entry = entries_[at];
  TOROID_ASSERT_HEAVY(entry.envelope == address.envelope && (entry.next == none) == (queue.first == queue.last));
  auto& [oldest, newest] = receivers_[address.receiver].lists[entry.is_message];
  (entry.older == none ? oldest : entries_[entry.older].newer) = entry.newer;
  (entry.newer == none ? newest : entries_[entry.newer].older) = entry.older;
  queue.first = entry.next;
  if (entry.next == none) queues_.erase(address);
  entries_.remove(at);
  return entry.id;
}

std::vector<MatchQueues::Id> MatchQueues::unreceived(Rank receiver) const {
  std::vector<Id> ids;
  for (auto at = receivers_[receiver].lists[true].first; at != none; at = entries_[at].newer)
    ids.push_back(entries_[at].id);
  TOROID_ASSERT_HEAVY(ids.size() <= entries_.size());
  return ids;
}

std::vector<MatchQueues::Queued> MatchQueues::in_order(Rank receiver) const {
  std::vector<Queued> all;
  for (const bool of_messages : {false, true})
    for (auto at = receivers_[receiver].lists[of_messages].first; at != none; at = entries_[at].newer)
      all.push_back(entries_[at]);
  std::ranges::sort(all, {}, &Queued::order);
  return all;
}

MatchQueues::Id MatchQueues::post_receive(Rank receiver, const Envelope& wanted, Id receive) {
  if (!has_wildcard(wanted)) return meet({receiver, wanted}, receive, false);
  for (auto at = receivers_[receiver].lists[true].first; at != none; at = entries_[at].newer) {
    const Address sent{receiver, entries_[at].envelope};
    if (fits(sent.envelope, wanted)) return take(sent, *queues_.find(sent));
  }
  ++receivers_[receiver].wildcards;
  const auto met = meet({receiver, wanted}, receive, false);
  TOROID_ASSERT_HEAVY(none_wait_in_vain(receiver));
  return met;
}

MatchQueues::Id MatchQueues::announce(Rank receiver, const Envelope& message, Id id) {
  auto& wildcards = receivers_[receiver].wildcards;
  if (wildcards == 0) return meet({receiver, message}, id, true);
  // The earliest of the receives that were posted with these envelopes: no others fit.
  const auto& [source, tag, context] = message;
  Ends* earliest = nullptr;
  for (const Envelope& posted :
       {Envelope(message), {any_source, tag, context}, {source, any_tag, context}, {any_source, any_tag, context}}) {
    auto* queue = queues_.find({receiver, posted});
    if (queue == nullptr || entries_[queue->first].is_message) continue;
    if (earliest == nullptr || entries_[queue->first].order < entries_[earliest->first].order) earliest = queue;
  }
  if (earliest == nullptr) {
    const auto met = meet({receiver, message}, id, true);
    TOROID_ASSERT_HEAVY(none_wait_in_vain(receiver));
    return met;
  }
  const auto posted = entries_[earliest->first].envelope;
  TOROID_ASSERT(!has_wildcard(posted) || wildcards > 0);
  wildcards -= has_wildcard(posted) ? 1 : 0;
  return take({receiver, posted}, *earliest);
}

/// Whether no receive fits a message while both wait. Only a few are looked at, as each is compared with each.
bool MatchQueues::none_wait_in_vain(Rank receiver) const {
  constexpr std::size_t few = 64, many = 1024;
  if (entries_.size() > many) return true;
  const auto all = in_order(receiver);
  return all.size() > few || std::none_of(all.begin(), all.end(), [&](const Queued& message) {
           return message.is_message && std::any_of(all.begin(), all.end(), [&](const Queued& receive) {
                    return !receive.is_message && fits(message.envelope, receive.envelope);
                  });
         });
}

void Outstanding::add(RequestId id) {
  auto& to = slot(requests_[id].handle);
  TOROID_ASSERT_HEAVY(requests_[id].newer == no_request && (to.first == no_request) == (to.last == no_request));
  (to.last == no_request ? to.first : requests_[to.last].newer) = id;
  to.last = id;
  to.notes.given = true;
}

void Outstanding::remove(RequestId id) {
  auto& from = slot(requests_[id].handle);
  RequestId older = no_request;
  for (auto other = from.first; other != id; other = requests_[other].newer) {
    TOROID_ASSERT(other != no_request);
    older = other;
  }
  const auto newer = requests_[id].newer;
  (older == no_request ? from.first : requests_[older].newer) = newer;
  if (newer == no_request) from.last = older;
  requests_[id].newer = no_request;
}

void Outstanding::take_all(RequestIds& chosen) {
  chosen.clear();
  const auto take = [&](Slot& slot) {
    for (auto id = slot.first; id != no_request; id = requests_[id].newer) chosen.push_back(id);
    slot.first = slot.last = no_request;
  };
  for (auto& slot : slots_) take(slot);
  take(without_handle_);
}

}  // namespace toroid::netsim
