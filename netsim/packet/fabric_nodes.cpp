// Nodes of the fabric: messages come and are dropped.

#include <algorithm>
#include <utility>

#include "netsim/packet/fabric.hpp"

namespace toroid::netsim::packet {

Fabric::MessageId Fabric::send(NodeId from, NodeId to, std::uint64_t bytes, const Time& time) {
  const auto id = messages_.add(routes_.message(from, to, bytes));
  auto& source = sources_[from.index()];
  messages_[id].next = id;
  if (source.last != nobody) std::swap(messages_[id].next, messages_[source.last].next);
  source.last = id;
  const Tick tick = std::max(tick_at(time), wheel_.now());
  add(tick - wheel_.now(), Kind::wake, static_cast<std::uint32_t>(from.value()));
  return id;
}

void Fabric::drop(MessageId id) {
  auto& message = messages_[id];
  message.dropped = true;
  if (std::exchange(message.all_sent, true)) return;
  leave_source(id);
  if (message.in_flight == 0) end(id);
}

void Fabric::end(MessageId id) {
  const auto& message = messages_[id];
  if (message.arrives > now()) return add(message.arrives - now(), Kind::delivered, id);
  done_.push_back(id);
  if (!message.dropped) arrived_.push_back(id);
}

/// A packet's Packet::ties. Along each dimension half of the node's packets that have the choice go either way,
/// whatever messages they are of. Along dimension d they change sides after 2^d packets, so that those that choose in
/// several take all combinations.
std::uint8_t Fabric::choose_sides(const Message& message) {
  auto& tied = sources_[message.from.index()].tied;
  unsigned ties = 0, place = 0;
  for (std::size_t i = 0; i < message.leg_count; ++i) {
    if (!message.legs[i].is_tied) continue;
    const std::size_t d = message.legs[i].port / 2;
    ties |= (unsigned{tied[d]++} >> d & 1U) << place++;
  }
  return static_cast<std::uint8_t>(ties);
}

/// Takes a message that is not sent any more out of the ring of its node.
void Fabric::leave_source(MessageId id) {
  auto& source = sources_[messages_[id].from.index()];
  auto before = source.last;
  while (messages_[before].next != id) before = messages_[before].next;
  messages_[before].next = messages_[id].next;
  if (source.last == id) source.last = before == id ? nobody : before;
}

}  // namespace toroid::netsim::packet
