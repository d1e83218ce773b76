#include "netsim/packet/switching.hpp"

#include "netsim/packet/switching_channels.hpp"
#include "netsim/packet/switching_outputs.hpp"

namespace toroid::netsim::packet {

// Nodes: messages become packets, and packets that have arrived messages again.

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

// All else is done event by event.

/// Does all that happens at a tick.
template <class K>
inline void Switching<K>::all_of(Tick tick) {
  if (post_.parts() > 1) take_letters();
  do {
    wheel_.take(
        tick, [&](const Event& event) { happen(event); }, [&](const Event& event) { announce(event); });
    while (!changed_sources_.empty() || !changed_outputs_.empty()) {
      for (std::size_t i = 0; i < changed_sources_.size(); ++i) inject(changed_sources_[i]);
      changed_sources_.clear();
      arbitrate_changed();
      changed_outputs_.clear();
    }
  } while (wheel_.has_more());
}

/// Asks the memory for each output some time before its turn, as announce() does for events.
template <class K>
inline void Switching<K>::arbitrate_changed() {
  constexpr std::size_t ahead = 8;
  for (std::size_t i = 0; i < changed_outputs_.size(); ++i) {
    if (i + ahead < changed_outputs_.size()) __builtin_prefetch(changed_outputs_[i + ahead], 1);
    arbitrate(*changed_outputs_[i]);
  }
}

/// What the event will look at first is asked of the memory: on large machines that takes longer than the event.
template <class K>
inline void Switching<K>::announce(const Event& event) const {
  const auto fetch = [](const auto& what) { __builtin_prefetch(&what, 1); };
  switch (static_cast<Kind>(event.kind)) {
    case Kind::arrival:
      fetch(packets_[event.a]);
      fetch(channels_[event.b]);
      if (event.c == nobody) return;
      if constexpr (!K::binds) fetch(outputs_[event.c]);  // else only credits that somebody waits for look at it
      return fetch(far_ends_[far_ends_of(event.c) + event.small]);
    case Kind::transferred:
    case Kind::ejected:
      fetch(outputs_[event.a]);
      return fetch(channels_[event.b]);
    case Kind::credit:
      fetch(outputs_[event.a]);
      return fetch(far_ends_[far_ends_of(event.a) + event.small]);
    default:
      return;
  }
}

template <class K>
inline void Switching<K>::happen(const Event& event) {
  switch (static_cast<Kind>(event.kind)) {
    case Kind::arrival:
      if (event.c != nobody) give_credit({event.c, event.small}, charge(packets_[event.a].bytes));
      return arrive(event.a, event.b);
    case Kind::transferred:
      return transferred(outputs_[event.a], event.b);
    case Kind::ejected:
      return ejected(outputs_[event.a], event.b, event.c);
    case Kind::credit:
      return give_credit({event.a, event.small}, static_cast<std::int32_t>(event.b));
    case Kind::request:
      return request(event.a, place(event.a));
    case Kind::injected:
      return injected(NodeId(event.a), event.b, event.c);
    case Kind::delivered:
      return end(event.a);
    case Kind::wake:
      return change_source(NodeId(event.a));
  }
}

std::unique_ptr<Part> Part::make(State& state, Post& post, std::uint32_t number, std::uint32_t count) {
  const bool few = state.has_few_rows(), limits = state.layout.limits_leaving();
  const auto made = [&]<bool Binds, bool FewRows, bool Limits>() -> std::unique_ptr<Part> {
    return std::make_unique<Switching<FabricKind<Binds, FewRows, Limits>>>(state, post, number, count);
  };
  const auto made_of = [&]<bool Binds, bool FewRows>() {
    return limits ? made.template operator()<Binds, FewRows, true>()
                  : made.template operator()<Binds, FewRows, false>();
  };
  if (state.options.binds())
    return few ? made_of.template operator()<true, true>() : made_of.template operator()<true, false>();
  return few ? made_of.template operator()<false, true>() : made_of.template operator()<false, false>();
}

}  // namespace toroid::netsim::packet
