#include "netsim/replay/messages.hpp"

#include "core/hash.hpp"
#include "netsim/replay/strand.hpp"

namespace toroid::netsim {

using workloads::SendMode;

Messages::Messages(Network& network, FlowClient& client, const Mapping& mapping, const ReplayOptions& options,
                   SentMessages& traffic, CauseLog& causes, TimelineLog& timeline, Charges& charges,
                   Processors& processors, SeenTo seen_to)
    : network_(network),
      client_(client),
      mapping_(mapping),
      eager_threshold_(options.eager_threshold.value_or(network.machine().parameters().eager)),
      envelope_bytes_(options.envelope),
      order_(options.order),
      traffic_(traffic),
      causes_(causes),
      timeline_(timeline),
      charges_(charges),
      processors_(processors),
      seen_to_(std::move(seen_to)),
      own_traffic_(network, options.order),
      queues_(mapping_.size()) {}

bool Messages::is_eager(std::uint64_t bytes, SendMode mode) const {
  return mode == SendMode::buffered || (mode == SendMode::standard && bytes <= eager_threshold_);
}

bool Messages::count(SentMessages& traffic, const Launch& launch) {
  if (!core::add_to(traffic.bytes, launch.bytes) ||
      !core::add_to(traffic.hop_bytes, static_cast<std::uint64_t>(launch.hops) * launch.bytes))
    return false;
  ++traffic.messages;
  if (launch.from == launch.to) return true;
  ++traffic.network_messages;
  traffic.network_bytes += launch.bytes;
  traffic.hops += static_cast<std::uint64_t>(launch.hops);
  traffic.dilation_max = std::max(traffic.dilation_max, launch.hops);
  return true;
}

MessageId Messages::add(const Message& message) {
  const auto id = messages_.add(message);
  const auto& [source, tag, context] = message.envelope;
  if (timeline_.is_kept())
    timeline_.send(id,
                   {.bytes = message.bytes,
                    .operation = message.operation,
                    .from = source,
                    .to = message.target,
                    .tag = tag,
                    .context = context},
                   network_.clock().now());
  return id;
}

void Messages::send(const Envelope& envelope, Rank target, std::uint64_t bytes, std::uint64_t operation,
                    RequestId request, const History& history) {
  const auto id = add({envelope, target, bytes, operation, request});
  const auto receive = queues_.announce(target, envelope, id);
  const bool matched = receive != MatchQueues::none, eager = request == no_request;
  auto& message = messages_[id];
  if (matched) message.receive = receive;
  message.launch = network_.clock().now();
  message.history = history;
  if (matched && !eager) charges_.meet(message.history, message.launch, charges_.noted(receive), message.launch);
  if (matched || eager) launch(id);
}

void Messages::put(const Envelope& envelope, Rank target, std::uint64_t bytes, std::uint64_t operation,
                   const History& history) {
  const auto id = add({envelope, target, bytes, operation, no_request});
  messages_[id].is_put = true;
  messages_[id].history = history;
  launch(id);
}

bool Messages::receive(const Envelope& wanted, Rank rank, RequestId request, const History& history) {
  const auto id = queues_.post_receive(rank, wanted, request);
  const Time now = network_.clock().now();
  charges_.note(request, {now, history.charged});
  if (id == MatchQueues::none) return false;
  auto& message = messages_[id];
  if (message.arrived) {
    charges_.note(request, message.moment());
    forget(id);
    return true;
  }
  message.receive = request;
  if (message.launched) return false;
  const auto sent = message.moment();
  message.history = history;
  charges_.meet(message.history, now, sent, now);
  launch(id);
  return false;
}

/// Sends the message on its way, with the history of the rank that did so last: first to the core of its sender.
void Messages::launch(MessageId id) {
  auto& message = messages_[id];
  const Time now = message.launch = network_.clock().now();
  message.launched = true;
  ++under_way_;
  if (takes_cores(message))
    see_to(id, Stage::at_sender, through_core(message, message.envelope.source, now, processors_.overhead()));
  else
    set_out(id);
}

/// The time at which a rank's core is through with a message that comes to it now and takes so many seconds of it.
/// Until it begins, what the messages before lost counts for this one as well.
Time Messages::through_core(Message& message, Rank rank, const Time& now, double seconds) {
  const Time until = processors_.see_to(rank, now, seconds);
  charges_.wait_for_core(rank.index(), message.history, now, until - Time(seconds), until);
  return until;
}

/// Seconds of the core of its receiver.
double Messages::receiving(const Message& message) const {
  if (message.is_put || !takes_cores(message)) return 0;
  return processors_.receiving(message.bytes, message.send == no_request);
}

/// A core is through with the message at that time.
void Messages::see_to(MessageId id, Stage stage, const Time& until) {
  messages_[id].stage = stage;
  messages_[id].timer = network_.clock().start_timer_at(until, *this, id);
}

bool Messages::go_on(MessageId id) {
  if (std::exchange(messages_[id].stage, Stage::none) == Stage::at_receiver) {
    land(id);
    return true;
  }
  set_out(id);
  return false;
}

/// Gives the message to the network.
void Messages::set_out(MessageId id) {
  auto& message = messages_[id];
  const NodeId from = mapping_[message.envelope.source], to = mapping_[message.target];
  const auto [hops, latency, bandwidth] = network_.path(from, to);
  std::uint64_t bytes = message.bytes, on_links = 0;
  const bool fits = core::add_to(bytes, envelope_bytes_) &&
                    (from == to || core::add_to(bytes, network_.headers(bytes))) &&
                    !__builtin_mul_overflow(static_cast<std::uint64_t>(hops), bytes, &on_links);
  const Launch launch{message.envelope.source, from, to, message.bytes, bytes, hops};
  if (!fits || !count(traffic_, launch))
    throw core::SimulationError("the bytes of the messages, times their hops, add up to 2^64 or more");
  if (told_) told_(launch);
  const double at_sender = takes_cores(message) ? processors_.overhead() : 0;
  const double handshake = from == to || message.send == no_request ? 0 : network_.machine().parameters().handshake;
  const Time now = network_.clock().now();
  message.latency = latency + handshake + (at_sender + receiving(message));
  if (takes_cores(message)) message.for_core = std::max(0.0, (now - message.launch).seconds() - at_sender);
  message.transfer = network_.transfer_alone(from, to, bytes, bandwidth);
  message.own = from == to ? message.transfer
                           : message.for_core + own_traffic_.add(message.envelope.source, from, to, bytes,
                                                                 message.transfer, now, latency + handshake);
  message.flow = network_.start_flow(from, to, bytes, client_, id, order_, handshake);
  message.stage = Stage::on_network;
}

bool Messages::arrive(MessageId id, const FlowEnd& end) {
  auto& message = messages_[id];
  message.stage = Stage::none;
  const Time now = network_.clock().now();
  const bool waits = !message.is_put && takes_cores(message);
  const double at_receiver = receiving(message);
  const NodeId from = mapping_[message.envelope.source], to = mapping_[message.target];
  if (from != to) own_traffic_.remove(message.envelope.source, from, to);
  const double until_now = (now - message.launch).seconds() - (message.latency - at_receiver);
  const double waited = message.for_core + end.in_line.seconds();
  const double held_up = std::max(0.0, until_now - waited - message.transfer);  // while it flowed
  const double lost_to_others = charges_.add(message.history, held_up, end.losses);
  const Time there = message.arrival = waits ? through_core(message, message.target, now, at_receiver) : now;
  const double under_way = (there - message.launch).seconds() - message.latency;
  // It takes less than it would alone where links have become faster; what is below a billionth is rounding.
  const double least_sharing = (under_way + message.latency) * 1e-9;
  const double over = under_way - message.own;
  const double others = std::min(lost_to_others, under_way);
  const double sharing = std::max(over > least_sharing ? over : 0, others);
  const double bandwidth = under_way - sharing;
  message.history.latency += message.latency;
  message.history.bandwidth += bandwidth;
  message.history.sharing += sharing;
  message.history.others += others;
  if (causes_.wanted())
    causes_.add({.is_message = true,
                 .collective = collective_of(message.envelope),
                 .rank = message.envelope.source,
                 .receiver = message.target,
                 .bytes = message.bytes,
                 .operation = message.operation,
                 .begin = causes_.since_start(message.launch),
                 .end = causes_.since_start(there),
                 .latency = message.latency,
                 .bandwidth = bandwidth,
                 .sharing = sharing,
                 .at_core = std::clamp((there - now).seconds() - at_receiver, 0.0, sharing - others)},
                message.history);
  if (timeline_.is_kept()) timeline_.arrive(id, message.launch, there);
  if (waits)
    see_to(id, Stage::at_receiver, there);
  else
    land(id);
  return !waits;
}

/// The rank has the message now.
void Messages::land(MessageId id) {
  messages_[id].arrived = true;
  --under_way_;
}

void Messages::cancel() {
  std::vector<FlowId> flows;
  // Messages that are gone have arrived, or were never launched.
  for (auto& message : messages_.slots()) {
    if (!message.launched || message.arrived) continue;
    if (message.stage == Stage::on_network)
      flows.push_back(message.flow);
    else if (message.stage != Stage::none)
      network_.clock().cancel(message.timer);
    message.launched = false;
    --under_way_;
  }
  network_.cancel(std::move(flows));
}

std::map<TimerId, MessageId> Messages::at_cores() const {
  std::map<TimerId, MessageId> all;
  if (!processors_.see_to_messages()) return all;
  for (MessageId id = 0; id < messages_.slots().size(); ++id) {
    const auto& message = messages_.slots()[id];
    if (message.stage == Stage::at_sender || message.stage == Stage::at_receiver) all.emplace(message.timer, id);
  }
  return all;
}

}  // namespace toroid::netsim
