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

std::uint64_t EnvelopeQueues::Hash::operator()(const Envelope& e) const {
  const auto source_tag =
      (std::uint64_t{static_cast<std::uint32_t>(e.source)} << 32U) | static_cast<std::uint32_t>(e.tag);
  const std::uint64_t h = (source_tag ^ (std::uint64_t{e.context} << 48U)) * 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 32U);
}

void EnvelopeQueues::push(const Envelope& envelope, Id id, std::uint64_t order) {
  const auto at = entries_.add({envelope, id, order, none, newest_, none});
  (newest_ == none ? oldest_ : entries_[newest_].newer) = at;
  newest_ = at;
  const auto [queue, is_new] = queues_.try_emplace(envelope, Queue{at, at});
  if (is_new) return;
  entries_[queue->tail].next = at;
  queue->tail = at;
}

const EnvelopeQueues::Entry* EnvelopeQueues::front(const Envelope& envelope) const {
  const auto* queue = queues_.find(envelope);
  return queue == nullptr ? nullptr : &entries_[queue->head];
}

const EnvelopeQueues::Entry* EnvelopeQueues::front_fitting(const Envelope& wanted) const {
  for (auto at = oldest_; at != none; at = entries_[at].newer)
    if (fits(entries_[at].envelope, wanted)) return &entries_[at];
  return nullptr;
}

EnvelopeQueues::Id EnvelopeQueues::pop(const Envelope& envelope) {
  auto* queue = queues_.find(envelope);
  const auto at = queue->head;
  const auto& entry = entries_[at];
  (entry.older == none ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == none ? newest_ : entries_[entry.newer].older) = entry.older;
  queue->head = entry.next;
  if (entry.next == none) queues_.erase(envelope);
  entries_.remove(at);
  return entry.id;
}

std::vector<EnvelopeQueues::Id> EnvelopeQueues::ids() const {
  std::vector<Id> ids;
  for (auto at = oldest_; at != none; at = entries_[at].newer) ids.push_back(entries_[at].id);
  return ids;
}

std::optional<MatchQueue::Id> MatchQueue::post_receive(const Envelope& wanted, Id receive) {
  const bool wildcard = has_wildcard(wanted);
  const auto* message = wildcard ? messages_.front_fitting(wanted) : messages_.front(wanted);
  if (message != nullptr) return messages_.pop(Envelope(message->envelope));
  receives_.push(wanted, receive, order_++);
  wildcards_ += wildcard ? 1 : 0;
  return std::nullopt;
}

std::optional<MatchQueue::Id> MatchQueue::announce(const Envelope& message, Id id) {
  const auto* receive = receives_.front(message);
  if (wildcards_ > 0) {
    const auto& [source, tag, context] = message;
    for (const Envelope& posted :
         {Envelope{any_source, tag, context}, {source, any_tag, context}, {any_source, any_tag, context}}) {
      const auto* other = receives_.front(posted);
      if (other != nullptr && (receive == nullptr || other->order < receive->order)) receive = other;
    }
  }
  if (receive == nullptr) {
    messages_.push(message, id, order_++);
    return std::nullopt;
  }
  wildcards_ -= has_wildcard(receive->envelope) ? 1 : 0;
  return receives_.pop(Envelope(receive->envelope));
}

}  // namespace toroid::netsim
