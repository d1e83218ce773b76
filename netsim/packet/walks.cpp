// What a fabric shows of its state, and of what its links have carried, to those who pass over iterations that repeat.
// Numbers of packets and messages are what the pools gave them, so these go by the names that the walk gives them.
// Ticks count from the present one. Of counters that tell whose turn is next only what decides that is shown.

#include <numeric>

#include "netsim/packet/fabric.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "netsim/repeats/tally.hpp"

namespace toroid::netsim::packet {
namespace {

/// The channels of an output's sets come in turn, by one counter of 6 bits modulo the size of each set: the round after
/// which all of them are where they were.
class Turns {
 public:
  explicit Turns(const Layout& layout, Layout::Port port) {
    take(layout.adaptive(port));
    for (unsigned which = 0; which < layout.classes(); ++which) take(layout.ordered(port, which));
    if (64 % period_ != 0) period_ = 64;  // the counter begins anew in the middle of a turn
  }
  std::uint32_t place(std::uint32_t counter) const { return counter % period_; }

 private:
  void take(const ChannelSet& set) {
    if (set.count > 0) period_ = std::lcm(period_, std::uint32_t{set.count});
  }
  std::uint32_t period_ = 1;
};

}  // namespace

void Fabric::walk(StateWalk& walk) {
  if (walk.moves()) {
    epoch_ += walk.by();
    return;
  }
  Time present = time_of(now_);
  walk.time(present);
  walk.show(StateWalk::Part::routers, [&] { parts_.front()->walk(walk); });
  for (const auto* news : {&news_->left, &news_->arrived}) {
    walk.same(news->size());
    for (const auto id : *news) walk.meet(StateWalk::Kind::packet_message, id);
  }
}

void Part::walk(StateWalk& walk) {
  walk.show(StateWalk::Part::turns, [&] { walk_outputs(walk); });
  walk_channels(walk);
  walk_sources(walk);
  wheel_.for_each([&](Tick at, const Event& event) {
    walk.same(at - wheel_.now());
    walk_event(walk, event);
  });
}

void Part::walk_outputs(StateWalk& walk) {
  for (std::uint32_t i = 0; i < outputs_.size(); ++i) {
    const auto& output = outputs_[i];
    walk.same(output.free);
    for (const auto row : output.rows) walk.same(row);
    const bool binds = options_.binds() && output.is_link != 0;
    walk.same(output.turn | (binds ? 0 : std::uint32_t{output.draws} << 16U), output.idle);
    walk.same(binds || output.is_link == 0 ? output.channel_turn
                                           : Turns(layout_, output.port).place(output.channel_turn));
    for (std::uint32_t channel = 0; channel < layout_.most_channels(); ++channel) {
      const auto& end = far_end(i, channel);
      walk.same(end.room, end.turn);
      if (binds && (output.free >> channel & 1U) == 0)
        walk.same((output.draws - channels_[channel_of(router(output), end.turn - 1U)].wants) & 0xffffU);
    }
  }
  for (const auto word : waiting_) walk.same(word);
  for (const auto count : may_leave_) walk.same(count);
}

void Part::walk_channels(StateWalk& walk) {
  for (std::uint32_t id = 0; id < channels_.size(); ++id) {
    const auto& channel = channels_[id];
    if (channel.head == nobody && channel.sending == 0) continue;
    walk.same(id, channel.bytes_and_last);
    walk.same((options_.binds() ? 0 : channel.wants) | channel.bound << 16U, channel.sending | channel.exits << 1U);
    if (!wanted_.empty()) walk.same(wanted_[id]);
    walk.same(channel.head != nobody);
    for (auto packet = channel.head; packet != nobody; packet = packet == channel.tail ? nobody : packets_[packet].next)
      walk_packet(walk, packet);
  }
}

void Part::walk_packet(StateWalk& walk, std::uint32_t id) {
  if (!walk.meet(StateWalk::Kind::packet, id)) return;
  const auto& packet = packets_[id];
  walk_message(walk, packet.message);
  walk.same(packet.bytes, packet.left);
  walk.same(packet.came - wheel_.now());
  walk.same(births_ - packet.birth, packet.ties | packet.place << 8U | packet.port << 16U);
  walk.same(packet.over_end | packet.last << 1U | packet.detours << 2U);
}

void Part::walk_message(StateWalk& walk, MessageId id) {
  if (!walk.meet(StateWalk::Kind::packet_message, id)) return;
  const auto& message = messages_[id];
  if (message.dropped) return walk.refuse();
  walk.same(message.from, message.to);
  walk.same(message.unsent);
  walk.same(message.packets, message.all_sent);
  walk.same(std::max(message.arrives - wheel_.now(), Tick{0}));
}

void Part::walk_sources(StateWalk& walk) {
  const bool splits = options_.ties == Ties::split;
  for (const auto& source : sources_) {
    for (std::size_t d = 0; splits && d < source.tied.size(); ++d)  // choose_sides()
      walk.same(source.tied[d] & ((2U << d) - 1));
    walk.same(source.room);
    walk.same(source.channel_turn | std::uint32_t{source.sending} << 16U | std::uint32_t{source.changed} << 17U);
    walk.same(source.last != nobody);
    for (auto id = source.last; id != nobody; id = messages_[id].next == source.last ? nobody : messages_[id].next)
      walk_message(walk, id);
  }
}

void Part::walk_event(StateWalk& walk, const Event& event) {
  const auto kind = static_cast<Kind>(event.kind);
  walk.same(event.kind, event.small);
  switch (kind) {
    case Kind::arrival:
      walk_packet(walk, event.a);
      return walk.same(event.b, event.c);
    case Kind::ejected:
      walk.same(event.a, event.b);
      return walk_packet(walk, event.c);
    case Kind::injected:
      walk.same(event.a, event.b);
      if ((event.b & last_bit) != 0) walk_message(walk, event.c);  // that it was sent is still to be told
      return;
    case Kind::delivered:
      return walk_message(walk, event.a);
    case Kind::transferred:
    case Kind::credit:
    case Kind::request:
    case Kind::wake:
      walk.same(event.a, event.b);
  }
}

void Fabric::tally(Tally& tally) {
  // What is busy has been so until now.
  const auto add = [&](Tick& busy, bool is_busy) {
    const Tick since = is_busy ? now_ : 0;
    auto until_now = static_cast<std::uint64_t>(busy + since);
    tally.add(until_now);
    busy = static_cast<Tick>(until_now) - since;
  };
  for (auto& output : state_.outputs) {
    tally.add(output.bytes);
    add(output.busy, output.idle < state_.layout.kind(output.kind).lanes);
  }
  for (auto& source : state_.sources) {
    tally.add(source.bytes);
    add(source.busy, source.sending);
  }
  for (auto& flows : state_.flows) tally.add(flows);
  if (state_.usage.windows() == 0) return;
  if (tally.times() == 0) {
    told_.resize(state_.carriers());
    tell_window();
    state_.window.begin = state_.window.end = 0;
  }
  if (tally.grows())  // the usage has booked it
    for (std::size_t i = 0; i < told_.size(); ++i) told_[i] = carried(i);
}

}  // namespace toroid::netsim::packet
