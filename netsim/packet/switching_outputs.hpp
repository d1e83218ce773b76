#pragma once
// Outputs of the routers: which packet goes next, and on which channel. See switching.hpp.
//
// An example: packets of 1 KiB in dimension order on a ring, so that packets are bound to channels (K::binds). A link
// carries one packet at a time, and has a channel 0 for packets of class 0, with room for 4 KiB behind the link. The
// packets at the heads of the input channels 2 and 5 of a router both want the link +x, in class 0:
//   1. Each has set its bit in the row `in_order` + 0 of that output, and change() has put the output on the list of
//      those to look at. When all events of the tick have happened, arbitrate() looks at it.
//   2. bind() finds that channel 0 is free. The turn of its far end is at 3, so choose() takes input 5, and the turn
//      goes to 6. The packet takes its room: 3 KiB are left. Bit 5 goes to the row `ready`, and channel 0 is bound.
//      Input 2 stays in its row: it waits for a free channel, not for room.
//   3. serve_bound() takes input 5 from `ready`. transmit() lets the packet leave its channel (begin_to_leave(): the
//      output is no longer idle) and hands it on: the packet's head comes to the next router after the latency of the
//      link, and the credit for the room that the packet leaves goes back to the router before.
//   4. After the duration of 1 KiB the event `transferred` comes: channel 0 is free, the output is idle, and change()
//      has it looked at again. Now bind() takes input 2, whose turn has come.
// Where channel 0 has no room, bind() takes a packet all the same (`needs_room` is false): the room falls below 0, and
// the packet gets its bit in `ready` only when credits have made good for that (give_credit()). Without binding,
// serve_one() chooses input and channel in one go, when the packet can leave.

#include "netsim/packet/switching.hpp"

