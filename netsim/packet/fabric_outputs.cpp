// Outputs of the routers: which packet goes next, and on which channel.

#include <algorithm>
#include <array>
#include <limits>

#include "netsim/packet/fabric.hpp"

namespace toroid::netsim::packet {
/// Gives the link to packets as long as there are some that it has time and room for.
void Fabric::arbitrate(std::uint32_t number) {
  auto& output = outputs_[number];
  output.changed = false;
  if (binds_ && output.is_link) {
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
void Fabric::bind(Output& output) {
  for (unsigned which = 0; which < layout_.classes(); ++which) {
    auto* waiting = row(number(output), in_order + which);
    for (auto free = output.free & layout_.ordered_bits(output.port, which); free != 0 && any(waiting);
         free &= free - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(free));
      auto& beyond = far_ends_[output.beyond + to];
      const auto input = choose(waiting, beyond.turn, output.router);
      waiting[input / 64] &= ~bit(input);
      output.free &= ~bit(to);
      beyond.turn = static_cast<std::uint16_t>(input + 1);
      auto& channel = channels_[channel_of(output.router, input)];
      channel.bound = static_cast<std::uint8_t>(to);
      channel.is_bound = 1;
      if (fits(channel.head, beyond.room)) row(number(output), ready)[input / 64] |= bit(input);
    }
  }
}

bool Fabric::serve_bound(Output& output) {
  const auto input = choose(row(number(output), ready), output.turn, output.router);
  if (input == nobody) return false;
  output.turn = static_cast<std::uint16_t>(input + 1);
  transmit(output, input, output.beyond + channels_[channel_of(output.router, input)].bound);
  return true;
}

/// There is more room at the other end, on the channel of that number: a packet that is bound to it may be ready now.
void Fabric::see_bound(const FarEnd& beyond, Output& output, std::uint32_t channel) {
  if ((output.free & bit(channel)) != 0) return;
  const auto input = beyond.turn - 1U;
  const auto& sender = channels_[channel_of(output.router, input)];
  if (sender.is_bound == 0 || !fits(sender.head, beyond.room)) return;
  row(number(output), ready)[input / 64] |= bit(input);
  change(number(output));
}

bool Fabric::serve_one(Output& output) {
  std::array<Choice, most_rows> choices;
  std::fill(candidates_.begin(), candidates_.end(), 0);
  for (unsigned which = 0; which < rows_; ++which) {
    const auto* waiting = row(number(output), which);
    if (!any(waiting)) continue;
    choices[which] =
        output.is_link ? room_beyond(output, which) : Choice{std::numeric_limits<std::int32_t>::max(), 0};
    if (choices[which].room < 0) continue;
    for (std::size_t w = 0; w < words_; ++w) candidates_[w] |= waiting[w];
  }
  for (auto input = choose(candidates_.data(), output.turn, output.router); input != nobody;
       input = choose(candidates_.data(), output.turn, output.router)) {
    candidates_[input / 64] &= ~bit(input);
    const auto head = channels_[channel_of(output.router, input)].head;
    for (unsigned which = 0; which < rows_; ++which) {
      if ((row(number(output), which)[input / 64] & bit(input)) == 0 || !fits(head, choices[which].room)) continue;
      output.turn = static_cast<std::uint16_t>(input + 1);
      if (output.is_link)
        transmit(output, input, choices[which].channel);
      else
        eject(output, input);
      return true;
    }
  }
  return false;
}

/// The channel at the other end of a link for those of a row.
Fabric::Choice Fabric::room_beyond(const Output& output, unsigned which) const {
  const auto set =
      which == any_way ? layout_.adaptive(output.port) : layout_.ordered(output.port, which - in_order);
  const auto first = output.beyond + set.first;
  if (which != any_way && routes_.needs_bubble(output.port, which - in_order)) {
    std::int32_t packets = 0;
    for (auto id = first; id < first + set.count; ++id) packets += far_ends_[id].room / options_.packet_bytes;
    if (packets < 2) return {};
  }
  return roomiest(first, set.count, output.channel_turn);
}

/// The channel of so many that has the most room; of several, the first from `turn` on.
Fabric::Choice Fabric::roomiest(std::uint32_t first, std::uint32_t count, std::uint32_t turn) const {
  Choice best;
  if (count == 0) return best;
  auto at = count == 1 ? 0 : turn % count;
  for (std::uint32_t i = 0; i < count && best.room < options_.buffer_bytes; ++i) {
    if (far_ends_[first + at].room > best.room) best = {far_ends_[first + at].room, first + at};
    if (++at == count) at = 0;
  }
  return best;
}

/// next_bit() of a row of several words.
std::uint32_t Fabric::next_bit(const std::uint64_t* row, std::uint32_t turn) const {
  const auto words = static_cast<std::uint32_t>(words_);
  const std::uint32_t start = turn / 64 < words ? turn / 64 : 0, low = turn / 64 < words ? turn % 64 : 0;
  auto bits = row[start] & (~std::uint64_t{0} << low);
  for (std::uint32_t i = 0, w = start; i <= words; ++i) {
    if (bits != 0) return 64 * w + static_cast<std::uint32_t>(std::countr_zero(bits));
    w = w + 1 < words ? w + 1 : 0;
    bits = row[w];
  }
  return nobody;
}

std::uint32_t Fabric::oldest(const std::uint64_t* row, std::uint32_t router) const {
  std::uint32_t found = nobody, birth = 0;
  for (std::uint32_t w = 0; w < words_; ++w)
    for (auto bits = row[w]; bits != 0; bits &= bits - 1) {
      const auto channel = 64 * w + static_cast<std::uint32_t>(std::countr_zero(bits));
      const auto other = packets_[channels_[channel_of(router, channel)].head].birth;
      // Births begin anew after 2^32 packets, of which far fewer are on their way.
      if (found != nobody && static_cast<std::int32_t>(other - birth) >= 0) continue;
      found = channel;
      birth = other;
    }
  return found;
}

void Fabric::transmit(Output& output, std::uint32_t input, std::uint32_t to) {
  const Place from{output.router, input};
  const auto id = channel_of(output.router, input);
  auto& channel = channels_[id];
  withdraw(channel, from);
  const auto& kind = layout_.kind(output.kind);
  const auto head = take_head(channel);
  auto& packet = packets_[head];
  const Tick duration = kind.duration(packet.bytes);
  far_ends_[to].room -= charge(packet);
  packet.tail = wheel_.now() + kind.latency + duration;
  channel.sending = 1;
  channel.is_bound = 0;
  --output.idle;
  output.carried.begin(wheel_.now());
  if (!binds_) output.channel_turn = (output.channel_turn + 1U) & 63U;
  if (send_credit(from, packet, kind, kind.latency)) {
    const auto credit = origin(from);
    add(kind.latency, Kind::arrival, head, to, credit.output, credit.channel);
  } else {
    add(kind.latency, Kind::arrival, head, to, nobody);
  }
  add(duration, Kind::transferred, number(output), id, bytes_and_last(packet));
  routes_.leave(packet, output.router, output.port);
}

void Fabric::eject(Output& output, std::uint32_t input) {
  const Place from{output.router, input};
  const auto id = channel_of(output.router, input);
  auto& channel = channels_[id];
  withdraw(channel, from);
  const auto head = take_head(channel);
  const auto& kind = layout_.kind(output.kind);
  channel.sending = 1;
  --output.idle;
  output.carried.begin(wheel_.now());
  send_credit(from, packets_[head], kind, -1);
  add(kind.duration(packets_[head].bytes), Kind::ejected, number(output), id, head);
}

void Fabric::transferred(Output& output, std::uint32_t id) {
  ++output.idle;
  change(number(output));
  auto& channel = channels_[id];
  channel.sending = 0;
  output.free |= bit(channel.bound);
  if (channel.head != nobody) request(id, {output.router, id - channel_of(output.router, 0)});
}

}  // namespace toroid::netsim::packet
