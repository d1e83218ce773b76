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

/// Takes the first of the other kind out of the envelope's queue; without one, enters this into it.
MatchQueue::Id MatchQueue::meet(const Envelope& envelope, Id id, bool is_message) {
  const auto [queue, is_new] = queues_.try_emplace(envelope, {});
  if (!is_new && entries_[queue->head].is_message != is_message) return take(envelope, *queue);
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
  return meet(wanted, receive, false);
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
  if (first == nullptr) return meet(message, id, true);
  const auto posted = entries_[first->head].envelope;
  wildcards_ -= has_wildcard(posted) ? 1 : 0;
  return take(posted, *first);
}

}  // namespace toroid::netsim
