#include "netsim/matching.hpp"

#include <algorithm>

namespace toroid::netsim {
namespace {

using workloads::any_source;
using workloads::any_tag;

constexpr std::uint32_t end_of_queue = ~std::uint32_t{0};

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
  std::uint32_t at = 0;
  if (free_.empty()) {
    at = static_cast<std::uint32_t>(pool_.size());
    pool_.emplace_back();
  } else {
    at = free_.back();
    free_.pop_back();
  }
  pool_[at] = {envelope, id, order, end_of_queue};
  const auto [queue, is_new] = queues_.try_emplace(envelope, Queue{at, at});
  if (is_new) return;
  pool_[queue->tail].next = at;
  queue->tail = at;
}

const EnvelopeQueues::Entry* EnvelopeQueues::front(const Envelope& envelope) const {
  const auto* queue = queues_.find(envelope);
  return queue == nullptr ? nullptr : &pool_[queue->head];
}

EnvelopeQueues::Id EnvelopeQueues::pop(const Envelope& envelope) {
  auto* queue = queues_.find(envelope);
  const auto at = queue->head;
  free_.push_back(at);
  queue->head = pool_[at].next;
  if (pool_[at].next == end_of_queue) queues_.erase(envelope);
  return pool_[at].id;
}

const EnvelopeQueues::Entry* EnvelopeQueues::front_fitting(const Envelope& wanted) const {
  const Entry* oldest = nullptr;
  queues_.for_each([&](const Envelope& envelope, const Queue& queue) {
    const auto& head = pool_[queue.head];
    if (fits(envelope, wanted) && (oldest == nullptr || head.order < oldest->order)) oldest = &head;
  });
  return oldest;
}

std::vector<EnvelopeQueues::Id> EnvelopeQueues::ids() const {
  std::vector<const Entry*> entries;
  queues_.for_each([&](const Envelope&, const Queue& queue) {
    for (auto at = queue.head; at != end_of_queue; at = pool_[at].next) entries.push_back(&pool_[at]);
  });
  std::sort(entries.begin(), entries.end(), [](const Entry* a, const Entry* b) { return a->order < b->order; });
  std::vector<Id> ids;
  for (const auto* entry : entries) ids.push_back(entry->id);
  return ids;
}

std::optional<MatchQueue::Id> MatchQueue::post_receive(const Envelope& wanted, Id receive) {
  const auto* message = has_wildcard(wanted) ? messages_.front_fitting(wanted) : messages_.front(wanted);
  if (message != nullptr) return messages_.pop(Envelope(message->envelope));
  if (has_wildcard(wanted))
    wildcard_receives_.push_back({wanted, receive, order_++, end_of_queue});
  else
    receives_.push(wanted, receive, order_++);
  return std::nullopt;
}

std::optional<MatchQueue::Id> MatchQueue::announce(const Envelope& message, Id id) {
  const auto* exact = receives_.front(message);
  const auto wildcard = std::find_if(wildcard_receives_.begin(), wildcard_receives_.end(),
                                     [&](const auto& r) { return fits(message, r.envelope); });
  if (wildcard != wildcard_receives_.end() && (exact == nullptr || wildcard->order < exact->order)) {
    const Id receive = wildcard->id;
    wildcard_receives_.erase(wildcard);
    return receive;
  }
  if (exact != nullptr) return receives_.pop(message);
  messages_.push(message, id, order_++);
  return std::nullopt;
}

}  // namespace toroid::netsim
