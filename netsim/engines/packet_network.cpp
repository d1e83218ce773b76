// The packet engine: flows as messages of a packet network (packet/fabric.hpp), which has a time of its own, in ticks.
// It is ahead of the clock while nothing can interfere: up to the next timer, or until a message has left its node or
// arrived.

#include "core/units.hpp"
#include "netsim/network.hpp"
#include "netsim/packet/credits.hpp"
#include "netsim/packet/fabric.hpp"
#include "netsim/repeats/state_walk.hpp"

namespace toroid::netsim {
namespace {

using packet::Arbitration;
using packet::Rings;
using packet::Routing;
using packet::Ties;

/// The work for a packet from one router to the next, in units of CountsWork.
constexpr double work_of_a_hop = 30;

/// A size in bytes that fits the counters of the routers.
core::Type<std::int32_t> small_bytes(std::uint64_t least, std::uint64_t most = 1 << 30) {
  return {fmt::format("a size from {} B to {}", least, most == 1 << 30 ? "1 GiB" : fmt::format("{} KiB", most >> 10U)),
          [=](std::string_view text, const core::Place& place) -> std::optional<std::int32_t> {
            const auto bytes = core::whole_bytes().read(text, place);
            if (bytes < least || bytes > most) return std::nullopt;
            return static_cast<std::int32_t>(bytes);
          }};
}

/// A key whose value is a word for what a router has.
template <class Value>
core::OptionalParameter<Value> word(std::string_view key, std::string_view meaning) {
  return {key, meaning, core::one_of<Value>(platforms::words<Value>()), fmt::format("the machine's router.{}", key)};
}

// What a key does not say, the machine says.
const core::OptionalParameter<std::int32_t> packet_bytes{"packet", "most bytes of data in a packet", small_bytes(1),
                                                         "the machine's router.packet"};
const core::OptionalParameter<std::int32_t> header_bytes{"header", "bytes of a packet besides its data",
                                                         small_bytes(0, platforms::most_header_bytes),
                                                         "the machine's router.header"};
const core::OptionalParameter<std::int32_t> channels{"vcs", "virtual channels of each link",
                                                     core::whole<std::int32_t>(1, 64), "the machine's router.vcs"};
const core::OptionalParameter<std::int32_t> buffer_bytes{"buffer", "buffer of each virtual channel", small_bytes(1),
                                                         "the machine's router.buffer"};
const core::OptionalParameter<std::int32_t> injection_channels{"inject", "virtual channels from a node into its router",
                                                               core::whole<std::int32_t>(1, 64),
                                                               "the machine's router.inject"};
const core::OptionalParameter<std::int32_t> crossbar{"crossbar", "virtual channels of an input that can leave at once",
                                                     core::whole<std::int32_t>(1, 64), "the machine's router.crossbar"};
const auto routing = word<Routing>("routing",
                                   "ways of packets: in the order of the dimensions, any shortest one that is free, or "
                                   "that along the longest dimensions first");
const auto ties = word<Ties>("ties", "ways half round a torus: as the machine's routes go, or both");
const auto rings = word<Rings>(
    "rings", "what keeps packets on a ring from waiting for each other: two classes of channels, or a bubble");
const auto arbitration = word<Arbitration>("arbitration", "which packet gets a link: in turn, or the oldest");
// Not of the routers: results are the same.
const core::Parameter<std::size_t> thread_count{"threads", "threads that simulate a machine of 8,192 routers or more",
                                                core::whole<std::size_t>(1, 2), "1"};

/// The packets of the machine, but for what the keys say: only their sizes count.
platforms::Router packets_of(const Machine& machine, const core::Arguments& arguments) {
  const auto& router = machine.description().router;
  return {.packet_bytes = arguments[packet_bytes].value_or(router.packet_bytes),
          .header_bytes = arguments[header_bytes].value_or(router.header_bytes)};
}

/// The routers of the machine, but for what the keys say.
packet::Options options_of(const Machine& machine, const core::Arguments& arguments) {
  const auto& router = machine.description().router;
  const auto packets = packets_of(machine, arguments);
  packet::Options o;
  o.packet_bytes = packets.packet_bytes + packets.header_bytes;
  o.channels = arguments[channels].value_or(router.channels);
  o.rings = arguments[rings].value_or(router.rings);
  // A buffer of the machine's holds its packets, with a bubble two, but not any that a key makes larger.
  const auto buffer = router.buffer_bytes.value_or(0), packets_in_it = buffer / o.packet_bytes;
  o.buffer_bytes = arguments[buffer_bytes].value_or(packets_in_it < (o.rings == Rings::bubble ? 2 : 1) ? 0 : buffer);
  o.injection_channels = arguments[injection_channels].value_or(router.injection_channels.value_or(o.channels));
  o.crossbar = arguments[crossbar].value_or(router.crossbar.value_or(0));
  o.routing = arguments[routing].value_or(router.routing);
  o.ties = arguments[ties].value_or(router.ties);
  o.arbitration = arguments[arbitration].value_or(router.arbitration);
  return o;
}

class PacketNetwork final : public Network, public CountsWork {
 public:
  PacketNetwork(const Machine& machine, Clock& clock, const platforms::Router& packets, const packet::Options& options,
                std::size_t threads)
      : Network(machine, clock),
        packets_(packets),
        fabric_(
            std::make_unique<packet::Fabric>(machine, options, mutable_usage(), packet::Division{.threads = threads})),
        options_(fabric_->options()),
        credits_(machine, fabric_->layout(), options_),
        waits_for_credits_(!credits_.remark().empty()) {}

