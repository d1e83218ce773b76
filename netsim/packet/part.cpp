#include "netsim/packet/part.hpp"

namespace toroid::netsim::packet {

void News::take(News& other) {
  const auto move = [](auto& from, auto& to) {
    if (from.empty()) return;
    to.insert(to.end(), from.begin(), from.end());
    from.clear();
  };
  move(other.left, left);
  move(other.arrived, arrived);
  move(other.done, done);
  move(other.carried, carried);
}

Part::Part(State& state, Post& post, std::uint32_t number, std::uint32_t count)
    : state_(state),
      usage_(state.usage),
      options_(state.options),
      layout_(state.layout),
      routes_(state.routes),
      messages_(state.messages),
      channels_(state.channels),
      wanted_(state.wanted),
      far_ends_(state.far_ends),
      outputs_(state.outputs),
      waiting_(state.waiting),
      may_leave_(state.may_leave),
      open_(state.open),
      of_port_(state.of_port),
      sources_(state.sources),
      flows_(state.flows),
      per_channel_(inverse(layout_.channels())),
      per_output_(inverse(layout_.ports())),
      rows_(state.rows),
      words_(state.words),
      candidates_(words_),
      post_(post),
      number_(number),
      routers_here_(count),
      first_channel_(channel_of(number * count, 0)),
      channels_here_(count * layout_.channels()),
      first_output_(output_of(number * count, 0)),
      outputs_here_(count * layout_.ports()) {}

void Part::end(MessageId id) {
  const auto& message = messages_[id];
  if (message.arrives > wheel_.now()) return add(message.arrives - wheel_.now(), Kind::delivered, id);
  news_.done.push_back(id);
  if (!message.dropped) news_.arrived.push_back(id);
}

/// Hands a packet over to the part that has the channel which it comes to.
void Part::post_packet(std::uint32_t packet, std::uint32_t channel, Tick delay) {
  const Event event{packet, channel, nobody, static_cast<std::uint16_t>(Kind::arrival), 0};
  post_.send(number_, place(channel).router / routers_here_, {wheel_.now() + delay, event, packets_[packet]});
  packets_.remove(packet);
}

void Part::post_credit(const Origin& to, std::int32_t bytes, Tick delay) {
  const Event event{to.output, static_cast<std::uint32_t>(bytes), 0, static_cast<std::uint16_t>(Kind::credit),
                    to.channel};
  post_.send(number_, quotient(to.output, per_output_) / routers_here_, {wheel_.now() + delay, event, {}});
}

/// next_bit() of a row of several words.
std::uint32_t Part::next_bit(const std::uint64_t* row, std::uint32_t turn) const {
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

/// A packet's Packet::ties. Along each dimension half of the node's packets that have the choice go either way,
/// whatever messages they are of. Along dimension d they change sides after 2^d packets, so that those that choose in
/// several take all combinations.
std::uint8_t Part::choose_sides(const Message& message) {
  auto& tied = sources_[message.from.index()].tied;
  unsigned ties = 0, place = 0;
  for (std::size_t i = 0; i < message.leg_count; ++i) {
    if (!message.legs[i].is_tied) continue;
    const std::size_t d = message.legs[i].port / 2;
    ties |= (unsigned{tied[d]++} >> d & 1U) << place++;
  }
  return static_cast<std::uint8_t>(ties);
}

}  // namespace toroid::netsim::packet