namespace toroid::netsim::packet {

template <class K>
inline void Switching<K>::change(Output& output) {
  if (output.changed != 0) return;
  output.changed = 1;
  if (output.is_link != 0)  // arbitrate() will look at them
    __builtin_prefetch(&far_ends_[far_ends_of(number(output))], 1);
  changed_outputs_.add(&output);
}

/// Gives the link to packets as long as there are some that it has time and room for.
template <class K>
inline void Switching<K>::arbitrate(Output& output) {
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

/// Gives free channels of the link to packets: those that have room for them, or, if none has any, one for whose room
/// the packet waits. Each channel takes packets of all inputs in turn for itself. Channels without room come in turn,
/// too, so that a stream of packets waits for the credit that has been on its way for longest.
template <class K>
inline void Switching<K>::bind(Output& output) {
  for (unsigned which = 0; in_order + which < rows(); ++which) {
    auto* waiting = row(output, in_order + which);
    if (!any(waiting)) continue;  // nearly always one of two
    const auto& channels = layout_.ordered(output.port, which).bits;
    bind(output, waiting, output.free & channels, true);
    if (!any(waiting) || has_room(output, channels)) continue;
    const auto later = ~std::uint64_t{0} << output.channel_turn;
    bind(output, waiting, output.free & channels & later, false);
    bind(output, waiting, output.free & channels & ~later, false);
  }
}

/// Whether any of these channels, bound ones too, has room for one more packet.
template <class K>
inline bool Switching<K>::has_room(const Output& output, std::uint64_t channels) const {
  const auto* ends = &far_ends_[far_ends_of(number(output))];
  for (; channels != 0; channels &= channels - 1)
    if (ends[std::countr_zero(channels)].room >= options_.packet_bytes) return true;
  return false;
}

template <class K>
inline void Switching<K>::bind(Output& output, std::uint64_t* waiting, std::uint64_t free, bool needs_room) {
  const auto here = router(output);
  for (; free != 0 && any(waiting); free &= free - 1) {
    const auto to = static_cast<std::uint32_t>(std::countr_zero(free));
    auto& beyond = far_end(number(output), to);
    const auto input = choose(waiting, beyond.turn, here);
    auto& channel = channels_[channel_of(here, input)];
    if (needs_room && !fits(channel, beyond.room)) continue;
    waiting[word(input)] &= ~bit(input);
    output.free &= ~bit(to);
    output.channel_turn = (to + 1) & 63U;
    beyond.turn = static_cast<std::uint16_t>(input + 1);
    channel.bound = to & 255U;
    channel.wants = output.draws++;
    TOROID_ASSERT_HEAVY(beyond.room >= 0);  // no other packet is bound to it
    beyond.room -= charge(bytes(channel));
    if (beyond.room >= 0) row(output, ready)[word(input)] |= bit(input);
  }
}

/// Sends the packet that was bound first, or is the oldest. Packets of one length that share a link flit by flit end in
/// the order in which they began.
template <class K>
inline bool Switching<K>::serve_bound(Output& output) {
  const auto here = router(output);
  auto* bound = row(output, ready);
  const auto* those = able(bound, here);
  const auto bound_for = [&](const Channel& c) { return (output.draws - c.wants) & 0xffffU; };
  const auto input = options_.arbitration == Arbitration::age ? oldest(those, here) : oldest(those, here, bound_for);
  if (input == nobody) return false;
  bound[word(input)] &= ~bit(input);
  transmit(output, input, channels_[channel_of(here, input)].bound);
  return true;
}

template <class K>
inline bool Switching<K>::serve_one(Output& output) {
  const auto here = router(output);
  std::array<Choice, most_rows> choices;
  std::fill(candidates_.begin(), candidates_.end(), 0);
  for (unsigned which = 0; which < rows(); ++which) {
    const auto* waiting = row(output, which);
    if (!any(waiting)) continue;
    choices[which] =
        output.is_link != 0 ? room_beyond(output, which) : Choice{std::numeric_limits<std::int32_t>::max(), 0};
    if (choices[which].room < 0) continue;
    for (std::size_t w = 0; w < words(); ++w) candidates_[w] |= waiting[w];
  }
  able(candidates_.data(), here);
  for (auto input = choose(candidates_.data(), output.turn, here); input != nobody;
       input = choose(candidates_.data(), output.turn, here)) {
    candidates_[word(input)] &= ~bit(input);
    const auto& channel = channels_[channel_of(here, input)];
    for (unsigned which = 0; which < rows(); ++which) {
      if ((row(output, which)[word(input)] & bit(input)) == 0 || !fits(channel, choices[which].room)) continue;
      output.turn = static_cast<std::uint16_t>(input + 1);
      withdraw(output, channel, {here, input});
      if (output.is_link != 0)
        transmit(output, input, choices[which].channel);
      else
        eject(output, input);
      return true;
    }
  }
  return false;
}

/// The channel at the other end of a link for packets of a row, and its room.
template <class K>
inline Part::Choice Switching<K>::room_beyond(const Output& output, unsigned which) const {
  const auto& set = which == any_way ? layout_.adaptive(output.port) : layout_.ordered(output.port, which - in_order);
  if (which != any_way && routes_.needs_bubble(output.port, which - in_order)) {
    const auto* ends = &far_ends_[far_ends_of(number(output)) + set.first];
    std::int32_t packets = 0;
    for (std::uint32_t i = 0; i < set.count; ++i) packets += ends[i].room / options_.packet_bytes;
    if (packets < 2) return {};
  }
  return roomiest(output, set, output.channel_turn);
}

/// The channel of a set that has the most room, and its room; of several, the first from `turn` on.
template <class K>
inline Part::Choice Switching<K>::roomiest(const Output& output, const ChannelSet& set, std::uint32_t turn) const {
  Choice best;
  const auto free = output.free & set.bits;
  if (free == 0) return best;
  const auto* ends = &far_ends_[far_ends_of(number(output))];
  const auto later = ~std::uint64_t{0} << (set.first + turn % set.count);
  for (auto channels : {free & later, free & ~later})
    for (; channels != 0; channels &= channels - 1) {
      const auto channel = static_cast<std::uint32_t>(std::countr_zero(channels));
      if (ends[channel].room > best.room) best = {ends[channel].room, channel};
      if (best.room >= options_.buffer_bytes) return best;
    }
  return best;
}

/// Sends the first packet of a channel over the link to a channel at its other end.
template <class K>
inline void Switching<K>::transmit(Output& output, std::uint32_t input, std::uint32_t to) {
  const Place from{router(output), input};
  const auto id = channel_of(from.router, input);
  auto& channel = channels_[id];
  const auto& kind = layout_.kind(output.kind);
  const auto size = bytes(channel);
  const Origin beyond{number(output), static_cast<std::uint16_t>(to)};
  if constexpr (!K::binds) {
    take_room(output, to, charge(size));
    output.channel_turn = (output.channel_turn + 1U) & 63U;
  }
  const auto head = begin_to_leave(output, channel, from);
  if (channel.exits != 0 && has_channel(output.beyond) && is_alone(far_end(beyond), output.beyond + to, size))
    exit(from, beyond, head, size, kind);
  else
    hand_on(from, output.beyond + to, head, size, kind);
  add(kind.duration(size), Kind::transferred, number(output), id);
}

/// Whether a packet that has begun to go to a channel will find nobody there.
template <class K>
inline bool Switching<K>::is_alone(const FarEnd& beyond, std::uint32_t channel, std::uint32_t bytes) const {
  return beyond.room + charge(bytes) == options_.buffer_bytes && channels_[channel].sending == 0;
}

/// Hands a packet on to the router beyond the link.
template <class K>
inline void Switching<K>::hand_on(const Place& from, std::uint32_t to, std::uint32_t packet, std::uint32_t bytes,
                                  const LinkKind& kind) {
  const auto credit = origin(from);
  const Tick delay = credit_delay(kind_in(from), bytes, kind);
  const bool stays = has_channel(to);
  if (stays && delay == kind.latency && has_output(credit.output))  // it rides along
    return add(kind.latency, Kind::arrival, packet, to, credit.output, credit.channel);
  send_credit(credit, bytes, delay);
  if (!stays) return post_packet(packet, to, kind.latency);
  add(kind.latency, Kind::arrival, packet, to, nobody);
}

/// Lets a packet go through the router beyond the link to its node. Nothing is in its way there, so when it arrives is
/// known now.
template <class K>
inline void Switching<K>::exit(const Place& from, const Origin& beyond, std::uint32_t packet, std::uint32_t bytes,
                               const LinkKind& kind) {
  leave_room(from, packets_[packet].came, bytes, kind);
  return_room(beyond, kind, wheel_.now(), bytes, kind.latency + credit_delay(kind, bytes, kind));
  deliver(packet, wheel_.now() + kind.latency + kind.duration(bytes));
}

template <class K>
inline void Switching<K>::eject(Output& output, std::uint32_t input) {
  const Place from{router(output), input};
  const auto id = channel_of(from.router, input);
  auto& channel = channels_[id];
  const auto& kind = layout_.kind(output.kind);
  const auto size = bytes(channel);
  const auto head = begin_to_leave(output, channel, from);
  send_credit(origin(from), size, credit_delay(kind_in(from), size, kind));
  add(kind.duration(size), Kind::ejected, number(output), id, head);
}

/// Lets the first packet of a channel begin to leave it. Returns the packet.
template <class K>
inline std::uint32_t Switching<K>::begin_to_leave(Output& output, Channel& channel, const Place& from) {
  channel.sending = 1;
  if constexpr (K::limits_leaving) take_crossbar(from);
  output.begin_packet(layout_.kind(output.kind).lanes, wheel_.now());
  return take_head(channel);
}

template <class K>
inline void Switching<K>::transferred(Output& output, std::uint32_t id) {
  if constexpr (K::binds) output.free |= bit(channels_[id].bound);
  end_to_leave(output, id);
}

template <class K>
inline void Switching<K>::ejected(Output& output, std::uint32_t id, std::uint32_t packet) {
  deliver(packet, wheel_.now());
  end_to_leave(output, id);
}

/// Ends the transfer of a packet: all of it has left its channel.
template <class K>
inline void Switching<K>::end_to_leave(Output& output, std::uint32_t id) {
  auto& channel = channels_[id];
  const auto& kind = layout_.kind(output.kind);
  book_windows(number(output), bytes(channel), kind);
  output.end_packet(bytes(channel), kind.lanes, wheel_.now());
  ++hops_;
  if ((channel.bytes_and_last & last_bit) != 0) ++flows_[number(output)];
  if constexpr (K::limits_leaving) give_crossbar(output, place(id));
  change(output);
  channel.sending = 0;
  if (channel.head != nobody) request(id, place(id));
}

/// A channel has left for an output: one more of its input may leave now. Outputs that have waited for that look again
/// in turn, those after this one first.
template <class K>
inline void Switching<K>::give_crossbar(const Output& output, const Place& from) {
  const auto port = layout_.port_of_channel(from.channel);
  if (may_leave_[output_of(from.router, port)]++ > 0) return;
  set_open(from.router, port, true);
  for (Layout::Port i = 1; i < layout_.ports(); ++i) {
    auto& other = outputs_[output_of(from.router, (output.port + i) % layout_.ports())];
    bool waits = false;
    for (unsigned which = 0; which < rows(); ++which) waits = waits || any_of_port(row(other, which), port);
    if (waits) change(other);
  }
}

}  // namespace toroid::netsim::packet
