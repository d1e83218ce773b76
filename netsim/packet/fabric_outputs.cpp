// Outputs of the routers: which packet goes next, and on which channel.

#include <algorithm>
#include <array>
#include <limits>

#include "netsim/packet/fabric.hpp"

namespace toroid::netsim::packet {
namespace {

/// The channels of a set, as bits.
std::uint64_t set_bits(ChannelSet set) {
  return set.count == 0 ? 0 : (~std::uint64_t{0} >> (64U - set.count)) << set.first;
}

}  // namespace

/// Gives the link to packets as long as there are some that it has time and room for.
void Fabric::arbitrate(const OutputPlace& at) {
  auto& o = outputs_[at.number];
  o.changed = false;
  const bool binds = binds_ && layout_.is_link(at.port);
  if (binds && o.unbound > 0) bind(at);
  while (o.idle > 0 && (binds ? serve_bound(at) : serve_one(at))) {
  }
}

/// Gives each free channel of the link to a packet, whether it has room for it yet or not. Each channel takes them in
/// turn for itself.
void Fabric::bind(const OutputPlace& at) {
  auto& o = outputs_[at.number];
  for (unsigned which = 0; which < layout_.classes(); ++which) {
    auto* waiting = row(at.number, in_order + which);
    if (!any(waiting)) continue;
    const auto first = channel_of(layout_.beyond(at.router, at.port), layout_.first_channel(at.port));
    for (auto free = o.free & set_bits(layout_.ordered(at.port, which)); free != 0 && any(waiting); free &= free - 1) {
      const auto to = static_cast<std::uint32_t>(std::countr_zero(free));
      auto& beyond = far_ends_[first + to];
      const auto input = choose(waiting, beyond.turn, at.router);
      waiting[input / 64] &= ~bit(input);
      --o.unbound;
      o.free &= ~bit(to);
      beyond.turn = static_cast<std::uint16_t>(input + 1);
      auto& channel = channels_[channel_of(at.router, input)];
      channel.bound = static_cast<std::uint8_t>(to);
      channel.is_bound = 1;
      if (fits(channel.head, beyond.room)) row(at.number, ready)[input / 64] |= bit(input);
    }
  }
}

bool Fabric::serve_bound(const OutputPlace& at) {
  const auto input = choose(row(at.number, ready), outputs_[at.number].turn, at.router);
  if (input == nobody) return false;
  outputs_[at.number].turn = static_cast<std::uint16_t>(input + 1);
  const auto to = channels_[channel_of(at.router, input)].bound;
  transmit(at, input, channel_of(layout_.beyond(at.router, at.port), layout_.first_channel(at.port) + to));
  return true;
}

/// There is more room at the other end, on the channel of that number: a packet that is bound to it may be ready now.
void Fabric::see_bound(const FarEnd& beyond, const OutputPlace& at, std::uint32_t number) {
  if ((outputs_[at.number].free & bit(number)) != 0) return;
  const auto input = beyond.turn - 1U;
  const auto& sender = channels_[channel_of(at.router, input)];
  if (sender.is_bound == 0 || !fits(sender.head, beyond.room)) return;
  row(at.number, ready)[input / 64] |= bit(input);
  change(at);
}

bool Fabric::serve_one(const OutputPlace& at) {
  std::array<Choice, most_rows> choices;
  std::fill(candidates_.begin(), candidates_.end(), 0);
  for (unsigned which = 0; which < rows_; ++which) {
    const auto* waiting = row(at.number, which);
    if (!any(waiting)) continue;
    choices[which] =
        layout_.is_link(at.port) ? room_beyond(at, which) : Choice{std::numeric_limits<std::int32_t>::max(), 0};
    if (choices[which].room < 0) continue;
    for (std::size_t w = 0; w < words_; ++w) candidates_[w] |= waiting[w];
  }
  const auto turn = outputs_[at.number].turn;
  for (auto input = choose(candidates_.data(), turn, at.router); input != nobody;
       input = choose(candidates_.data(), turn, at.router)) {
    candidates_[input / 64] &= ~bit(input);
    const auto head = channels_[channel_of(at.router, input)].head;
    for (unsigned which = 0; which < rows_; ++which) {
      if ((row(at.number, which)[input / 64] & bit(input)) == 0 || !fits(head, choices[which].room)) continue;
      outputs_[at.number].turn = static_cast<std::uint16_t>(input + 1);
      if (layout_.is_link(at.port))
        transmit(at, input, choices[which].channel);
      else
        eject(at, input);
      return true;
    }
  }
  return false;
}

/// The channel at the other end of a link for those of a row.
Fabric::Choice Fabric::room_beyond(const OutputPlace& at, unsigned which) const {
  const auto next = layout_.beyond(at.router, at.port);
  const auto turn = outputs_[at.number].channel_turn;
  if (which == any_way) return roomiest(next, at.port, layout_.adaptive(at.port), turn);
  const auto set = layout_.ordered(at.port, which - in_order);
  if (routes_.needs_bubble(at.port, which - in_order)) {
    std::int32_t packets = 0;
    const auto first = channel_of(next, layout_.first_channel(at.port) + set.first);
    for (auto id = first; id < first + set.count; ++id) packets += far_ends_[id].room / options_.packet_bytes;
    if (packets < 2) return {};
  }
  return roomiest(next, at.port, set, turn);
}

/// The channel of a set that has the most room; of several, the first from `turn` on.
Fabric::Choice Fabric::roomiest(std::uint32_t router, Layout::Port port, ChannelSet set, std::uint32_t turn) const {
  Choice best;
  if (set.count == 0) return best;
  const auto first = channel_of(router, layout_.first_channel(port) + set.first);
  auto at = set.count == 1 ? 0 : turn % set.count;
  for (std::uint32_t i = 0; i < set.count && best.room < options_.buffer_bytes; ++i) {
    if (far_ends_[first + at].room > best.room) best = {far_ends_[first + at].room, first + at};
    if (++at == set.count) at = 0;
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

void Fabric::transmit(const OutputPlace& at, std::uint32_t input, std::uint32_t to) {
  const Place from{at.router, input};
  const auto id = channel_of(at.router, input);
  auto& channel = channels_[id];
  withdraw(channel, from);
  const auto& kind = layout_.kind(at.router, at.port);
  const auto number = take_head(channel);
  auto& packet = packets_[number];
  const Tick duration = kind.duration(packet.bytes);
  far_ends_[to].room -= charge(packet);
  packet.tail = wheel_.now() + kind.latency + duration;
  channel.sending = 1;
  channel.is_bound = 0;
  auto& o = outputs_[at.number];
  --o.idle;
  if (!binds_) o.channel_turn = static_cast<std::uint8_t>((o.channel_turn + 1) % 64);
  book_begin(layout_.link(at.router, at.port));
  const bool rides = send_credit(from, packet, kind, kind.latency);
  add(kind.latency, Kind::arrival, number, to, rides ? id : nobody);
  add(duration, Kind::transferred, at.number, id, bytes_and_last(packet));
  routes_.leave(packet, at.router, at.port);
}

void Fabric::eject(const OutputPlace& at, std::uint32_t input) {
  const Place from{at.router, input};
  const auto id = channel_of(at.router, input);
  auto& channel = channels_[id];
  withdraw(channel, from);
  const auto number = take_head(channel);
  const auto& kind = layout_.kind(at.router, at.port);
  channel.sending = 1;
  --outputs_[at.number].idle;
  book_begin(ejection_link(layout_.node(at.router, at.port)));
  send_credit(from, packets_[number], kind, -1);
  add(kind.duration(packets_[number].bytes), Kind::ejected, at.number, id, number);
}

void Fabric::transferred(const OutputPlace& at, std::uint32_t id) {
  auto& o = outputs_[at.number];
  ++o.idle;
  change(at);
  auto& channel = channels_[id];
  channel.sending = 0;
  o.free |= bit(channel.bound);
  if (channel.head != nobody) request(id);
}

}  // namespace toroid::netsim::packet