  std::string why_not_shared() const override {
    return "packets wait for buffers behind others, on many links at once";
  }

  std::uint64_t headers(std::uint64_t bytes) const override { return packets_.headers(bytes); }

  double transfer_alone(NodeId from, NodeId to, std::uint64_t bytes, double bandwidth) const override {
    const double by_links = Network::transfer_alone(from, to, bytes, bandwidth);
    if (!waits_for_credits_ || !travels(from, to, bytes)) return by_links;
    return std::max(by_links, credits_.seconds(from, to, bytes));
  }

  const LinkUsage& usage() const override {
    fabric_->report();
    return Network::usage();
  }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"model", "virtual cut-through"},
            {"packet", fmt::format("{} B", packets_.packet_bytes)},
            {"header", fmt::format("{} B", packets_.header_bytes)},
            {"vcs", std::to_string(options_.channels)},
            {"buffer", fmt::format("{} B", options_.buffer_bytes)},
            {"inject", std::to_string(options_.injection_channels)},
            {"inject-buffer", fmt::format("{} B", options_.injection_buffer_bytes)},
            {"crossbar", options_.crossbar == 0 ? "none" : std::to_string(options_.crossbar)},
            {"routing", std::string(to_word(options_.routing))},
            {"ties", std::string(to_word(options_.ties))},
            {"rings", std::string(to_word(options_.rings))},
            {"arbitration", std::string(to_word(options_.arbitration))},
            {"tick", core::format_duration(fabric_->tick_seconds())}};
  }

  double work() const override { return work_of_a_hop * static_cast<double>(fabric_->hops()); }

 private:
  using MessageId = packet::Fabric::MessageId;
  static constexpr MessageId no_message = ~MessageId{0};
  static constexpr FlowId no_flow = ~FlowId{0};

  /// A message without bytes is a packet, too: it must not overtake others.
  bool travels(NodeId from, NodeId to, std::uint64_t) const override { return machine().uses_links(from, to); }
  /// Hops take their time as packets go over them.
  double head_start(const platforms::Path&) const override { return machine().parameters().base_latency; }

  void begin_transfer(FlowId id) override {
    if (under_way_++ == 0) {  // until now nobody cared what becomes of credits and of packets that nobody waits for
      fabric_->run(fabric_->first_after(clock().now()));
      if (fabric_->idle()) fabric_->begin_anew(clock().now());
    }
    const auto& flow = this->flow(id);
    at(message_of_, id) = no_message;
    arrivals_.join(Lines::of_pair(flow.from, flow.to), id);
    check_length(flow.bytes);
    const auto message = fabric_->send(flow.from, flow.to, flow.bytes, clock().now());
    at(flow_of_, message) = id;
    message_of_[id] = message;
  }

  /// Packet by packet, a longer message would take days.
  void check_length(std::uint64_t bytes) const {
    constexpr std::uint64_t most_packets = std::uint64_t{1} << 32U;
    if (bytes / static_cast<std::uint64_t>(options_.packet_bytes) >= most_packets)
      throw core::SimulationError(
          fmt::format("engine packet: a message of {} bytes is more than {} packets of {} bytes; expected larger "
                      "packets, or the engine fluid",
                      bytes, most_packets, options_.packet_bytes));
  }

  /// Packets that have left their node go on to their target, and are in the way of others.
  std::optional<std::uint64_t> stop_transfer(FlowId id) override {
    if (const auto message = std::exchange(message_of_[id], no_message); message != no_message) {
      flow_of_[message] = no_flow;
      fabric_->drop(message);
    }
    --under_way_;
    end_those_behind(id);
    return 0;
  }

  /// Each packet books the links that it goes over.
  LinkUsage::Route route(FlowId) override { return {}; }

  bool tells_state() const override { return fabric_->tells_state(); }
  bool has_exact_times() const override { return true; }
  void walk_transfer(StateWalk& walk, FlowId id) override {
    if (walk.moves()) return;
    walk.same(arrivals_.is_first(id));
    if (!arrivals_.is_first(id)) walk.meet(StateWalk::Kind::flow, arrivals_.before(id));
    walk.same(message_of_[id] != no_message);
    if (message_of_[id] != no_message) fabric_->walk_message(walk, message_of_[id]);
  }
  void walk_rest(StateWalk& walk) override { fabric_->walk(walk); }
  void tally_rest(Tally& tally) override { fabric_->tally(tally); }

  Time next_end(const Time& limit) override {
    go_on(fabric_->first_from(limit));
    if (fabric_->has_news()) return fabric_->time_of(fabric_->now());
    return under_way_ == 0 || fabric_->idle() ? Time::never() : fabric_->time_of(fabric_->next());
  }

  void let_end(const Time& until) override {
    go_on(fabric_->first_after(until));
    if (!fabric_->has_news() || until < fabric_->time_of(fabric_->now())) return;
    for (const auto message : fabric_->left())
      if (flow_of_[message] != no_flow) transfer_left(flow_of_[message]);
    fabric_->left().clear();
    for (const auto message : fabric_->arrived()) {
      const auto id = std::exchange(flow_of_[message], no_flow);
      if (id == no_flow) continue;
      message_of_[id] = no_message;
      if (arrivals_.is_first(id)) end(id);
    }
    fabric_->arrived().clear();
  }

  /// Nobody cares what happens while no transfer is under way.
  void go_on(packet::Tick end) {
    if (under_way_ > 0) fabric_->run_to_news(end);
  }

  /// The flow has arrived, and all before it between its nodes have.
  void end(FlowId id) {
    transfer_ended(id);
    --under_way_;
    end_those_behind(id);
  }

  void end_those_behind(FlowId id) {
    const auto next = arrivals_.leave(id);
    if (next != Lines::nobody && message_of_[next] == no_message) end(next);
  }

  template <class T>
  static T& at(std::vector<T>& all, std::uint32_t index) {
    if (index >= all.size()) all.resize(index + std::size_t{1});
    return all[index];
  }

  platforms::Router packets_;
  std::unique_ptr<packet::Fabric> fabric_;
  packet::Options options_;
  packet::Credits credits_;
  bool waits_for_credits_;             ///< whether some message may wait for credits though it is alone
  std::vector<FlowId> flow_of_;        ///< flow of each message; no_flow if nobody waits for it
  std::vector<MessageId> message_of_;  ///< message of each flow; no_message once it has arrived
  Lines arrivals_;                     ///< flows between the same nodes end in the order in which they began
  std::size_t under_way_ = 0;          ///< transfers
};

