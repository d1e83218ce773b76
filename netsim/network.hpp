#pragma once
// The network as the replay sees it: start a flow, hear when it ends. Any number of clients, on one clock.

#include "netsim/flow.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/time/clock.hpp"
#include "toroid/netsim/engine.hpp"

namespace toroid::netsim {

using platforms::NodeId;

class Contention;

/// Flows from their start to their end: latencies, lines, and who is told; what their bytes do in between, the
/// transfer, is up to the engine that derives from this. First the latency of a flow passes; then its bytes flow, once
/// those of the flows before it in its line have left. What takes no share of any link, such as a message without
/// bytes, waits for its turn as well, but messages within a node share nothing and are in no line.
class Network : protected EventSource, TimerClient {
 public:
  /// Machine and clock must outlive the network, and so must the machines that it changes into.
  Network(const Machine& machine, Clock& clock);
  ~Network() override;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Machine& machine() const { return *machine_; }
  Clock& clock() const { return clock_; }
  /// What the links have carried until now.
  virtual const LinkUsage& usage() const { return usage_; }
  /// From now on, before the first transfer, `contention` watches all transfers (fluid/contention.hpp); it must outlive
  /// the network.
  void watch(Contention& contention) { contention_ = &contention; }
  /// Null if nobody watches.
  const Contention* contention() const { return contention_; }
  /// Why flows of this engine do not share links max-min fairly, as a Contention takes it; empty if they do.
  virtual std::string why_not_shared() const { return {}; }
  /// What a message that is alone on the machine meets on its way; valid until the next call.
  const platforms::Path& path(NodeId from, NodeId to) { return paths_.between(from, to); }
  /// The seconds that the bytes of a message take besides its latency if it is alone on the machine; `bandwidth` is its
  /// path's.
  virtual double transfer_alone(NodeId /*from*/, NodeId /*to*/, std::uint64_t bytes, double bandwidth) const {
    return static_cast<double>(bytes) / bandwidth;
  }

  /// The bytes of the headers of a message's packets, which links carry besides its own (platforms::Router::headers).
  virtual std::uint64_t headers(std::uint64_t bytes) const { return machine_->description().router.headers(bytes); }

  /// A message of so many bytes, 0 or more, headers included, between nodes that compute; they may be the same. The
  /// card of its node sends the message when those before it are out (NodeParameters::gap), and its bytes flow after
  /// the latency of its path and `handshake` seconds more. It lines up with those of the same order, whoever started
  /// them. The client must live until the flow has ended or was cancelled; it may start and cancel others whenever it
  /// is told of an end.
  FlowId start_flow(NodeId from, NodeId to, std::uint64_t bytes, FlowClient& client, std::uint32_t payload,
                    std::optional<Order> order = {}, double handshake = 0);
  /// The flow, whose client must not have been told of its end, leaves the network at once; the client hears nothing
  /// more of it.
  void cancel(FlowId flow);
  /// Cancels flows that leave the network at once: none takes the turn of another one before it goes.
  void cancel(std::vector<FlowId> flows);
  /// From now on the machine is another one with the same nodes, routers and links, some of which have failed, or carry
  /// more or less than before. Flows whose bytes are on links that work stay on their routes. For engines that can
  /// (MakeNetwork::machine_may_change).
  void change(const Machine& machine, OnLinkFailure on_failure);
  /// How many flows are under way.
  std::size_t flows() const { return flows_.size(); }
  /// The order of flows that are started without one: as the machine's nodes send.
  virtual Order default_order() const { return machine_->description().sending; }

  /// See LinkUsage; before the first flow.
  void measure_windows(std::size_t count) { usage_.measure_windows(count); }
  void ignore_links() { usage_.ignore(); }

  // What passes over iterations that repeat (repeats/).

  /// Whether the engine can show all that decides how its flows go on.
  virtual bool tells_state() const { return false; }
  /// Shows all flows to a walk, in the order in which they were started: first what the client knows of each, then what
  /// the network does. Not within an instant.
  void walk(StateWalk& walk);
  /// Whether equal states have the same times to the last bit, and not only but for the rounding of a solver.
  virtual bool has_exact_times() const { return false; }
  /// Shows what the links have carried to a tally.
  void tally(Tally& tally);
  /// The tally has what it wants to know.
  void end_tally() { usage_.forget(); }

  /// The settings in effect, for the record: the same settings give the same times.
  virtual std::vector<std::pair<std::string, std::string>> settings() const = 0;
  /// These, and the `order` of messages that are sent without one.
  std::vector<std::pair<std::string, std::string>> settings_and_order() const {
    auto all = settings();
    all.emplace_back("order", to_word(default_order()));
    return all;
  }

