#include "netsim/packet/fabric.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"

namespace toroid::netsim::packet {
namespace {

/// Bytes and whether they are the last of their message, in 32 bits.
constexpr std::uint32_t last_bit = 1U << 31U;

std::uint64_t bit(std::uint32_t channel) {
  return std::uint64_t{1} << (channel % 64);
}

/// The channels of a set, as bits.
std::uint64_t set_bits(ChannelSet set) {
  return set.count == 0 ? 0 : (~std::uint64_t{0} >> (64U - set.count)) << set.first;
}

}  // namespace

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
      outputs_(std::size_t{layout_.routers()} * layout_.ports()),
      waiting_(outputs_.size() * rows_ * words_),
      sources_(static_cast<std::size_t>(machine.node_count())),
      candidates_(words_) {
  for (auto& channel : channels_) channel.room = options.buffer_bytes;
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
  do {
    wheel_.take(tick, [this](const Event& event) { happen(event); });
    while (!changed_sources_.empty() || !changed_outputs_.empty()) {
      for (std::size_t i = 0; i < changed_sources_.size(); ++i) inject(changed_sources_[i]);
      changed_sources_.clear();
      for (std::size_t i = 0; i < changed_outputs_.size(); ++i) arbitrate(changed_outputs_[i]);
      changed_outputs_.clear();
    }
  } while (wheel_.next() == tick);
}

void Fabric::happen(const Event& event) {
  switch (static_cast<Kind>(event.kind)) {
    case Kind::arrival:
      if (event.c != nobody) give_credit(event.c, charge(packets_[event.a]));
      return enqueue(event.a, event.b);
    case Kind::transferred: {
      const auto at = place(event.b);
      const auto port = static_cast<Layout::Port>(event.a - at.router * layout_.ports());
      book_end(link(at.router, port), event.c & ~last_bit, layout_.kind(at.router, port).duration(event.c & ~last_bit),
               (event.c & last_bit) != 0);
      return transferred(event.a, event.b);
    }
    case Kind::ejected: {
      const auto at = place(event.b);
      const auto port = static_cast<Layout::Port>(event.a - at.router * layout_.ports());
      const auto& packet = packets_[event.c];
      book_end(ejection_link(layout_.node(at.router, port)), packet.bytes,
               layout_.kind(at.router, port).duration(packet.bytes), packet.last);
      deliver(event.c);
      return transferred(event.a, event.b);
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
    const Tick until_tail = packet.tail - wheel_.now();
    if (!layout_.is_link(want.port) && !layout_.limits_ejection()) {
      send_credit(at, packet, 0, -1);
      add(std::max(Tick{0}, until_tail), Kind::delivered, take_head(channel));
      continue;
    }
    const Tick wait = until_tail - layout_.kind(at.router, want.port).duration(packet.bytes);
    if (wait > 0) return add(wait, Kind::request, id);
    return request_link(channel, at, want);
  }
}

void Fabric::request_link(Channel& channel, const Place& at, const Want& want) {
  channel.port = static_cast<std::uint8_t>(want.port);
  channel.which = want.which & 7U;
  channel.wanted = static_cast<std::uint16_t>(want.adaptive);
  const auto first_output = at.router * layout_.ports();
  row(first_output + want.port, in_order + want.which)[at.channel / 64] |= bit(at.channel);
  change(first_output + want.port);
  for (auto ports = want.adaptive; ports != 0; ports &= ports - 1) {
    const auto output = first_output + static_cast<std::uint32_t>(std::countr_zero(ports));
    row(output, any_way)[at.channel / 64] |= bit(at.channel);
    change(output);
  }
}

void Fabric::withdraw(const Channel& channel, const Place& at) {
  const auto first_output = at.router * layout_.ports();
  row(first_output + channel.port, in_order + channel.which)[at.channel / 64] &= ~bit(at.channel);
  if (binds_) row(first_output + channel.port, ready)[at.channel / 64] &= ~bit(at.channel);
  for (std::uint32_t ports = channel.wanted; ports != 0; ports &= ports - 1)
    row(first_output + static_cast<std::uint32_t>(std::countr_zero(ports)), any_way)[at.channel / 64] &=
        ~bit(at.channel);
}

void Fabric::give_credit(std::uint32_t id, std::int32_t bytes) {
  channels_[id].room += bytes;
  const auto at = place(id);
  const auto port = layout_.port_of_channel(at.channel);
  if (layout_.is_link(port) && binds_)
    see_bound(channels_[id], layout_.before(at.router, port), port, at.channel - layout_.first_channel(port));
  else if (layout_.is_link(port))
    change(layout_.before(at.router, port) * layout_.ports() + port);
  else
    change_source(layout_.node(at.router, port));
}

/// The packet begins to leave its channel, and will have left in so many ticks: not before that may one that comes
/// faster than it goes have come completely. True if the credit is to come with what arrives after `ride` ticks.
bool Fabric::send_credit(const Place& at, const Packet& packet, Tick duration, Tick ride) {
  const auto port = layout_.port_of_channel(at.channel);
  const auto& in = layout_.is_link(port) ? layout_.kind(layout_.before(at.router, port), port) : layout_.injection();
  const Tick delay = in.latency + std::max(Tick{0}, duration - in.duration(packet.bytes));
  if (delay == ride) return true;
  add(delay, Kind::credit, channel_of(at.router, at.channel), 0, static_cast<std::uint32_t>(charge(packet)));
  return false;
}

// --- outputs ---

void Fabric::change(std::uint32_t output) {
  if (!std::exchange(outputs_[output].changed, true)) changed_outputs_.push_back(output);
}

/// Gives the link to packets as long as there are some that it has time and room for.
void Fabric::arbitrate(std::uint32_t output) {
  auto& o = outputs_[output];
  o.changed = false;
  const auto router = output / layout_.ports();
  const auto port = output - router * layout_.ports();
  const auto lanes = layout_.kind(router, port).lanes;
  const bool binds = binds_ && layout_.is_link(port);
  if (binds) bind(output, router, port);
  while (o.busy < lanes && (binds ? serve_bound(output, router, port) : serve_one(output, router, port))) {
  }
}

/// Gives each free channel of the link to a packet, whether it has room for it yet or not. Each channel takes them in
/// turn for itself.
void Fabric::bind(std::uint32_t output, std::uint32_t router, Layout::Port port) {
  auto& o = outputs_[output];
  for (unsigned which = 0; which < layout_.classes(); ++which) {
    auto* waiting = row(output, in_order + which);
    for (auto free = o.free & set_bits(layout_.ordered(port, which)); free != 0 && any(waiting);) {
      const auto first = channel_of(layout_.beyond(router, port), layout_.first_channel(port));
      const auto to = static_cast<std::uint32_t>(std::countr_zero(free));
      free &= ~(std::uint64_t{1} << to);
      const auto beyond = first + to;
      const auto input = choose(waiting, channels_[beyond].turn, router);
      waiting[input / 64] &= ~bit(input);
      o.free &= ~(std::uint64_t{1} << to);
      channels_[beyond].turn = static_cast<std::uint16_t>(input + 1);
      auto& channel = channels_[channel_of(router, input)];
      channel.bound = static_cast<std::uint8_t>(to);
      channel.is_bound = 1;
      if (channels_[beyond].room >= charge(packets_[channel.head])) row(output, ready)[input / 64] |= bit(input);
    }
  }
}

bool Fabric::serve_bound(std::uint32_t output, std::uint32_t router, Layout::Port port) {
  auto* waiting = row(output, ready);
  if (!any(waiting)) return false;
  auto& o = outputs_[output];
  const auto input = choose(waiting, o.turn, router);
  o.turn = static_cast<std::uint16_t>(input + 1);
  const auto to = channels_[channel_of(router, input)].bound;
  transmit(output, {router, input}, channel_of(layout_.beyond(router, port), layout_.first_channel(port) + to));
  return true;
}

/// The channel has more room: a packet that is bound to it may be ready now.
void Fabric::see_bound(const Channel& channel, std::uint32_t router, Layout::Port port, std::uint32_t number) {
  const auto output = router * layout_.ports() + port;
  if ((outputs_[output].free >> number & 1U) != 0) return;
  const auto input = channel.turn - 1U;
  const auto& sender = channels_[channel_of(router, input)];
  if (sender.is_bound == 0 || channel.room < charge(packets_[sender.head])) return;
  row(output, ready)[input / 64] |= bit(input);
  change(output);
}

bool Fabric::serve_one(std::uint32_t output, std::uint32_t router, Layout::Port port) {
  std::array<Choice, most_rows> choices;
  std::fill(candidates_.begin(), candidates_.end(), 0);
  for (unsigned which = 0; which < rows_; ++which) {
    const auto* waiting = row(output, which);
    if (!any(waiting)) continue;
    choices[which] = layout_.is_link(port) ? room_beyond(output, router, port, which)
                                           : Choice{std::numeric_limits<std::int32_t>::max(), 0};
    if (choices[which].room < 0) continue;
    for (std::size_t w = 0; w < words_; ++w) candidates_[w] |= waiting[w];
  }
  for (auto channel = choose(candidates_.data(), outputs_[output].turn, router); channel != nobody;
       channel = choose(candidates_.data(), outputs_[output].turn, router)) {
    candidates_[channel / 64] &= ~bit(channel);
    const auto needed = charge(packets_[channels_[channel_of(router, channel)].head]);
    for (unsigned which = 0; which < rows_; ++which) {
      if ((row(output, which)[channel / 64] & bit(channel)) == 0 || choices[which].room < needed) continue;
      outputs_[output].turn = static_cast<std::uint16_t>(channel + 1);
      if (layout_.is_link(port))
        transmit(output, {router, channel}, choices[which].channel);
      else
        eject(output, {router, channel});
      return true;
    }
  }
  return false;
}

/// The channel at the other end of a link for those of a row.
Fabric::Choice Fabric::room_beyond(std::uint32_t output, std::uint32_t router, Layout::Port port,
                                   unsigned which) const {
  const auto next = layout_.beyond(router, port);
  if (which == any_way) return roomiest(next, port, layout_.adaptive(port), outputs_[output].channel_turn);
  const auto set = layout_.ordered(port, which - in_order);
  if (routes_.needs_bubble(port, which - in_order)) {
    std::int32_t packets = 0;
    const auto first = channel_of(next, layout_.first_channel(port) + set.first);
    for (auto id = first; id < first + set.count; ++id) packets += channels_[id].room / options_.packet_bytes;
    if (packets < 2) return {};
  }
  return roomiest(next, port, set, outputs_[output].channel_turn);
}

/// The channel of a set that has the most room; of several, the first from `turn` on.
Fabric::Choice Fabric::roomiest(std::uint32_t router, Layout::Port port, ChannelSet set, std::uint32_t turn) const {
  Choice best;
  if (set.count == 0) return best;
  const auto first = channel_of(router, layout_.first_channel(port) + set.first);
  auto at = turn % set.count;
  for (std::uint32_t i = 0; i < set.count; ++i) {
    if (channels_[first + at].room > best.room) best = {channels_[first + at].room, first + at};
    if (++at == set.count) at = 0;
  }
  return best;
}

/// One of the channels of a row, or nobody: whose turn it is, or whose packet is oldest.
std::uint32_t Fabric::choose(const std::uint64_t* row, std::uint32_t turn, std::uint32_t router) const {
  if (options_.arbitration == Arbitration::age) return oldest(row, router);
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

void Fabric::transmit(std::uint32_t output, const Place& from, std::uint32_t to) {
  const auto id = channel_of(from.router, from.channel);
  auto& channel = channels_[id];
  withdraw(channel, from);
  const auto port = output - from.router * layout_.ports();
  const auto& kind = layout_.kind(from.router, port);
  const auto number = take_head(channel);
  auto& packet = packets_[number];
  const Tick duration = kind.duration(packet.bytes);
  channels_[to].room -= charge(packet);
  packet.tail = wheel_.now() + kind.latency + duration;
  channel.sending = 1;
  channel.is_bound = 0;
  ++outputs_[output].busy;
  if (!binds_) outputs_[output].channel_turn = static_cast<std::uint8_t>((outputs_[output].channel_turn + 1) % 64);
  book_begin(link(from.router, port));
  const bool rides = send_credit(from, packet, duration, kind.latency);
  add(kind.latency, Kind::arrival, number, to, rides ? id : nobody);
  add(duration, Kind::transferred, output, id, packet.bytes | (packet.last ? last_bit : 0));
  routes_.leave(packet, messages_[packet.message], from.router, port);
}

void Fabric::eject(std::uint32_t output, const Place& from) {
  const auto id = channel_of(from.router, from.channel);
  auto& channel = channels_[id];
  withdraw(channel, from);
  const auto port = output - from.router * layout_.ports();
  const auto number = take_head(channel);
  const Tick duration = layout_.kind(from.router, port).duration(packets_[number].bytes);
  channel.sending = 1;
  ++outputs_[output].busy;
  book_begin(ejection_link(layout_.node(from.router, port)));
  send_credit(from, packets_[number], duration, -1);
  add(duration, Kind::ejected, output, id, number);
}

void Fabric::transferred(std::uint32_t output, std::uint32_t id) {
  --outputs_[output].busy;
  change(output);
  channels_[id].sending = 0;
  outputs_[output].free |= std::uint64_t{1} << channels_[id].bound;
  if (channels_[id].head != nobody) request(id);
}

// --- nodes ---

Fabric::MessageId Fabric::send(NodeId from, NodeId to, std::uint64_t bytes, Tick tick) {
  const auto id = messages_.add(routes_.message(from, to, bytes));
  auto& source = sources_[from.index()];
  messages_[id].next = id;
  if (source.last != nobody) std::swap(messages_[id].next, messages_[source.last].next);
  source.last = id;
  const Tick at = std::max(tick, wheel_.now());
  wheel_.add(at, {static_cast<std::uint32_t>(Kind::wake), static_cast<std::uint32_t>(from.value()), 0, 0});
  return id;
}

void Fabric::drop(MessageId id) {
  auto& message = messages_[id];
  message.dropped = true;
  if (!std::exchange(message.all_sent, true)) leave_source(id);
  if (message.in_flight == 0) done_.push_back(id);
}

/// Takes a message that is not sent any more out of the ring of its node.
void Fabric::leave_source(MessageId id) {
  auto& source = sources_[messages_[id].from.index()];
  auto before = source.last;
  while (messages_[before].next != id) before = messages_[before].next;
  messages_[before].next = messages_[id].next;
  if (source.last == id) source.last = before == id ? nobody : before;
}

void Fabric::change_source(NodeId node) {
  if (!std::exchange(sources_[node.index()].changed, true)) changed_sources_.push_back(node);
}

/// Sends packets of the node's messages in turn as long as there is room behind its port.
void Fabric::inject(NodeId node) {
  auto& source = sources_[node.index()];
  source.changed = false;
  const auto router = layout_.router(node);
  const auto port = layout_.port(node);
  const ChannelSet set{0, static_cast<std::uint16_t>(options_.injection_channels)};
  while (!source.busy && source.last != nobody) {
    const auto id = messages_[source.last].next;
    const auto most = static_cast<std::uint64_t>(options_.packet_bytes);
    const auto bytes = static_cast<std::int32_t>(std::min(most, messages_[id].unsent));
    const auto choice = roomiest(router, port, set, source.channel_turn);
    if (choice.room < (options_.rings == Rings::bubble ? options_.packet_bytes : bytes)) return;
    const auto number = cut_packet(id);
    auto& packet = packets_[number];
    channels_[choice.channel].room -= charge(packet);
    ++source.channel_turn;
    const Tick duration = layout_.injection().duration(packet.bytes);
    packet.tail = wheel_.now() + duration;
    if (machine_.limits_injection()) {
      source.busy = true;
      book_begin(injection_link(node));
      add(duration, Kind::injected, static_cast<std::uint32_t>(node.value()),
          packet.bytes | (packet.last ? last_bit : 0), id);
    } else if (packet.last) {
      left_.push_back(id);
    }
    enqueue(number, choice.channel);
  }
}

/// The next packet of the message, which then is behind the others of its node.
std::uint32_t Fabric::cut_packet(MessageId id) {
  auto& message = messages_[id];
  const auto bytes = std::min(message.unsent, static_cast<std::uint64_t>(options_.packet_bytes));
  message.unsent -= bytes;
  ++message.in_flight;
  const bool last = message.unsent == 0;
  if (last) {
    message.all_sent = true;
    leave_source(id);
  } else {
    sources_[message.from.index()].last = id;
  }
  return packets_.add({.next = nobody,
                       .message = id,
                       .bytes = static_cast<std::uint32_t>(bytes),
                       .birth = births_++,
                       .ties = static_cast<std::uint8_t>(message.packets++),
                       .last = last});
}

void Fabric::deliver(std::uint32_t packet) {
  const auto id = packets_[packet].message;
  packets_.remove(packet);
  auto& message = messages_[id];
  if (--message.in_flight > 0 || !message.all_sent) return;
  done_.push_back(id);
  if (!message.dropped) arrived_.push_back(id);
}

// --- what links carry ---

LinkId Fabric::link(std::uint32_t router, Layout::Port port) const {
  return machine_.grid().link(RouterId(router), port / 2, port % 2 == 0);
}

LinkId Fabric::injection_link(NodeId node) const {
  return LinkId(machine_.grid().link_count() + node.value());
}

LinkId Fabric::ejection_link(NodeId node) const {
  return LinkId(machine_.grid().link_count() + machine_.node_count() + node.value());
}

void Fabric::book_begin(LinkId link) {
  usage_.begin({&link, 1}, time_of(wheel_.now()));
}

void Fabric::book_end(LinkId link, std::uint64_t bytes, Tick duration, bool last) {
  usage_.end({&link, 1}, bytes, time_of(wheel_.now() - duration), time_of(wheel_.now()), last ? 1 : 0);
}

}  // namespace toroid::netsim::packet
