#pragma once
// Channels of the fabric: packets come in, ask for their way on, and give room back when they leave. See
// switching.hpp.

#include "netsim/packet/switching.hpp"

namespace toroid::netsim::packet {

/// Takes over what other parts have sent here.
template <class K>
inline void Switching<K>::take_letters() {
  post_.take(number_, [&](const Letter& letter) {
    auto event = letter.event;
    if (event.kind == static_cast<std::uint16_t>(Kind::arrival)) event.a = packets_.add(letter.packet);
    wheel_.add(letter.at, event.kind, event.a, event.b, event.c, event.small);
  });
}

/// Lets the head of a packet come in by a link.
template <class K>
inline void Switching<K>::arrive(std::uint32_t number, std::uint32_t id) {
  const auto at = place(id);
  auto& packet = packets_[number];
  packet.came = wheel_.now();
  routes_.come(packet, messages_[packet.message], at.router, at.channel);
  line_up(number, id, at);
}

/// Puts a packet behind the others of its channel.
template <class K>
inline void Switching<K>::line_up(std::uint32_t packet, std::uint32_t id, const Place& at) {
  auto& channel = channels_[id];
  const bool is_first = channel.head == nobody;
  if (is_first)
    channel.head = packet;
  else
    packets_[channel.tail].next = packet;
  channel.tail = packet;
  if (is_first && channel.sending == 0) request(id, at);
}

template <class K>
inline std::uint32_t Switching<K>::take_head(Channel& channel) {
  const auto packet = channel.head;
  channel.head = packet == channel.tail ? nobody : packets_[packet].next;
  return packet;
}

/// The first packet of the channel asks for its way on, unless that would let its head leave before its tail has come.
template <class K>
inline void Switching<K>::request(std::uint32_t id, const Place& at) {
  auto& channel = channels_[id];
  while (channel.head != nobody) {
    auto& packet = packets_[channel.head];
    const auto want = routes_.next(packet, messages_[packet.message], at.router, at.channel);
    const auto& in = layout_.kind_in(at.router, layout_.port_of_channel(at.channel));
    const auto& out = layout_.kind(at.router, want.port);
    const auto until_tail = [&] { return packet.came + in.duration(packet.bytes) - wheel_.now(); };
    if (!layout_.is_link(want.port) && !layout_.limits_ejection()) {
      leave_room(at, packet.came, packet.bytes, out);
      deliver(take_head(channel), packet.came + in.duration(packet.bytes));
      continue;
    }
    if (&in != &out)
      if (const Tick wait = until_tail() - out.duration(packet.bytes); wait > 0) return add(wait, Kind::request, id);
    return request_output(channel, at, want);
  }
}

/// A number that looks drawn from two others (Knuth's multiplicative hashing).
inline std::uint32_t drawn(std::uint32_t router, std::uint32_t age) {
  constexpr std::uint32_t golden = 2654435769;
  return ((router * golden ^ age) * golden) >> 16U;
}

inline Layout::Port first_of(std::uint32_t ports) {
  return static_cast<Layout::Port>(std::countr_zero(ports));
}

template <class K>
inline void Switching<K>::request_output(Channel& channel, const Place& at, const Want& want) {
  channel.bytes_and_last = bytes_and_last(packets_[channel.head]);
  channel.exits = want.exits && !layout_.limits_ejection() ? 1 : 0;
  auto& ordered = outputs_[output_of(at.router, want.port)];
  row(ordered, in_order + want.which)[word(at.channel)] |= bit(at.channel);
  if constexpr (K::binds) return change(ordered);
  channel.wants = (want.port | want.which << 8U) & 0xffffU;
  wanted_[channel_of(at.router, at.channel)] = static_cast<std::uint16_t>(want.adaptive);
  for (auto ports = want.adaptive; ports != 0; ports &= ports - 1)
    row(outputs_[output_of(at.router, first_of(ports))], any_way)[word(at.channel)] |= bit(at.channel);
  // A packet goes by the idle link that looks first. The links come first in turn, so that no dimension is preferred,
  // from a start that looks drawn, so that routers do not turn in step.
  const auto links = static_cast<std::uint32_t>(std::popcount(want.adaptive));
  std::uint32_t first = 0;
  if (links > 1) {
    first = (drawn(at.router, births_ - packets_[channel.head].birth) + ordered.draws) % links;
    ordered.draws = static_cast<std::uint16_t>((ordered.draws + 1U) % draws_in_all);
  }
  auto later = want.adaptive;
  while (first-- > 0) later &= later - 1;
  for (auto half : {later, want.adaptive & ~later})
    for (auto ports = half; ports != 0; ports &= ports - 1) change(outputs_[output_of(at.router, first_of(ports))]);
  change(ordered);
}

/// Ends the requests of a packet that was not bound, at the output that takes it and at all others.
template <class K>
inline void Switching<K>::withdraw(Output& output, const Channel& channel, const Place& at) {
  const auto withdraw_from = [&](Output& asked, unsigned which) {
    row(asked, which)[word(at.channel)] &= ~bit(at.channel);
  };
  if constexpr (K::binds) return withdraw_from(output, in_order);
  withdraw_from(outputs_[output_of(at.router, channel.wants & 255U)], in_order + (channel.wants >> 8U));
  for (std::uint32_t ports = wanted_[channel_of(at.router, at.channel)]; ports != 0; ports &= ports - 1)
    withdraw_from(outputs_[output_of(at.router, static_cast<Layout::Port>(std::countr_zero(ports)))], any_way);
}

/// Gives room back to a channel; a packet that is bound to it may be ready then.
template <class K>
inline void Switching<K>::give_credit(const Origin& to, std::int32_t bytes) {
  auto& beyond = far_end(to);
  auto& output = outputs_[to.output];
  if (beyond.is_from_node != 0) {
    give_room(output, to.channel, bytes);
    const auto from = node(output);
    sources_[from.index()].room += bytes;
    return change_source(from);
  }
  if constexpr (K::binds) {
    const bool had_to_wait = beyond.room < 0;
    give_room(beyond, bytes);
    if ((output.free & bit(to.channel)) != 0) {  // packets may wait for room in any channel
      for (unsigned which = in_order; which < rows(); ++which)
        if (any(row(output, which))) return change(output);
      return;
    }
    if (!had_to_wait || beyond.room < 0) return;
    const auto input = beyond.turn - 1U;
    row(output, ready)[word(input)] |= bit(input);
  } else {
    give_room(output, to.channel, bytes);
  }
  change(output);
}

/// The ticks that the credit of a packet takes that came by a link of kind `in` and begins to leave by one of kind
/// `out`. Bound packets come in flit by flit, as this one leaves: by its credit none must have come completely before
/// this one has left. Others need room for all of them, which is there when the tail of this one has left; but a node
/// sends into its router flit by flit.
template <class K>
inline Tick Switching<K>::credit_delay(const LinkKind& in, std::uint32_t bytes, const LinkKind& out) const {
  if (!K::binds && &in != &layout_.injection()) return in.latency + out.duration(bytes);
  if (&in == &out) return in.latency;
  return in.latency + std::max(Tick{0}, out.duration(bytes) - in.duration(bytes));
}

/// Gives back the room of a packet whose head came in at tick `came`, and which begins to leave now.
template <class K>
inline void Switching<K>::leave_room(const Place& at, Tick came, std::uint32_t bytes, const LinkKind& out) {
  const auto port = layout_.port_of_channel(at.channel);
  const auto& in = layout_.kind_in(at.router, port);
  Tick delay = credit_delay(in, bytes, out);
  if (!K::binds && layout_.is_link(port))  // through a port without a limit its tail leaves as it comes
    delay = std::max(delay, came + in.duration(bytes) + in.latency - wheel_.now());
  if (layout_.is_link(port))
    return_room(origin(at), in, came - in.latency, bytes, delay);
  else
    send_credit(origin(at), bytes, delay);
}

/// Gives back, after `delay`, the room of a packet that a link began to carry at tick `began`. While the link carries
/// it, neither the link nor the channel is given to others; so room that is back by then can be given back at once.
template <class K>
inline void Switching<K>::return_room(const Origin& to, const LinkKind& kind, Tick began, std::uint32_t bytes,
                                      Tick delay) {
  const Tick now = wheel_.now(), carried = began + kind.duration(bytes);
  if (now >= carried || now + delay > carried || (!K::binds && kind.lanes > 1) || !has_output(to.output))
    return send_credit(to, bytes, delay);
  if constexpr (K::binds)
    give_room(far_end(to), charge(bytes));
  else
    give_room(outputs_[to.output], to.channel, charge(bytes));
}

template <class K>
inline void Switching<K>::send_credit(const Origin& to, std::uint32_t bytes, Tick delay) {
  if (!has_output(to.output)) return post_credit(to, charge(bytes), delay);
  add(delay, Kind::credit, to.output, static_cast<std::uint32_t>(charge(bytes)), 0, to.channel);
}

}  // namespace toroid::netsim::packet
