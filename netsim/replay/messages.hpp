#pragma once
// Point-to-point messages from their send to their receipt: protocols, matching, the way through the network.

#include "netsim/replay/charges.hpp"
#include "netsim/replay/hosts.hpp"
#include "netsim/replay/logs.hpp"
#include "toroid/netsim/replay_options.hpp"

namespace toroid::netsim {

using MessageId = std::uint32_t;

/// Where a message is that is under way.
enum class Stage : std::uint8_t { none, at_sender, on_network, at_receiver };

struct Message {
  Envelope envelope;
  Rank target;
  std::uint64_t bytes;
  std::uint64_t operation;         ///< index of the send in the sender's stream
  RequestId send;                  ///< request of a sender that waits (rendezvous), else no_request
  RequestId receive = no_request;  ///< request of the receiver, once matched
  bool launched = false, arrived = false;
  bool is_put = false;  ///< whether nobody receives it
  Stage stage = Stage::none;
  TimerId timer = 0;  ///< timer of the core of its sender or receiver, which sees to it
  FlowId flow = 0;    ///< once it is on the network, with what follows
  Time launch = {};   ///< when its latency began; before that, when it was announced
  Time arrival = {};
  double latency = 0, transfer = 0;  ///< seconds it takes when alone; the latency has what cores spend on it
  double for_core = 0;               ///< seconds that it waited for the core of its sender, behind other messages
  double own = 0;        ///< seconds besides its latency, were its sender's traffic alone (OwnTraffic, and for_core)
  History history = {};  ///< history of the sender, then of the launch, then of the arrival

  Moment moment() const { return {arrived ? arrival : launch, history.charged}; }
};

/// All messages of one replay. Which requests they end is for their owner to act on: flow_ended() of `client` gets the
/// id of the message that has left the network.
class Messages : TimerClient {
 public:
  /// What it does when the core of a rank is through with a message: go_on() is to be called.
  using SeenTo = std::function<void(MessageId)>;

  /// Counts in `traffic` what sets out, enters in `timeline` what is sent, in `causes` and `charges` what arrives. All
  /// it is given by reference must outlive it.
  Messages(Network& network, FlowClient& client, const Mapping& mapping, const ReplayOptions& options,
           SentMessages& traffic, CauseLog& causes, TimelineLog& timeline, Charges& charges, Processors& processors,
           SeenTo seen_to);

  /// Whether the sender goes on at once.
  bool is_eager(std::uint64_t bytes, workloads::SendMode mode) const;

  /// Sends a message to rank `target`. Its arrival ends `request`, if the sender waits for it. `history` is the
  /// sender's.
  void send(const Envelope& envelope, Rank target, std::uint64_t bytes, std::uint64_t operation, RequestId request,
            const History& history);

  /// Sends a message that nobody receives, at once.
  void put(const Envelope& envelope, Rank target, std::uint64_t bytes, std::uint64_t operation, const History& history);

  /// Posts a receive of a rank. True if its message is there already; else its arrival will end `request`. `history`
  /// is the receiver's. Notes with `charges`, by request, when its message arrived.
  bool receive(const Envelope& wanted, Rank rank, RequestId request, const History& history);

  /// The flow of the message has ended. Its history is that of its arrival from now on. Returns whether it has arrived;
  /// else its receiver's core sees to it first.
  bool arrive(MessageId id, const FlowEnd& end);
  /// A core is through with the message, which sets out by that or has arrived. Returns whether it has arrived.
  bool go_on(MessageId id);
  /// The messages that cores see to, by their timers.
  std::map<TimerId, MessageId> at_cores() const;
  /// Forgets a message that has arrived and whose receive has ended.
  void forget(MessageId id) { messages_.remove(id); }

  /// A message that sets out. `carried` are its bytes with the envelope and the headers of its packets.
  struct Launch {
    Rank rank;
    NodeId from, to;
    std::uint64_t bytes, carried;
    std::int32_t hops;
  };
  /// Sets who is told of each message that sets out.
  void on_launch(std::function<void(const Launch&)> told) { told_ = std::move(told); }
  /// Counts a message; false if its bytes are too many to count.
  [[nodiscard]] static bool count(SentMessages& traffic, const Launch& launch);

  /// How many are on their way.
  std::size_t under_way() const { return under_way_; }
  /// Takes those out of the network.
  void cancel();

  const Message& operator[](MessageId id) const { return messages_[id]; }
  Message& operator[](MessageId id) { return messages_[id]; }
  /// What ranks have not received, and receives nobody has sent to.
  const MatchQueues& queues() const { return queues_; }
  OwnTraffic& own_traffic() { return own_traffic_; }
  /// Calls visit(History&) for all there are, and for those of forgotten messages.
  template <class Visit>
  void for_each_history(Visit visit) {
    for (auto& message : messages_.slots()) visit(message.history);
  }

 private:
  MessageId add(const Message& message);
  void launch(MessageId id);
  void set_out(MessageId id);
  void land(MessageId id);
  /// Whether cores see to it: within a node they do not.
  bool takes_cores(const Message& message) const {
    return processors_.see_to_messages() && mapping_[message.envelope.source] != mapping_[message.target];
  }
  Time through_core(Message& message, Rank rank, const Time& now, double seconds);
  double receiving(const Message& message) const;
  void see_to(MessageId id, Stage stage, const Time& until);
  void timer_ended(std::uint32_t id) override { seen_to_(id); }

  Network& network_;
  FlowClient& client_;
  Mapping mapping_;
  std::uint64_t eager_threshold_, envelope_bytes_;
  std::optional<Order> order_;
  SentMessages& traffic_;
  std::function<void(const Launch&)> told_;
  CauseLog& causes_;
  TimelineLog& timeline_;
  Charges& charges_;
  Processors& processors_;
  SeenTo seen_to_;
  OwnTraffic own_traffic_;
  MatchQueues queues_;
  core::Pool<Message> messages_;
  std::size_t under_way_ = 0;
};

}  // namespace toroid::netsim
