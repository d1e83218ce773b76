#include "tests/netsim/flits.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <deque>
#include <stdexcept>
#include <utility>

namespace toroid::test {
namespace {

constexpr int none = -1;
using Set = std::uint64_t;  ///< a bit each

Set bit(int i) {
  return Set{1} << i;
}
template <class Do>
void for_each(Set set, Do visit) {
  for (; set != 0; set &= set - 1) visit(std::countr_zero(set));
}
/// The first of the set from `turn` on, around.
int first_from(Set set, int turn) {
  const Set later = set & (~Set{0} << turn);
  return std::countr_zero(later != 0 ? later : set);
}

struct Packet {
  std::int32_t to;
  Set backward;           ///< by dimension: which way it goes if both are as short
  bool over_end = false;  ///< its way round the present ring goes over the end of it
  std::int64_t sent = 0;  ///< the cycle in which its head leaves the node
};

struct Flit {
  int packet;
  bool tail;  ///< the last one of it
};

/// A channel into a router.
struct Input {
  std::deque<Flit> flits;
  int output = none;  ///< the channel that its packet goes on by
  int turn = 0;       ///< among those that it is offered
};

/// A channel out of a router, or out of a node.
struct Output {
  bool is_taken = false;
  int credits = 0;
  int turn = 0;  ///< among inputs
};

struct Router {
  std::vector<Input> inputs;                       ///< by port and channel
  std::vector<Output> outputs;                     ///< likewise
  std::vector<int> port_turns;                     ///< by output port, among the crossbar's inputs
  std::vector<int> link_turns;                     ///< likewise, among inputs
  std::vector<int> crossbar_turns, channel_turns;  ///< by input of the crossbar: among output ports; among channels
};

struct Node {
  std::deque<int> packets;  ///< to be sent
  std::vector<Output> outputs;
  int sent = 0, channel = none, turn = 0;
};

/// In a cycle what is due comes; each node sends a flit, each router those of packets that have a channel, and then it
/// gives free channels to packets that have none. What is sent comes a cycle later or more, so the order of routers
/// does not matter.
class Simulation {
 public:
  Simulation(const FlitNetwork& network, const std::vector<FlitMessage>& messages, core::Random& random)
      : net_(network), ports_(2 * network.n + 1), events_(static_cast<std::size_t>(network.hop) + 1) {
    if (ports_ > 16 || ports_ * std::max(net_.channels, net_.speedup) > 64)
      throw std::invalid_argument("more ports or channels than there is room for");
    if (net_.channels < escapes() + (net_.adaptive ? 1 : 0))
      throw std::invalid_argument("packets could block each other");
    std::int32_t count = 1;
    for (int d = 0; d < net_.n; ++d) count *= net_.k;
    Router router;
    router.inputs.resize(index(ports_, 0));
    router.outputs.resize(index(ports_, 0), Output{.credits = net_.buffer});
    router.port_turns.resize(static_cast<std::size_t>(ports_), 0);
    router.link_turns = router.port_turns;
    router.crossbar_turns.resize(static_cast<std::size_t>(ports_ * net_.speedup), 0);
    router.channel_turns = router.crossbar_turns;
    routers_.assign(static_cast<std::size_t>(count), router);
    nodes_.resize(routers_.size());
    for (auto& node : nodes_) node.outputs.resize(index(1, 0), Output{.credits = net_.buffer});
    for (const auto& message : messages)
      for (std::int32_t i = 0; i < message.packets; ++i) {
        nodes_[static_cast<std::size_t>(message.from)].packets.push_back(static_cast<int>(packets_.size()));
        packets_.push_back({message.to, random.below(bit(net_.n))});
      }
    left_ = packets_.size();
    if (net_.draws_turns) draw_turns(random);
  }

  std::int64_t run() {
    for (now_ = 0; left_ > 0; ++now_) {
      auto& due = events_[static_cast<std::size_t>(now_) % events_.size()];
      for (const auto& event : std::exchange(due, {})) happen(event);
      for (std::size_t r = 0; r < routers_.size(); ++r) {
        inject(r);
        switch_flits(r);
        give_channels(r);
      }
    }
    return now_;
  }

 private:
  /// A flit comes in by one of the inputs; or one of the outputs has room for one more.
  struct Event {
    std::vector<Input>* inputs;
    std::vector<Output>* outputs;
    std::size_t channel;  ///< which of them
    Flit flit;
  };

