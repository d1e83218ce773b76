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
    for (Layout::Port port = 0; port < layout_.ports(); ++port) {
      auto& output = outputs_[output_of(router, port)];
      output.router = router;
      output.port = static_cast<std::uint8_t>(port);
      output.is_link = layout_.is_link(port);
      output.kind = layout_.kind_number(router, port);
      output.idle = layout_.kind(output.kind).lanes;
      const auto next = output.is_link ? layout_.beyond(router, port) : router;
      if (next != Layout::nowhere) output.beyond = channel_of(next, layout_.first_channel(port));
    }
}

// --- time ---

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

Tick Fabric::first_from(const Time& time) const {
  const double ticks = std::ceil((time - epoch_).seconds() / tick_seconds());
  if (!(ticks < 0x1p52)) return never;
  auto tick = static_cast<Tick>(ticks);  // but for rounding
  while (time_of(tick) < time) ++tick;
  while (!(time_of(tick - 1) < time)) --tick;
  return tick;
}

Tick Fabric::first_after(const Time& time) const {
  const auto tick = first_from(time);
  return tick != never && time_of(tick) == time ? tick + 1 : tick;
}

void Fabric::run(Tick end) {
  for (auto tick = wheel_.next(); tick < end; tick = wheel_.next()) step(tick);
}

void Fabric::run_to_news(Tick end) {
  while (!has_news()) {
    const auto tick = wheel_.next();
    if (tick >= end) return;
    step(tick);
  }
}

/// All that happens at a tick.
void Fabric::step(Tick tick) {
  for (const auto id : done_) messages_.remove(id);
  done_.clear();
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
      if (event.c != nobody) give_credit({event.c, event.small}, charge(packets_[event.a]));
      return arrive(event.a, event.b);
    case Kind::transferred: {
      auto& output = outputs_[event.a];
      const auto bytes = event.c & ~last_bit;
      book_end(link(output), output.carried, event.c, layout_.kind(output.kind).duration(bytes));
      return transferred(output, event.b);
    }
    case Kind::ejected: {
      auto& output = outputs_[event.a];
      const auto& packet = packets_[event.c];
      book_end(link(output), output.carried, bytes_and_last(packet), layout_.kind(output.kind).duration(packet.bytes));
      deliver(event.c);
      return transferred(output, event.b);
    }
    case Kind::credit:
      return give_credit({event.a, event.small}, static_cast<std::int32_t>(event.b));
    case Kind::request:
      return request(event.a, place(event.a));
    case Kind::injected:
      return injected(NodeId(event.a), event.b, event.c);
    case Kind::delivered:
      return deliver(event.a);
    case Kind::wake:
      return change_source(NodeId(event.a));
  }
}

// --- channels ---

void Fabric::arrive(std::uint32_t packet, std::uint32_t id) {
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

std::uint32_t Fabric::take_head(Channel& channel) {
  const auto packet = channel.head;
  channel.head = packets_[packet].next;
  return packet;
}

/// The first packet of the channel asks for its way on, unless that would let its head leave before its tail has come.
void Fabric::request(std::uint32_t id, const Place& at) {
  auto& channel = channels_[id];
  while (channel.head != nobody) {
    auto& packet = packets_[channel.head];
    const auto want = routes_.next(packet, messages_[packet.message], at.router, at.channel);
    const auto& out = layout_.kind(outputs_[output_of(at.router, want.port)].kind);
    const Tick until_tail = packet.tail - wheel_.now();
    if (!layout_.is_link(want.port) && !layout_.limits_ejection()) {
      send_credit(at, packet, out, -1);
      add(std::max(Tick{0}, until_tail), Kind::delivered, take_head(channel));
      continue;
    }
    if (const Tick wait = until_tail - out.duration(packet.bytes); wait > 0) return add(wait, Kind::request, id);
    return request_output(channel, at, want);
  }
}

void Fabric::request_output(Channel& channel, const Place& at, const Want& want) {
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

void Fabric::withdraw(const Channel& channel, const Place& at) {
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

void Fabric::give_credit(const Origin& to, std::int32_t bytes) {
  auto& output = outputs_[to.output];
  auto& beyond = far_ends_[output.beyond + to.channel];
  beyond.room += bytes;
  if (!output.is_link) return change_source(node(output));
  if (binds_)
    see_bound(beyond, output, to.channel);
  else
    change(to.output);
}

/// The packet begins to leave its channel by a link of that kind: not before it has left may one that comes faster than
/// it goes have come completely. True if the credit is to come with what arrives after `ride` ticks.
bool Fabric::send_credit(const Place& at, const Packet& packet, const LinkKind& out, Tick ride) {
  const auto port = layout_.port_of_channel(at.channel);
  const auto& in = layout_.is_link(port) ? layout_.kind(layout_.before(at.router, port), port) : layout_.injection();
  Tick delay = in.latency;
  if (&in != &out) delay += std::max(Tick{0}, out.duration(packet.bytes) - in.duration(packet.bytes));
  if (delay == ride) return true;
  const auto to = origin(at);
  add(delay, Kind::credit, to.output, static_cast<std::uint32_t>(charge(packet)), 0, to.channel);
  return false;
}

// --- what links carry ---

LinkId Fabric::link(const Output& output) const {
  return output.is_link ? layout_.link(output.router, output.port) : machine_.ejection_link(node(output));
}

void Fabric::book_end(LinkId link, Carried& carried, std::uint32_t bytes_and_last, Tick duration) {
  const auto bytes = bytes_and_last & ~last_bit;
  carried.end(bytes, (bytes_and_last & last_bit) != 0, wheel_.now());
  if (usage_.windows() > 0)
    usage_.book_windows(link, bytes, time_of(wheel_.now() - duration), time_of(wheel_.now()));
}

void Fabric::report() const {
  const auto tell = [&](LinkId link, const Carried& carried) {
    if (carried.peak == 0) return;
    usage_.set(link, {carried.bytes, carried.flows, carried.active, carried.peak,
                      Time(static_cast<double>(carried.busy) * tick_seconds()), time_of(carried.since)});
  };
  for (const auto& output : outputs_) tell(link(output), output.carried);
  for (const NodeId node : core::ids<NodeId>(machine_.node_count()))
    tell(machine_.injection_link(node), sources_[node.index()].carried);
}

}  // namespace toroid::netsim::packet
