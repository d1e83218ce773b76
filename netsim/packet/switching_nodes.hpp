#pragma once
// Nodes of the fabric: messages become packets, and packets that have arrived messages again. See switching.hpp.

#include <algorithm>

#include "netsim/packet/switching.hpp"

namespace toroid::netsim::packet {

template <class K>
inline void Switching<K>::change_source(NodeId node) {
  if (!std::exchange(sources_[node.index()].changed, true)) changed_sources_.add(node);
}

/// Sends packets of the node's messages in turn as long as there is room behind its port.
template <class K>
inline void Switching<K>::inject(NodeId node) {
  auto& source = sources_[node.index()];
  source.changed = false;
  auto& port = outputs_[source.output];
  const ChannelSet all(0, static_cast<std::uint32_t>(options_.injection_channels));
  while (!source.sending && source.last != nobody) {
    const auto id = messages_[source.last].next;
    const auto most = static_cast<std::uint64_t>(options_.packet_bytes);
    const auto needed = charge(static_cast<std::uint32_t>(std::min(most, messages_[id].unsent)));
    if (source.room < needed) return;
    const auto choice = roomiest(port, all, source.channel_turn);
    if (choice.room < needed) return;
    const auto number = cut_packet(id);
    auto& packet = packets_[number];
    take_room(port, choice.channel, needed);
    source.room -= needed;
    source.channel_turn =
        source.channel_turn + 1U < all.count ? static_cast<std::uint16_t>(source.channel_turn + 1U) : 0;
    packet.came = wheel_.now();
    if (state_.machine.limits_injection()) {
      source.begin_packet(wheel_.now());
      add(layout_.injection().duration(packet.bytes), Kind::injected, static_cast<std::uint32_t>(node.value()),
          bytes_and_last(packet), id);
    } else if (packet.last) {
      news_.left.push_back(id);
    }
    const auto channel = port.beyond + choice.channel;
    line_up(number, channel, place(channel));
  }
}

/// Cuts the next packet off a message, and puts the message behind the others of its node. Returns the packet.
template <class K>
inline std::uint32_t Switching<K>::cut_packet(MessageId id) {
  auto& message = messages_[id];
  const auto bytes = std::min(message.unsent, static_cast<std::uint64_t>(options_.packet_bytes));
  message.unsent -= bytes;
  const bool last = message.unsent == 0;
  if (last) {
    message.all_sent = true;
    state_.leave_source(id);
  } else {
    sources_[message.from.index()].last = id;
  }
  return packets_.add({.message = id,
                       .bytes = static_cast<std::uint32_t>(bytes),
                       .left = std::max(message.way, 0),
                       .birth = births_++,
                       .ties = message.splits ? choose_sides(message) : std::uint8_t{0},
                       .last = last,
                       .detours = message.way != Ways::in_order});
}

/// Notes that a node's port has carried a packet.
template <class K>
inline void Switching<K>::injected(NodeId node, std::uint32_t bytes_and_last, MessageId id) {
  const auto bytes = bytes_and_last & ~last_bit;
  book_windows(state_.carrier(node), bytes, layout_.injection());
  sources_[node.index()].end_packet(bytes, wheel_.now());
  if ((bytes_and_last & last_bit) != 0) {
    ++flows_[state_.carrier(node)];
    if (!messages_[id].dropped) news_.left.push_back(id);
  }
  change_source(node);
}

/// Delivers a packet that has nothing in its way any more: all of it will be at its node at tick `arrives`.
template <class K>
inline void Switching<K>::deliver(std::uint32_t packet, Tick arrives) {
  const auto id = packets_[packet].message;
  packets_.remove(packet);
  auto& message = messages_[id];
  message.arrives = std::max(message.arrives, arrives);
  TOROID_ASSERT_HEAVY(message.packets > 0);
  if (--message.packets == 0) end(id);
}

}  // namespace toroid::netsim::packet
