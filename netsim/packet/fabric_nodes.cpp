// Nodes of the fabric: messages become packets, and packets that have arrived messages again.

#include <algorithm>

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
  if (!std::exchange(message.all_sent, true)) leave_source(id);
  if (message.in_flight == 0) done_.push_back(id);
}

/// Takes a message that is not sent any more out of the ring of its node.
void Fabric::leave_source(MessageId id) {
  auto& source = sources_[messages_[id].from.index()];
  auto before = source.last;
  while (messages_[before].next != id) before = messages_[before].next;
  messages_[before].next = messages_[id].next;
  if (source.last == id) source.last = before == id ? nobody : before;
}

void Fabric::change_source(NodeId node) {
  if (!std::exchange(sources_[node.index()].changed, true)) changed_sources_.push_back(node);
}

/// Sends packets of the node's messages in turn as long as there is room behind its port.
void Fabric::inject(NodeId node) {
  auto& source = sources_[node.index()];
  source.changed = false;
  const auto first = outputs_[output_of(layout_.router(node), layout_.port(node))].beyond;
  const auto count = static_cast<std::uint32_t>(options_.injection_channels);
  while (!source.busy && source.last != nobody) {
    const auto id = messages_[source.last].next;
    const auto most = static_cast<std::uint64_t>(options_.packet_bytes);
    const auto bytes = static_cast<std::int32_t>(std::min(most, messages_[id].unsent));
    const auto choice = roomiest(first, count, source.channel_turn);
    if (choice.room < (options_.rings == Rings::bubble ? options_.packet_bytes : bytes)) return;
    const auto number = cut_packet(id);
    auto& packet = packets_[number];
    far_ends_[choice.channel].room -= charge(packet);
    ++source.channel_turn;
    const Tick duration = layout_.injection().duration(packet.bytes);
    packet.tail = wheel_.now() + duration;
    if (machine_.limits_injection()) {
      source.busy = true;
      source.carried.begin(wheel_.now());
      add(duration, Kind::injected, static_cast<std::uint32_t>(node.value()), bytes_and_last(packet), id);
    } else if (packet.last) {
      left_.push_back(id);
    }
    arrive(number, choice.channel);
  }
}

/// The next packet of the message, which then is behind the others of its node.
std::uint32_t Fabric::cut_packet(MessageId id) {
  auto& message = messages_[id];
  const auto bytes = std::min(message.unsent, static_cast<std::uint64_t>(options_.packet_bytes));
  message.unsent -= bytes;
  ++message.in_flight;
  const bool last = message.unsent == 0;
  if (last) {
    message.all_sent = true;
    leave_source(id);
  } else {
    sources_[message.from.index()].last = id;
  }
  return packets_.add({.next = nobody,
                       .message = id,
                       .bytes = static_cast<std::uint32_t>(bytes),
                       .birth = births_++,
                       .ties = static_cast<std::uint8_t>(message.packets++),
                       .last = last,
                       .detours = message.way != nullptr});
}

/// The node's port has carried a packet.
void Fabric::injected(NodeId node, std::uint32_t bytes_and_last, MessageId id) {
  auto& source = sources_[node.index()];
  book_end(machine_.injection_link(node), source.carried, bytes_and_last,
           layout_.injection().duration(bytes_and_last & ~last_bit));
  if ((bytes_and_last & last_bit) != 0 && !messages_[id].dropped) left_.push_back(id);
  source.busy = false;
  change_source(node);
}

void Fabric::deliver(std::uint32_t packet) {
  const auto id = packets_[packet].message;
  packets_.remove(packet);
  auto& message = messages_[id];
  if (--message.in_flight > 0 || !message.all_sent) return;
  done_.push_back(id);
  if (!message.dropped) arrived_.push_back(id);
}

}  // namespace toroid::netsim::packet
