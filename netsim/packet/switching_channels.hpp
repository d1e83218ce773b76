#pragma once
// Channels of the fabric: packets come in, ask for their way on, and give room back when they leave. See
// switching.hpp.

#include <algorithm>
#include <bit>

#include "netsim/packet/switching.hpp"

namespace toroid::netsim::packet {

template <class K>
inline void Switching<K>::arrive(std::uint32_t packet, std::uint32_t id) {
  auto& channel = channels_[id];
  packets_[packet].next = nobody;
  const bool is_first = channel.head == nobody;
  if (is_first)
    channel.head = packet;
  else
    packets_[channel.tail].next = packet;
  channel.tail = packet;
  if (is_first && channel.sending == 0) request(id, place(id));
}

template <class K>
inline std::uint32_t Switching<K>::take_head(Channel& channel) {
  const auto packet = channel.head;
  channel.head = packets_[packet].next;
  return packet;
}

/// The first packet of the channel asks for its way on, unless that would let its head leave before its tail has come.
template <class K>
inline void Switching<K>::request(std::uint32_t id, const Place& at) {
  auto& channel = channels_[id];
  while (channel.head != nobody) {
    auto& packet = packets_[channel.head];
    const auto want = routes_.next(packet, messages_[packet.message], at.router, at.channel);
    const auto& out = layout_.kind(at.router, want.port);
    const Tick until_tail = packet.tail - wheel_.now();
    if (!layout_.is_link(want.port) && !layout_.limits_ejection()) {
      send_credit(origin(at), packet, credit_delay(at, packet, out));
      add(std::max(Tick{0}, until_tail), Kind::delivered, take_head(channel));
      continue;
    }
    if (const Tick wait = until_tail - out.duration(packet.bytes); wait > 0) return add(wait, Kind::request, id);
    return request_output(channel, at, want);
  }
}

template <class K>
inline void Switching<K>::request_output(Channel& channel, const Place& at, const Want& want) {
  channel.port = want.port & 255U;
  channel.which = want.which & 7U;
  channel.is_full = charge(packets_[channel.head]) == options_.packet_bytes ? 1 : 0;
  const auto ordered = output_of(at.router, want.port);
  row(ordered, in_order + want.which)[word(at.channel)] |= bit(at.channel);
  change(ordered);
  if constexpr (K::binds) return;
  wanted_[channel_of(at.router, at.channel)] = static_cast<std::uint16_t>(want.adaptive);
  for (auto ports = want.adaptive; ports != 0; ports &= ports - 1) {
    const auto any = output_of(at.router, static_cast<Layout::Port>(std::countr_zero(ports)));
    row(any, any_way)[word(at.channel)] |= bit(at.channel);
    change(any);
  }
}

/// What is not bound asks no more.
template <class K>
inline void Switching<K>::withdraw(const Channel& channel, const Place& at) {
  row(output_of(at.router, channel.port), in_order + channel.which)[word(at.channel)] &= ~bit(at.channel);
  if constexpr (K::binds) return;
  for (std::uint32_t ports = wanted_[channel_of(at.router, at.channel)]; ports != 0; ports &= ports - 1) {
    const auto any = output_of(at.router, static_cast<Layout::Port>(std::countr_zero(ports)));
    row(any, any_way)[word(at.channel)] &= ~bit(at.channel);
  }
}

template <class K>
inline void Switching<K>::give_credit(const Origin& to, std::int32_t bytes) {
  auto& output = outputs_[to.output];
  auto& beyond = far_ends_[output.beyond + to.channel];
  beyond.room += bytes;
  if (output.is_link == 0) {
    const auto from = node(output);
    sources_[from.index()].room += bytes;
    return change_source(from);
  }
  if constexpr (K::binds)
    see_bound(beyond, output, to.channel);
  else
    change(to.output);
}

/// There is more room at the other end, on the channel of that number: a packet that is bound to it may be ready now.
template <class K>
inline void Switching<K>::see_bound(const FarEnd& beyond, Output& output, std::uint32_t channel) {
  if ((output.free & bit(channel)) != 0) return;
  const auto input = beyond.turn - 1U;
  const auto& sender = channels_[channel_of(output.router, input)];
  if (sender.is_bound == 0 || !fits(sender, beyond.room)) return;
  row(number(output), ready)[word(input)] |= bit(input);
  change(number(output));
}

/// How long the credit takes of a packet that begins to leave its channel by a link of that kind: not before it has
/// left may one that comes faster than it goes have come completely.
template <class K>
inline Tick Switching<K>::credit_delay(const Place& at, const Packet& packet, const LinkKind& out) const {
  const auto port = layout_.port_of_channel(at.channel);
  const auto& in = layout_.is_link(port) ? layout_.kind(layout_.before(at.router, port), port) : layout_.injection();
  if (&in == &out) return in.latency;
  return in.latency + std::max(Tick{0}, out.duration(packet.bytes) - in.duration(packet.bytes));
}

template <class K>
inline void Switching<K>::send_credit(const Origin& to, const Packet& packet, Tick delay) {
  add(delay, Kind::credit, to.output, static_cast<std::uint32_t>(charge(packet)), 0, to.channel);
}

}  // namespace toroid::netsim::packet
