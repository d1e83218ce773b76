#pragma once
// Channels of the fabric: packets come in, ask for their way on, and give room back when they leave. A part of
// fabric.cpp.

#include <algorithm>
#include <bit>

#include "netsim/packet/fabric.hpp"

namespace toroid::netsim::packet {

inline void Fabric::arrive(std::uint32_t packet, std::uint32_t id) {
  auto& channel = channels_[id];
  packets_[packet].next = nobody;
  const bool first = channel.head == nobody;
  if (first)
    channel.head = packet;
  else
    packets_[channel.tail].next = packet;
  channel.tail = packet;
  if (first && channel.sending == 0) request(id, place(id));
}

inline std::uint32_t Fabric::take_head(Channel& channel) {
  const auto packet = channel.head;
  channel.head = packets_[packet].next;
  return packet;
}

/// The first packet of the channel asks for its way on, unless that would let its head leave before its tail has come.
inline void Fabric::request(std::uint32_t id, const Place& at) {
  auto& channel = channels_[id];
  while (channel.head != nobody) {
    auto& packet = packets_[channel.head];
    const auto want = routes_.next(packet, messages_[packet.message], at.router, at.channel);
    const auto& out = layout_.kind(outputs_[output_of(at.router, want.port)].kind);
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

inline void Fabric::request_output(Channel& channel, const Place& at, const Want& want) {
  channel.port = static_cast<std::uint8_t>(want.port);
  channel.which = want.which & 7U;
  channel.wanted = static_cast<std::uint16_t>(want.adaptive);
  const auto ordered = output_of(at.router, want.port);
  row(ordered, in_order + want.which)[at.channel / 64] |= bit(at.channel);
  change(ordered);
  for (auto ports = want.adaptive; ports != 0; ports &= ports - 1) {
    const auto any = output_of(at.router, static_cast<Layout::Port>(std::countr_zero(ports)));
    row(any, any_way)[at.channel / 64] |= bit(at.channel);
    change(any);
  }
}

inline void Fabric::withdraw(const Channel& channel, const Place& at) {
  const auto first_output = output_of(at.router, 0), ordered = first_output + channel.port;
  if (channel.is_bound != 0) {
    row(ordered, ready)[at.channel / 64] &= ~bit(at.channel);
    return;
  }
  row(ordered, in_order + channel.which)[at.channel / 64] &= ~bit(at.channel);
  for (std::uint32_t ports = channel.wanted; ports != 0; ports &= ports - 1)
    row(first_output + static_cast<std::uint32_t>(std::countr_zero(ports)), any_way)[at.channel / 64] &=
        ~bit(at.channel);
}

inline void Fabric::give_credit(const Origin& to, std::int32_t bytes) {
  auto& output = outputs_[to.output];
  auto& beyond = far_ends_[output.beyond + to.channel];
  beyond.room += bytes;
  if (!output.is_link) {
    const auto from = node(output);
    sources_[from.index()].room += bytes;
    return change_source(from);
  }
  if (binds_)
    see_bound(beyond, output, to.channel);
  else
    change(to.output);
}

/// There is more room at the other end, on the channel of that number: a packet that is bound to it may be ready now.
inline void Fabric::see_bound(const FarEnd& beyond, Output& output, std::uint32_t channel) {
  if ((output.free & bit(channel)) != 0) return;
  const auto input = beyond.turn - 1U;
  const auto& sender = channels_[channel_of(output.router, input)];
  if (sender.is_bound == 0 || !fits(sender.head, beyond.room)) return;
  row(number(output), ready)[input / 64] |= bit(input);
  change(number(output));
}

/// How long the credit takes of a packet that begins to leave its channel by a link of that kind: not before it has
/// left may one that comes faster than it goes have come completely.
inline Tick Fabric::credit_delay(const Place& at, const Packet& packet, const LinkKind& out) const {
  const auto port = layout_.port_of_channel(at.channel);
  const auto& in = layout_.is_link(port) ? layout_.kind(layout_.before(at.router, port), port) : layout_.injection();
  if (&in == &out) return in.latency;
  return in.latency + std::max(Tick{0}, out.duration(packet.bytes) - in.duration(packet.bytes));
}

inline void Fabric::send_credit(const Origin& to, const Packet& packet, Tick delay) {
  add(delay, Kind::credit, to.output, static_cast<std::uint32_t>(charge(packet)), 0, to.channel);
}

}  // namespace toroid::netsim::packet