/// Not what a key says in the place of the machine.
bool takes(std::string_view property, const platforms::Description&, const core::Arguments& arguments) {
  constexpr std::string_view of_routers = "router.";
  return !property.starts_with(of_routers) || !arguments.spec().find(property.substr(of_routers.size()));
}

std::vector<std::string> remarks(const Machine& machine, const core::Arguments& arguments) {
  const auto options = options_of(machine, arguments);
  const packet::Layout layout(machine, options);
  const packet::Credits credits(machine, layout, options);
  std::vector<std::string> all;
  if (auto remark = credits.remark(); options.buffer_bytes > 0 && !remark.empty()) all.push_back(std::move(remark));
  if (options.routing == Routing::dimension_order) return all;
  all.push_back(
      fmt::format("adaptive routes have {} channels a link here, buffers of {} B and ties={}: whether routes in "
                  "dimension order are slower may depend on these (router.vcs, router.buffer, router.ties)",
                  options.channels, options.buffer_bytes > 0 ? options.buffer_bytes : credits.buffer_needed(),
                  to_word(options.ties)));
  // The runs are told in docs/validation/engines.md and measured.md.
  if (std::ranges::any_of(machine.description().dimensions, [](auto& d) { return d.wrap != platforms::Wrap::mesh; }))
    all.emplace_back(
        "adaptive routes on rings are 3 % from flit-level runs on average, 27 % at worst; of real adaptive routers "
        "only all-to-alls of Blue Gene were compared, within 8 %");
  return all;
}

}  // namespace

core::Entry<MakeNetwork> packet_engine() {
  return {
      "packet",
      "packets in the machine's routers with finite buffers: virtual cut-through, native",
      {.make = [](const Machine& machine, Clock& clock, const core::Arguments& arguments) -> std::unique_ptr<Network> {
         return std::make_unique<PacketNetwork>(machine, clock, packets_of(machine, arguments),
                                                options_of(machine, arguments), arguments[thread_count]);
       },
       .remarks = remarks,
       .takes = takes,
       .deviation = deviation_of_packets},
      {packet_bytes, header_bytes, channels, buffer_bytes, injection_channels, crossbar, routing, ties, rings,
       arbitration, thread_count}};
}

}  // namespace toroid::netsim
