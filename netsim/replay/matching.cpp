#include "netsim/replay/matching.hpp"

#include <algorithm>

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

/// Takes the first of the other kind out of the envelope's queue; without one, enters this into it.
MatchQueue::Id MatchQueue::meet(const Envelope& envelope, Id id, bool is_message) {
  const auto [queue, is_new] = queues_.try_emplace(envelope, {});
  if (!is_new && entries_[queue->head].is_message != is_message) return take(envelope, *queue);
  TOROID_ASSERT_HEAVY(is_new || entries_[queue->tail].next == none);
  const auto at = entries_.add({envelope, id, is_message, none, none, none, order_++});
  if (is_message) {
    entries_[at].older = newest_message_;
    (newest_message_ == none ? oldest_message_ : entries_[newest_message_].newer) = at;
    newest_message_ = at;
  }
  if (is_new)
    queue->head = at;
  else
    entries_[queue->tail].next = at;
  queue->tail = at;
  return none;
}

MatchQueue::Id MatchQueue::take(const Envelope& envelope, Queue& queue) {
  const auto at = queue.head;
  const auto& entry = entries_[at];
  TOROID_ASSERT_HEAVY(entry.envelope == envelope && (entry.next == none) == (queue.head == queue.tail));
  if (entry.is_message) {
    (entry.older == none ? oldest_message_ : entries_[entry.older].newer) = entry.newer;
    (entry.newer == none ? newest_message_ : entries_[entry.newer].older) = entry.older;
  }
  queue.head = entry.next;
  if (entry.next == none) queues_.erase(envelope);
  entries_.remove(at);
  return entry.id;
}

std::vector<MatchQueue::Id> MatchQueue::unreceived() const {
  std::vector<Id> ids;
  for (auto at = oldest_message_; at != none; at = entries_[at].newer) ids.push_back(entries_[at].id);
  TOROID_ASSERT_HEAVY(ids.size() <= entries_.size());
  return ids;
}

const std::vector<MatchQueue::Queued>& MatchQueue::in_order() {
  in_order_.clear();
  queues_.for_each([&](const Envelope& envelope, const Queue& queue) {
    for (auto at = queue.head; at != none; at = entries_[at].next)
      in_order_.push_back({entries_[at].order, envelope, entries_[at].id, entries_[at].is_message});
  });
  std::sort(in_order_.begin(), in_order_.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
  return in_order_;
}

MatchQueue::Id MatchQueue::post_receive(const Envelope& wanted, Id receive) {
  if (!has_wildcard(wanted)) return meet(wanted, receive, false);
  for (auto at = oldest_message_; at != none; at = entries_[at].newer) {
    const auto envelope = entries_[at].envelope;
    if (fits(envelope, wanted)) return take(envelope, *queues_.find(envelope));
  }
  ++wildcards_;
  const auto met = meet(wanted, receive, false);
  TOROID_ASSERT_HEAVY(none_wait_in_vain());
  return met;
}

MatchQueue::Id MatchQueue::announce(const Envelope& message, Id id) {
  if (wildcards_ == 0) return meet(message, id, true);
  // The earliest of the receives that were posted with these envelopes: no others fit.
  const auto& [source, tag, context] = message;
  Queue* first = nullptr;
  for (const Envelope& posted :
       {Envelope(message), {any_source, tag, context}, {source, any_tag, context}, {any_source, any_tag, context}}) {
    auto* queue = queues_.find(posted);
    if (queue == nullptr || entries_[queue->head].is_message) continue;
    if (first == nullptr || entries_[queue->head].order < entries_[first->head].order) first = queue;
  }
  if (first == nullptr) {
    const auto met = meet(message, id, true);
    TOROID_ASSERT_HEAVY(none_wait_in_vain());
    return met;
  }
  const auto posted = entries_[first->head].envelope;
  TOROID_ASSERT(!has_wildcard(posted) || wildcards_ > 0);
  wildcards_ -= has_wildcard(posted) ? 1 : 0;
  return take(posted, *first);
}

/// Whether no receive fits a message while both wait. Only a few are looked at, as each is compared with each.
bool MatchQueue::none_wait_in_vain() {
  constexpr std::size_t few = 64;
  if (entries_.size() > few) return true;
  const auto& all = in_order();
  return std::none_of(all.begin(), all.end(), [&](const Queued& message) {
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
