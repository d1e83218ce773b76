#include "netsim/packet/fabric.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.hpp"

namespace toroid::netsim::packet {

Fabric::Fabric(const Machine& machine, const Options& options, LinkUsage& usage)
    : machine_(machine),
      options_(options),
      usage_(usage),
      layout_(machine, options),
      routes_(machine, layout_, options),
      binds_(options.routing == Routing::dimension_order && options.rings == Rings::classes),
      per_channel_(std::numeric_limits<std::uint64_t>::max() / layout_.channels() + 1),
      rows_(in_order + layout_.classes()),
      words_((layout_.channels() + 63) / 64),
      channels_(std::size_t{layout_.routers()} * layout_.channels()),
      far_ends_(channels_.size(), {options.buffer_bytes, 0}),
      outputs_(std::size_t{layout_.routers()} * layout_.ports()),
      waiting_(outputs_.size() * rows_ * words_),
      sources_(static_cast<std::size_t>(machine.node_count())),
      candidates_(words_) {
  for (std::uint32_t router = 0; router < layout_.routers(); ++router)
    for (Layout::Port port = 0; port < layout_.ports(); ++port)
      outputs_[output(router, port).number].idle = layout_.kind(router, port).lanes;
}

void Fabric::begin_anew(const Time& time) {
  wheel_.reset();
  epoch_ = time;
}

Tick Fabric::tick_at(const Time& time) const {
  const double ticks = std::ceil((time - epoch_).seconds() / tick_seconds());
  if (!(ticks < 0x1p52))
    throw core::SimulationError("engine packet: there was something on its way for too long a time to count its ticks");
  return static_cast<Tick>(ticks);
}

void Fabric::step() {
  for (const auto id : done_) messages_.remove(id);
  done_.clear();
  const Tick tick = wheel_.next();
  time_ = time_of(tick);
  do {
    for (const auto& event : wheel_.take(tick)) happen(event);
    while (!changed_sources_.empty() || !changed_outputs_.empty()) {
      for (std::size_t i = 0; i < changed_sources_.size(); ++i) inject(changed_sources_[i]);
      changed_sources_.clear();
      for (std::size_t i = 0; i < changed_outputs_.size(); ++i) arbitrate(changed_outputs_[i]);
      changed_outputs_.clear();
    }
  } while (wheel_.has_more());
}

void Fabric::happen(const Event& event) {
  switch (static_cast<Kind>(event.kind)) {
    case Kind::arrival:
      if (event.c != nobody) give_credit(event.c, charge(packets_[event.a]));
      return enqueue(event.a, event.b);
    case Kind::transferred: {
      const auto at = output_of(event.a, event.b);
      const auto bytes = event.c & ~last_bit;
      book_end(layout_.link(at.router, at.port), bytes, layout_.kind(at.router, at.port).duration(bytes),
               (event.c & last_bit) != 0);
      return transferred(at, event.b);
    }
    case Kind::ejected: {
      const auto at = output_of(event.a, event.b);
      const auto& packet = packets_[event.c];
      book_end(ejection_link(layout_.node(at.router, at.port)), packet.bytes,
               layout_.kind(at.router, at.port).duration(packet.bytes), packet.last);
      deliver(event.c);
      return transferred(at, event.b);
    }
    case Kind::credit:
      return give_credit(event.a, static_cast<std::int32_t>(event.c));
    case Kind::request:
      return request(event.a);
    case Kind::injected: {
      const NodeId node(static_cast<std::int32_t>(event.a));
      book_end(injection_link(node), event.b & ~last_bit, layout_.injection().duration(event.b & ~last_bit),
               (event.b & last_bit) != 0);
      if ((event.b & last_bit) != 0 && !messages_[event.c].dropped) left_.push_back(event.c);
      sources_[event.a].busy = false;
      return change_source(node);
    }
    case Kind::delivered:
      return deliver(event.a);
    case Kind::wake:
      return change_source(NodeId(event.a));
  }
}

// --- channels ---

void Fabric::enqueue(std::uint32_t packet, std::uint32_t id) {
  auto& channel = channels_[id];
  packets_[packet].next = nobody;
  const bool first = channel.head == nobody;
  if (first)
    channel.head = packet;
  else
    packets_[channel.tail].next = packet;
  channel.tail = packet;
  if (first && channel.sending == 0) request(id);
}

std::uint32_t Fabric::take_head(Channel& channel) {
  const auto packet = channel.head;
  channel.head = packets_[packet].next;
  return packet;
}

/// The first packet of the channel asks for its way on, unless that would let its head leave before its tail has come.
void Fabric::request(std::uint32_t id) {
  auto& channel = channels_[id];
  const auto at = place(id);
  while (channel.head != nobody) {
    auto& packet = packets_[channel.head];
    const auto want = routes_.next(packet, messages_[packet.message], at.router, at.channel);
    const auto& out = layout_.kind(at.router, want.port);
    const Tick until_tail = packet.tail - wheel_.now();
    if (!layout_.is_link(want.port) && !layout_.limits_ejection()) {
      send_credit(at, packet, out, -1);
      add(std::max(Tick{0}, until_tail), Kind::delivered, take_head(channel));
      continue;
    }
    if (const Tick wait = until_tail - out.duration(packet.bytes); wait > 0) return add(wait, Kind::request, id);
    return request_link(channel, at, want);
  }
}

void Fabric::request_link(Channel& channel, const Place& at, const Want& want) {
  channel.port = static_cast<std::uint8_t>(want.port);
  channel.which = want.which & 7U;
  channel.wanted = static_cast<std::uint16_t>(want.adaptive);
  const auto ordered = output(at.router, want.port);
  row(ordered.number, in_order + want.which)[at.channel / 64] |= bit(at.channel);
  ++outputs_[ordered.number].unbound;
  change(ordered);
  for (auto ports = want.adaptive; ports != 0; ports &= ports - 1) {
    const auto any = output(at.router, static_cast<Layout::Port>(std::countr_zero(ports)));
    row(any.number, any_way)[at.channel / 64] |= bit(at.channel);
    change(any);
  }
}

void Fabric::withdraw(const Channel& channel, const Place& at) {
  const auto first_output = at.router * layout_.ports(), ordered = first_output + channel.port;
  if (channel.is_bound != 0) {
    row(ordered, ready)[at.channel / 64] &= ~bit(at.channel);
    return;
  }
  row(ordered, in_order + channel.which)[at.channel / 64] &= ~bit(at.channel);
  --outputs_[ordered].unbound;
  for (std::uint32_t ports = channel.wanted; ports != 0; ports &= ports - 1)
    row(first_output + static_cast<std::uint32_t>(std::countr_zero(ports)), any_way)[at.channel / 64] &=
        ~bit(at.channel);
}

void Fabric::give_credit(std::uint32_t id, std::int32_t bytes) {
  far_ends_[id].room += bytes;
  const auto at = place(id);
  const auto port = layout_.port_of_channel(at.channel);
  if (!layout_.is_link(port)) return change_source(layout_.node(at.router, port));
  const auto before = output(layout_.before(at.router, port), port);
  if (binds_)
    see_bound(far_ends_[id], before, at.channel - layout_.first_channel(port));
  else
    change(before);
}

/// The packet begins to leave its channel by a link of that kind: not before it has left may one that comes faster than
/// it goes have come completely. True if the credit is to come with what arrives after `ride` ticks.
bool Fabric::send_credit(const Place& at, const Packet& packet, const LinkKind& out, Tick ride) {
  const auto port = layout_.port_of_channel(at.channel);
  const auto& in = layout_.is_link(port) ? layout_.kind(layout_.before(at.router, port), port) : layout_.injection();
  Tick delay = in.latency;
  if (&in != &out) delay += std::max(Tick{0}, out.duration(packet.bytes) - in.duration(packet.bytes));
  if (delay == ride) return true;
  add(delay, Kind::credit, channel_of(at.router, at.channel), 0, static_cast<std::uint32_t>(charge(packet)));
  return false;
}

// --- what links carry ---

LinkId Fabric::injection_link(NodeId node) const {
  return LinkId(machine_.grid().link_count() + node.value());
}

LinkId Fabric::ejection_link(NodeId node) const {
  return LinkId(machine_.grid().link_count() + machine_.node_count() + node.value());
}

}  // namespace toroid::netsim::packet