  std::size_t index(int port, int channel) const { return static_cast<std::size_t>(port * net_.channels + channel); }
  int node_port() const { return ports_ - 1; }
  int stride(int d) const {
    int result = 1;
    while (d-- > 0) result *= net_.k;
    return result;
  }
  int coordinate(int router, int d) const { return router / stride(d) % net_.k; }
  std::size_t beyond(std::size_t router, int port) const {
    const int at = static_cast<int>(router), d = port / 2, from = coordinate(at, d);
    const int to = (from + (port % 2 == 0 ? 1 : net_.k - 1)) % net_.k;
    return static_cast<std::size_t>(at + (to - from) * stride(d));
  }
  void after(int cycles, const Event& event) {
    events_[static_cast<std::size_t>(now_ + cycles) % events_.size()].push_back(event);
  }
  void happen(const Event& event) {
    if (event.outputs != nullptr)
      ++(*event.outputs)[event.channel].credits;
    else
      (*event.inputs)[event.channel].flits.push_back(event.flit);
  }

  /// One flit of the node's first packet, which takes a channel with room in turn.
  void inject(std::size_t at) {
    auto& node = nodes_[at];
    if (node.packets.empty()) return;
    if (node.channel == none) {
      Set free = 0;
      for (int c = 0; c < net_.channels; ++c)
        if (const auto& output = node.outputs[index(0, c)]; output.credits > 0) free |= bit(c);
      if (free == 0) return;
      node.channel = first_from(free, node.turn);
      node.turn = (node.channel + 1) % net_.channels;
    }
    auto& output = node.outputs[index(0, node.channel)];
    if (output.credits == 0) return;
    --output.credits;
    const Flit flit{node.packets.front(), node.sent + 1 == net_.packet};
    if (node.sent == 0) packets_[static_cast<std::size_t>(flit.packet)].sent = now_;
    after(1, {&routers_[at].inputs, nullptr, index(node_port(), node.channel), flit});
    if (++node.sent < net_.packet) return;
    node.sent = 0;
    node.channel = none;
    node.packets.pop_front();
  }

  int port(int output) const { return output / net_.channels; }
  /// Whether a packet has a link for itself, so that one channel of a link is given at a time.
  bool holds_links() const { return net_.adaptive && !net_.shares_links; }
  Set outputs(int port, Set channels) const { return channels << (port * net_.channels); }
  /// The first channels, for packets in dimension order: where it wraps one for those whose way goes over the end.
  int escapes() const { return net_.wraps ? 2 : 1; }
  /// The outputs of a router by which a packet may go on that has come in by a port.
  Set ways(std::size_t router, Packet& packet, int in) const {
    const Set all = bit(net_.channels) - 1;
    for (int d = 0; d < net_.n; ++d) {
      const int here = coordinate(static_cast<int>(router), d), there = coordinate(packet.to, d);
      if (here == there) continue;
      if (net_.adaptive) return any_ways(static_cast<int>(router), packet);
      if (net_.wraps) {
        const int port = round(packet, d, here, there, in);  // which says what half it is of
        return outputs(port, half(packet));
      }
      return outputs(2 * d + (there > here ? 0 : 1), all);
    }
    return outputs(node_port(), all);
  }
  /// All shortest ways, and the one in dimension order on channels of its own.
  Set any_ways(int router, const Packet& packet) const {
    const Set adaptive = (bit(net_.channels) - 1) & ~(bit(escapes()) - 1);
    Set all = 0;
    for (int d = 0; d < net_.n; ++d) {
      const int here = coordinate(router, d), there = coordinate(packet.to, d);
      if (here == there) continue;
      const int steps = (there - here + net_.k) % net_.k;
      const bool forward = net_.wraps ? 2 * steps <= net_.k : there > here;
      const int port = 2 * d + (forward ? 0 : 1);
      if (all == 0) all = outputs(port, bit(net_.wraps && forward != (there > here) ? 1 : 0));
      all |= outputs(port, adaptive);
      if (net_.wraps && 2 * steps == net_.k) all |= outputs(port ^ 1, adaptive);
    }
    return all;
  }
  /// The port by which it goes on round a ring.
  int round(Packet& packet, int d, int here, int there, int in) const {
    if (in / 2 == d) return in;
    const int steps = (there - here + net_.k) % net_.k;
    const bool forward = 2 * steps == net_.k ? (packet.backward & bit(d)) == 0 : 2 * steps < net_.k;
    packet.over_end = forward != (there > here);
    return 2 * d + (forward ? 0 : 1);
  }
  /// Those that go over the end of a ring have one half of its channels, the others the other one.
  Set half(const Packet& packet) const {
    const Set first = bit(net_.channels / 2) - 1;
    return packet.over_end ? (bit(net_.channels) - 1) & ~first : first;
  }
  /// Of the outputs that a packet is offered; adaptive ones go in order only if they are offered nothing else.
  int first_choice(Set offered, int turn) const {
    Set any = 0;
    for (int port = 0; net_.adaptive && port < ports_; ++port)
      any |= outputs(port, ~(bit(escapes()) - 1) & (bit(net_.channels) - 1));
    return first_from((offered & any) != 0 ? offered & any : offered, turn);
  }
  /// Of the inputs that ask: the one with the oldest packet, or the one whose turn it is.
  int next(const Router& router, Set asking, int turn) const {
    if (!net_.oldest_first) return first_from(asking, turn);
    const auto age = [&](int in) {
      const int packet = router.inputs[static_cast<std::size_t>(in)].flits.front().packet;
      return std::pair(packets_[static_cast<std::size_t>(packet)].sent, packet);
    };
    int oldest = std::countr_zero(asking);
    for_each(asking, [&](int in) { oldest = age(in) < age(oldest) ? in : oldest; });
    return oldest;
  }
  /// The outputs of a port that may be given to packets now.
  Set free_outputs(const Router& router, int port) const {
    Set free = 0;
    for (int c = 0; c < net_.channels; ++c) {
      const auto& output = router.outputs[index(port, c)];
      if (output.is_taken && holds_links()) return 0;
      if (!output.is_taken && (!net_.adaptive || output.credits >= net_.packet))
        free |= bit(static_cast<int>(index(port, c)));
    }
    return free;
  }