 protected:
  enum class Stage : std::uint8_t { none, latency, in_line, transfer, ended };
  struct Flow {
    FlowClient* client = nullptr;
    std::uint32_t payload = 0;
    Stage stage = Stage::none;
    bool lined_up = false;  ///< whether the flow is in a line now
    bool travels = false;   ///< whether the flow has a transfer
    NodeId from{}, to{};
    std::uint64_t number = 0;  ///< number of flows that had been started when it was
    std::uint64_t bytes = 0;
    Time ready = {};     ///< the time at which its latency is over
    Time began = {};     ///< the time at which its turn came
    Time waited = {};    ///< for turns before this one, if it started again, as a link of its route has failed
    Time for_card = {};  ///< time that it waited for the card of its node
    TimerId timer = 0;   ///< timer of its latency
  };

  const Flow& flow(FlowId id) const { return flows_[id]; }
  LinkUsage& mutable_usage() { return usage_; }
  /// How many bytes of a flow have gone, when so many are left.
  std::uint64_t bytes_but(FlowId id, double left) const {
    const auto rest = static_cast<std::uint64_t>(left);
    return flow(id).bytes - std::min(flow(id).bytes, rest);
  }

  // What an engine says while it lets transfers end.

  /// All bytes have arrived: the client hears of it in turn.
  void transfer_ended(FlowId id);
  /// All bytes have left their node, some time before they have arrived: the next in line can go.
  void transfer_left(FlowId id) { leave_line(id); }

  // What an engine does.

  /// How long a flow takes until its bytes begin to flow.
  virtual double head_start(const platforms::Path& path) const { return path.latency; }
  /// Whether such a flow has a transfer.
  virtual bool travels(NodeId from, NodeId to, std::uint64_t bytes) const {
    return bytes > 0 && machine_->uses_links(from, to);
  }
  /// The bytes of the flow begin to flow now.
  virtual void begin_transfer(FlowId id) = 0;
  /// The bytes of the flow stop now. Returns how many have flowed, for flows whose links the network books (route());
  /// nothing if all had arrived, and transfer_ended() has been told.
  virtual std::optional<std::uint64_t> stop_transfer(FlowId id) = 0;
  /// See EventSource::next().
  virtual Time next_end(const Time& limit) = 0;
  /// Lets transfers end that are due by `until`, at least one of them if there are any.
  virtual void let_end(const Time& until) = 0;
  // For engines whose machine may change:

  /// machine() is another one now: bytes flow as its bandwidths let them.
  virtual void adopt_machine() {}
  /// Bytes of a flow that have not arrived.
  virtual double bytes_left(FlowId) { return 0; }
  /// Routes that no flow takes any more are forgotten: flows between the same nodes may take others.
  virtual void forget_idle_routes() {}

  // For engines that tell their state:

  /// Shows how far the transfer of a flow is.
  virtual void walk_transfer(StateWalk&, FlowId) {}
  /// Shows what else it has.
  virtual void walk_rest(StateWalk&) {}
  /// Shows what it counts by itself to a tally; see LinkUsage::tally().
  virtual void tally_rest(Tally&) {}

  /// The links of a flow whose bytes have begun to flow.
  virtual LinkUsage::Route route(FlowId id);

 private:
  Time next(const Time& limit) final { return ended_.empty() ? next_end(limit) : clock_.now(); }
  bool happen(const Time& until) final;
  void timer_ended(std::uint32_t flow) final;
  Time leave_card(NodeId node);
  void take_turn(FlowId id);
  void leave_line(FlowId id);
  void tell(FlowId id);
  /// How long it was its line that kept the flow from its turn.
  static Time waited(const Flow& flow) { return flow.ready < flow.began ? flow.began - flow.ready : Time(); }
  void forget(FlowId id);
  void walk_flow(StateWalk& walk, FlowId id);
  void walk_cards(StateWalk& walk);
  std::vector<std::pair<FlowId, platforms::LinkId>> flows_on_failed_links(const Machine& machine);
  void start_again(FlowId id);

  const Machine* machine_;
  Clock& clock_;
  LinkUsage usage_;
  Paths paths_;
  core::Pool<Flow> flows_;
  Lines lines_;
  std::vector<Time> card_free_;  ///< by node: when its card can send the next message; empty if cards need no time
  std::uint64_t started_ = 0;    ///< flows, ever
  std::vector<FlowId> ended_;    ///< the first `told_` of them have been told of
  std::size_t told_ = 0;
  std::vector<platforms::LinkId> route_;  ///< the last one asked for
  Contention* contention_ = nullptr;
};

/// An engine that counts what it does: unlike time the same in every run, so that what depends on it is the same
/// everywhere.
class CountsWork {
 public:
  virtual ~CountsWork() = default;
  /// What its transfers have cost until now. A unit is about 10 ns of CPU time, whatever the engine
  /// (bench/speed: saturation, packets).
  virtual double work() const = 0;
};

}  // namespace toroid::netsim
