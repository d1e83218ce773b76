#pragma once
// Outputs of the routers: which packet goes next, and on which channel. See switching.hpp.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "netsim/packet/switching.hpp"

namespace toroid::netsim::packet {

template <class K>
inline void Switching<K>::change(std::uint32_t output) {
  if (outputs_[output].changed != 0) return;
  outputs_[output].changed = 1;
  changed_outputs_.add(output);
}

/// Gives the link to packets as long as there are some that it has time and room for.
template <class K>
inline void Switching<K>::arbitrate(std::uint32_t number) {
  auto& output = outputs_[number];
  output.changed = 0;
  if (K::binds && output.is_link != 0) {
    if (output.free != 0) bind(output);
    while (output.idle > 0 && serve_bound(output)) {
    }
  } else {
    while (output.idle > 0 && serve_one(output)) {
    }
  }
}

/// Gives each free channel of the link to a packet, whether it has room for it yet or not. Each channel takes them in
/// turn for itself.
template <class K>
inline void Switching<K>::bind(Output& output) {
  for (unsigned which = 0; which < layout_.classes(); ++which) {
    auto* waiting = row(number(output), in_order + which);
    for (auto free = output.free & layout_.ordered_bits(output.port, which); free != 0 && any(waiting);
         free &= free - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(free));
      auto& beyond = far_ends_[output.beyond + to];
      const auto input = choose(waiting, beyond.turn, output.router);
      waiting[word(input)] &= ~bit(input);
      output.free &= ~bit(to);
      beyond.turn = static_cast<std::uint16_t>(input + 1);
      auto& channel = channels_[channel_of(output.router, input)];
      channel.bound = to & 63U;
      channel.is_bound = 1;
      if (fits(channel, beyond.room)) row(number(output), ready)[word(input)] |= bit(input);
    }
  }
}

template <class K>
inline bool Switching<K>::serve_bound(Output& output) {
  auto* bound = row(number(output), ready);
  const auto input = choose(bound, output.turn, output.router);
  if (input == nobody) return false;
  bound[word(input)] &= ~bit(input);
  output.turn = static_cast<std::uint16_t>(input + 1);
  transmit(output, input, output.beyond + channels_[channel_of(output.router, input)].bound);
  return true;
}

template <class K>
inline bool Switching<K>::serve_one(Output& output) {
  std::array<Choice, most_rows> choices;
  std::fill(candidates_.begin(), candidates_.end(), 0);
  for (unsigned which = 0; which < rows_; ++which) {
    const auto* waiting = row(number(output), which);
    if (!any(waiting)) continue;
    choices[which] =
        output.is_link != 0 ? room_beyond(output, which) : Choice{std::numeric_limits<std::int32_t>::max(), 0};
    if (choices[which].room < 0) continue;
    for (std::size_t w = 0; w < words(); ++w) candidates_[w] |= waiting[w];
  }
  for (auto input = choose(candidates_.data(), output.turn, output.router); input != nobody;
       input = choose(candidates_.data(), output.turn, output.router)) {
    candidates_[word(input)] &= ~bit(input);
    const auto& channel = channels_[channel_of(output.router, input)];
    for (unsigned which = 0; which < rows_; ++which) {
      if ((row(number(output), which)[word(input)] & bit(input)) == 0 || !fits(channel, choices[which].room)) continue;
      output.turn = static_cast<std::uint16_t>(input + 1);
      withdraw(channel, {output.router, input});
      if (output.is_link != 0)
        transmit(output, input, choices[which].channel);
      else
        eject(output, input);
      return true;
    }
  }
  return false;
}

/// The channel at the other end of a link for those of a row.
template <class K>
inline Fabric::Choice Switching<K>::room_beyond(const Output& output, unsigned which) const {
  const auto set = which == any_way ? layout_.adaptive(output.port) : layout_.ordered(output.port, which - in_order);
  const auto first = output.beyond + set.first;
  if (which != any_way && routes_.needs_bubble(output.port, which - in_order)) {
    std::int32_t packets = 0;
    for (auto id = first; id < first + set.count; ++id) packets += far_ends_[id].room / options_.packet_bytes;
    if (packets < 2) return {};
  }
  return roomiest(first, set.count, output.channel_turn);
}

/// The channel of so many that has the most room; of several, the first from `turn` on.
template <class K>
inline Fabric::Choice Switching<K>::roomiest(std::uint32_t first, std::uint32_t count, std::uint32_t turn) const {
  Choice best;
  if (count == 0) return best;
  auto at = count == 1 ? 0 : turn % count;
  for (std::uint32_t i = 0; i < count && best.room < options_.buffer_bytes; ++i) {
    if (far_ends_[first + at].room > best.room) best = {far_ends_[first + at].room, first + at};
    if (++at == count) at = 0;
  }
  return best;
}

/// The first packet of a channel goes over the link to one of the channels at its other end.
template <class K>
inline void Switching<K>::transmit(Output& output, std::uint32_t input, std::uint32_t to) {
  const Place from{output.router, input};
  const auto id = channel_of(from.router, input);
  const auto& kind = layout_.kind(output.kind);
  const auto head = begin_to_leave(output, channels_[id]);
  auto& packet = packets_[head];
  const Tick duration = kind.duration(packet.bytes);
  far_ends_[to].room -= charge(packet);
  packet.tail = wheel_.now() + kind.latency + duration;
  if (!K::binds) output.channel_turn = (output.channel_turn + 1U) & 63U;
  const auto credit = origin(from);
  if (const Tick delay = credit_delay(from, packet, kind); delay == kind.latency) {  // it rides along
    add(kind.latency, Kind::arrival, head, to, credit.output, credit.channel);
  } else {
    send_credit(credit, packet, delay);
    add(kind.latency, Kind::arrival, head, to, nobody);
  }
  add(duration, Kind::transferred, number(output), id, bytes_and_last(packet));
  routes_.leave(packet, output.router, output.port);
}

template <class K>
inline void Switching<K>::eject(Output& output, std::uint32_t input) {
  const Place from{output.router, input};
  const auto id = channel_of(from.router, input);
  const auto& kind = layout_.kind(output.kind);
  const auto head = begin_to_leave(output, channels_[id]);
  const auto& packet = packets_[head];
  send_credit(origin(from), packet, credit_delay(from, packet, kind));
  add(kind.duration(packet.bytes), Kind::ejected, number(output), id, head);
}

/// Returns the packet.
template <class K>
inline std::uint32_t Switching<K>::begin_to_leave(Output& output, Channel& channel) {
  channel.sending = 1;
  channel.is_bound = 0;
  --output.idle;
  output.carried.begin(wheel_.now());
  return take_head(channel);
}

template <class K>
inline void Switching<K>::transferred(Output& output, std::uint32_t id, std::uint32_t bytes_and_last) {
  const auto bytes = bytes_and_last & ~last_bit;
  output.carried.end(bytes, (bytes_and_last & last_bit) != 0, wheel_.now());
  if (usage_.windows() > 0) book_windows(number(output), bytes, layout_.kind(output.kind).duration(bytes));
  ++output.idle;
  change(number(output));
  auto& channel = channels_[id];
  channel.sending = 0;
  output.free |= bit(channel.bound);
  if (channel.head != nobody) request(id, {output.router, id - channel_of(output.router, 0)});
}

template <class K>
inline void Switching<K>::ejected(Output& output, std::uint32_t id, std::uint32_t packet) {
  const auto carried = bytes_and_last(packets_[packet]);
  deliver(packet);
  transferred(output, id, carried);
}

}  // namespace toroid::netsim::packet