  void draw_turns(core::Random& random);
  void switch_flits(std::size_t at);
  void give_channels(std::size_t at);
  void send(std::size_t at, std::size_t in);

  FlitNetwork net_;
  int ports_;
  std::vector<std::vector<Event>> events_;
  std::vector<Packet> packets_;
  std::vector<Router> routers_;
  std::vector<Node> nodes_;
  std::size_t left_ = 0;
  std::int64_t now_ = 0;
};

void Simulation::draw_turns(core::Random& random) {
  const auto draw = [&](int& turn, int of) { turn = static_cast<int>(random.below(static_cast<std::uint64_t>(of))); };
  for (auto& router : routers_) {
    for (auto& input : router.inputs) draw(input.turn, ports_ * net_.channels);
    for (auto& output : router.outputs) draw(output.turn, ports_ * net_.channels);
    for (auto& turn : router.port_turns) draw(turn, ports_ * net_.speedup);
    for (auto& turn : router.link_turns) draw(turn, ports_ * net_.channels);
    for (auto& turn : router.crossbar_turns) draw(turn, ports_);
    for (auto& turn : router.channel_turns) draw(turn, net_.channels);
  }
  for (auto& node : nodes_) draw(node.turn, net_.channels);
}

/// Each output, or where packets hold links each link, chooses one of the packets that may take it; each packet, one of
/// those that chose it.
void Simulation::give_channels(std::size_t at) {
  auto& router = routers_[at];
  std::array<Set, 64> asking = {}, offered = {};  // by output; by input
  for (std::size_t in = 0; in < router.inputs.size(); ++in) {
    auto& input = router.inputs[in];
    if (input.output != none || input.flits.empty()) continue;
    auto& packet = packets_[static_cast<std::size_t>(input.flits.front().packet)];
    for_each(ways(at, packet, port(static_cast<int>(in))),
             [&](int out) { asking[static_cast<std::size_t>(out)] |= bit(static_cast<int>(in)); });
  }
  const auto offer = [&](int in, int out) { offered[static_cast<std::size_t>(in)] |= bit(out); };
  const auto asking_for = [&](int out) { return asking[static_cast<std::size_t>(out)]; };
  for (int port = 0; port < ports_; ++port) {
    const Set free = free_outputs(router, port);
    if (holds_links()) {
      Set all = 0;
      for_each(free, [&](int out) { all |= asking_for(out); });
      if (all == 0) continue;
      const int in = next(router, all, router.link_turns[static_cast<std::size_t>(port)]);
      Set those = 0;
      for_each(free, [&](int out) { those |= (asking_for(out) & bit(in)) != 0 ? bit(out) : 0; });
      offer(in, first_from(those, port * net_.channels + escapes()));  // its last choice is to go in order
      continue;
    }
    for_each(free, [&](int out) {
      if (asking_for(out) != 0)
        offer(next(router, asking_for(out), router.outputs[static_cast<std::size_t>(out)].turn), out);
    });
  }
  for (std::size_t in = 0; in < router.inputs.size(); ++in) {
    if (offered[in] == 0) continue;
    auto& input = router.inputs[in];
    input.output = first_choice(offered[in], input.turn);
    input.turn = (input.output + 1) % 64;
    auto& output = router.outputs[static_cast<std::size_t>(input.output)];
    output.is_taken = true;
    output.turn = router.link_turns[static_cast<std::size_t>(port(input.output))] = static_cast<int>(in + 1) % 64;
  }
}

/// Each output port chooses one of the crossbar's inputs; each of these, one of the ports that chose it.
void Simulation::switch_flits(std::size_t at) {
  auto& router = routers_[at];
  const int crossbar = ports_ * net_.speedup;
  // The channel that sends from an input of the crossbar to an output port.
  std::array<std::array<int, 64>, 16> sends;
  std::array<Set, 64> asking = {}, offered = {};
  for (int in = 0; in < ports_ * net_.channels; ++in) {
    const auto& input = router.inputs[static_cast<std::size_t>(in)];
    if (input.output == none || input.flits.empty()) continue;
    const int to = port(input.output);
    if (to != node_port() && router.outputs[static_cast<std::size_t>(input.output)].credits == 0) continue;
    const int channel = in % net_.channels, by = in / net_.channels * net_.speedup + channel % net_.speedup;
    auto& chosen = sends[static_cast<std::size_t>(to)][static_cast<std::size_t>(by)];
    const int turn = router.channel_turns[static_cast<std::size_t>(by)];
    const auto wait = [&](int c) { return (c - turn + net_.channels) % net_.channels; };
    const bool is_first = (asking[static_cast<std::size_t>(to)] & bit(by)) == 0;
    if (is_first || wait(channel) < wait(chosen % net_.channels)) chosen = in;
    asking[static_cast<std::size_t>(to)] |= bit(by);
  }
  for (int port = 0; port < ports_; ++port)
    if (const Set those = asking[static_cast<std::size_t>(port)]; those != 0)
      offered[static_cast<std::size_t>(first_from(those, router.port_turns[static_cast<std::size_t>(port)]))] |=
          bit(port);
  for (int by = 0; by < crossbar; ++by) {
    const Set those = offered[static_cast<std::size_t>(by)];
    if (those == 0) continue;
    auto& turn = router.crossbar_turns[static_cast<std::size_t>(by)];
    const int port = first_from(those, turn);
    turn = (port + 1) % ports_;
    router.port_turns[static_cast<std::size_t>(port)] = (by + 1) % crossbar;
    const int in = sends[static_cast<std::size_t>(port)][static_cast<std::size_t>(by)];
    router.channel_turns[static_cast<std::size_t>(by)] = (in % net_.channels + 1) % net_.channels;
    send(at, static_cast<std::size_t>(in));
  }
}

/// The first flit of an input leaves the router.
void Simulation::send(std::size_t at, std::size_t in) {
  auto& router = routers_[at];
  auto& input = router.inputs[in];
  const auto flit = input.flits.front();
  input.flits.pop_front();
  const int came_by = port(static_cast<int>(in));
  const int channel = static_cast<int>(in) % net_.channels;
  if (came_by == node_port())
    after(2, {nullptr, &nodes_[at].outputs, index(0, channel), flit});
  else
    after(net_.hop - 1, {nullptr, &routers_[beyond(at, came_by ^ 1)].outputs, in, flit});
  const int to = port(input.output);
  auto& output = router.outputs[static_cast<std::size_t>(input.output)];
  if (to != node_port()) {
    --output.credits;
    after(net_.hop - 1, {&routers_[beyond(at, to)].inputs, nullptr, static_cast<std::size_t>(input.output), flit});
  } else if (flit.tail) {
    --left_;
  }
  if (!flit.tail) return;
  output.is_taken = false;
  input.output = none;
}

}  // namespace

std::int64_t last_flit_arrives(const FlitNetwork& network, const std::vector<FlitMessage>& messages,
                               core::Random& random) {
  constexpr std::int64_t to_node =
      3;  // so that a packet alone takes 5 cycles beside its hops and its flits, as BookSim's
  return Simulation(network, messages, random).run() + to_node;
}

}  // namespace toroid::test
