#include "netsim/network.hpp"

#include "netsim/fluid/contention.hpp"
#include "netsim/repeats/state_walk.hpp"
#include "netsim/repeats/tally.hpp"

namespace toroid::netsim {

void FlowClient::walk_flow(StateWalk& walk, std::uint32_t /*payload*/) {
  walk.refuse();
}

Network::Network(const Machine& machine, Clock& clock)
    : machine_(&machine), clock_(clock), usage_(machine), paths_(machine) {
  clock_.attach(*this);
}

Network::~Network() {
  for (const auto& flow : flows_.slots())
    if (flow.stage == Stage::latency) clock_.cancel(flow.timer);
  clock_.detach(*this);
}

FlowId Network::start_flow(NodeId from, NodeId to, std::uint64_t bytes, FlowClient& client, std::uint32_t payload,
                           std::optional<Order> order, double handshake) {
  TOROID_ASSERT_HEAVY(machine_->computes(from) && machine_->computes(to));
  const auto id = flows_.add({.client = &client, .payload = payload, .from = from, .to = to, .bytes = bytes});
  auto& flow = flows_[id];
  flow.number = ++started_;
  flow.stage = Stage::in_line;
  flow.travels = travels(from, to, bytes);
  const auto discipline = order.value_or(default_order());
  flow.lined_up = from != to && discipline != Order::shared;
  if (flow.lined_up) lines_.join(discipline == Order::pair ? Lines::of_pair(from, to) : Lines::of_node(from), id);
  const auto& path = this->path(from, to);
  const double delay = flow.travels ? head_start(path) : path.latency + static_cast<double>(bytes) / path.bandwidth;
  if (from != to) flow.for_card = leave_card(from) - clock_.now();
  TOROID_ASSERT_HEAVY(delay >= 0 && handshake >= 0 && flow.for_card >= Time());
  flow.ready = clock_.now() + flow.for_card + Time(delay + handshake);
  // While others are before it nobody cares when its latency ends: take_turn() sees to it.
  if (flow.lined_up && !lines_.is_first(id)) return id;
  flow.stage = Stage::latency;
  flow.timer = clock_.start_timer(flow.ready - clock_.now(), *this, id);
  return id;
}

/// When the card of a node sends a message that it is given now.
Time Network::leave_card(NodeId node) {
  const double gap = machine_->parameters().gap;
  if (gap == 0) return clock_.now();
  card_free_.resize(static_cast<std::size_t>(machine_->node_count()), Time());
  auto& free = card_free_[node.index()];
  const Time leaves = std::max(clock_.now(), free);
  free = std::min(leaves + Time(gap), Time::latest());
  return leaves;
}

void Network::cancel(FlowId id) {
  auto& flow = flows_[id];
  TOROID_ASSERT(flow.client != nullptr);  // neither told of its end nor cancelled before
  flow.client = nullptr;
  if (flow.stage == Stage::ended) return;  // at this very moment: only its client has not heard yet, and will not
  if (flow.stage == Stage::latency) clock_.cancel(flow.timer);
  if (flow.stage == Stage::transfer) {
    const auto flowed = stop_transfer(id);
    if (!flowed) return;
    usage_.end(route(id), *flowed, flow.began, clock_.now());
    if (contention_ != nullptr) contention_->end(id, *flowed, clock_.now());
  }
  leave_line(id);
  forget(id);
}

void Network::cancel(std::vector<FlowId> flows) {
  std::sort(flows.begin(), flows.end(), [this](auto a, auto b) { return flows_[a].number > flows_[b].number; });
  for (const auto id : flows) cancel(id);
}

void Network::timer_ended(std::uint32_t id) {
  auto& flow = flows_[id];
  TOROID_ASSERT(flow.stage == Stage::latency);
  TOROID_ASSERT_HEAVY(!flow.lined_up || lines_.is_first(id));
  flow.ready = clock_.now();
  if (flow.travels)
    take_turn(id);
  else
    tell(id);
}

/// The flow is the first of its line, or in none: its bytes flow, once its latency is over.
void Network::take_turn(FlowId id) {
  auto& flow = flows_[id];
  TOROID_ASSERT(flow.stage == Stage::latency || flow.stage == Stage::in_line);
  TOROID_ASSERT_HEAVY(!flow.lined_up || lines_.is_first(id));
  flow.began = clock_.now();
  if (flow.began < flow.ready) {
    flow.stage = Stage::latency;
    flow.timer = clock_.start_timer(flow.ready - flow.began, *this, id);
    return;
  }
  if (!flow.travels) {
    flow.stage = Stage::ended;
    return ended_.push_back(id);
  }
  flow.stage = Stage::transfer;
  begin_transfer(id);
  usage_.begin(route(id), flow.began);
  if (contention_ != nullptr)
    contention_->begin(id, flow.from, flow.to, route(id), path(flow.from, flow.to).bandwidth, flow.began);
}

void Network::transfer_ended(FlowId id) {
  auto& flow = flows_[id];
  TOROID_ASSERT(flow.stage == Stage::transfer && flow.began <= clock_.now());
  flow.stage = Stage::ended;
  usage_.end(route(id), flow.bytes, flow.began, clock_.now());
  if (contention_ != nullptr) contention_->end(id, flow.bytes, clock_.now());
  ended_.push_back(id);
}

/// All transfers that are due in this instant end before anybody is told, as who is told first may go first wherever
/// the answers meet: the one that was started first, and not the one that the engine happens to come to first.
bool Network::happen(const Time& until) {
  if (ended_.empty()) {
    std::size_t before = 0;
    do {
      before = ended_.size();
      let_end(until);
    } while (ended_.size() > before);
    std::sort(ended_.begin(), ended_.end(), [this](FlowId a, FlowId b) { return flows_[a].number < flows_[b].number; });
  }
  if (ended_.empty()) return false;
  const auto id = ended_[told_++];
  TOROID_ASSERT_HEAVY(flows_[id].stage == Stage::ended);
  if (told_ == ended_.size()) {
    ended_.clear();
    told_ = 0;
  }
  tell(id);
  return true;
}

/// The flow is over; its client hears of it unless it has cancelled it.
void Network::tell(FlowId id) {
  leave_line(id);
  const auto flow = flows_[id];
  TOROID_ASSERT(flow.stage == Stage::ended || (flow.stage == Stage::latency && !flow.travels));
  const auto losses = contention_ == nullptr ? Losses{} : contention_->take(id);
  forget(id);
  if (flow.client == nullptr) return;
  flow.client->flow_ended(flow.payload, {flow.for_card + flow.waited + waited(flow), losses});
}

/// Takes the flow out of its line: it is the turn of the next one, if that is ready for it.
void Network::leave_line(FlowId id) {
  if (!std::exchange(flows_[id].lined_up, false)) return;
  const auto next = lines_.leave(id);
  if (next == Lines::nobody || flows_[next].stage != Stage::in_line) return;
  if (const auto& ready = flows_[next].ready; contention_ != nullptr && ready < clock_.now())
    contention_->wait_behind(next, id, (clock_.now() - ready).seconds());
  take_turn(next);
}

void Network::forget(FlowId id) {
  TOROID_ASSERT_HEAVY(flows_[id].stage != Stage::none && !flows_[id].lined_up);
  if (contention_ != nullptr) contention_->forget(id);
  flows_[id].stage = Stage::none;
  flows_.remove(id);
}

void Network::change(const Machine& machine, OnLinkFailure on_failure) {
  TOROID_ASSERT(machine.link_count() == machine_->link_count() && machine.node_count() == machine_->node_count());
  const auto hit = flows_on_failed_links(machine);
  machine_ = &machine;
  paths_.change(machine);
  usage_.change(machine, clock_.now());
  adopt_machine();
  if (contention_ != nullptr) contention_->change(machine, clock_.now());
  for (const auto& [id, link] : hit) {
    const auto& flow = flows_.slots()[id];
    if (flow.stage != Stage::transfer) continue;  // gone: its client has cancelled it, as it lost another one
    if (on_failure == OnLinkFailure::fail)
      flow.client->flow_lost(flow.payload, link);
    else
      start_again(id);
  }
  forget_idle_routes();
  if (contention_ != nullptr) contention_->forget_idle_routes();
}

/// The flows with a link on their route that does not work on that machine, each with one such link. Flows whose bytes
/// have all arrived, but for rounding, end in this instant and lose nothing.
std::vector<std::pair<FlowId, platforms::LinkId>> Network::flows_on_failed_links(const Machine& machine) {
  constexpr double least_left = 1e-3;  // bytes
  std::vector<std::pair<FlowId, platforms::LinkId>> found;
  for (FlowId id = 0; id < flows_.slots().size(); ++id) {
    if (flows_.slots()[id].stage != Stage::transfer || bytes_left(id) < least_left) continue;  // or gone, see forget()
    const auto links = route(id);
    const auto failed = std::find_if(links.begin(), links.end(), [&](auto link) { return !machine.link_exists(link); });
    if (failed != links.end()) found.emplace_back(id, *failed);
  }
  return found;
}

/// Takes the bytes of a flow off the links; what has not arrived starts from the flow's node. The flow keeps its place
/// in its line.
void Network::start_again(FlowId id) {
  auto& flow = flows_[id];
  TOROID_ASSERT(flow.stage == Stage::transfer);
  const auto flowed = stop_transfer(id);
  if (!flowed) return;
  TOROID_ASSERT_HEAVY(*flowed <= flow.bytes);
  const auto arrived = std::min(*flowed, flow.bytes - 1);
  usage_.end(route(id), arrived, flow.began, clock_.now());
  if (contention_ != nullptr) contention_->end(id, arrived, clock_.now());
  flow.bytes -= arrived;
  flow.waited += waited(flow);
  flow.stage = Stage::latency;
  flow.timer = clock_.start_timer(Time(head_start(path(flow.from, flow.to))), *this, id);
}

void Network::walk(StateWalk& walk) {
  std::vector<FlowId> present;
  for (FlowId id = 0; id < flows_.slots().size(); ++id)
    if (flows_.slots()[id].stage != Stage::none) present.push_back(id);
  std::sort(present.begin(), present.end(), [this](auto a, auto b) { return flows_[a].number < flows_[b].number; });
  walk.each(present.size(), usage_.changes());
  for (const auto id : present) {
    const auto& flow = flows_[id];
    if (flow.client == nullptr || flow.stage == Stage::ended || flow.waited != Time()) return walk.refuse();
    flow.client->walk_flow(walk, flow.payload);
    walk.show(StateWalk::Part::flows, [&] { walk_flow(walk, id); });
  }
  walk.show(StateWalk::Part::cards, [&] { walk_cards(walk); });
  walk_rest(walk);
  if (walk.moves() && contention_ != nullptr) contention_->shift(walk.by());
}

void Network::tally(Tally& tally) {
  usage_.tally(tally, clock_.now());
  tally_rest(tally);
  if (contention_ != nullptr) contention_->tally(tally);
}

/// Cards that must wait before they can send again. How long a flow has waited for its card follows from when its bytes
/// can flow, and when its client started it.
void Network::walk_cards(StateWalk& walk) {
  for (std::size_t node = 0; node < card_free_.size(); ++node) {
    if (!walk.moves() && !(clock_.now() < card_free_[node])) continue;
    walk.same(node);
    walk.time(card_free_[node]);
  }
}

void Network::walk_flow(StateWalk& walk, FlowId id) {
  auto& flow = flows_[id];
  walk.meet(StateWalk::Kind::flow, id);
  walk.same(flow.from, flow.to);
  walk.same(flow.bytes);
  walk.same(flow.stage, 2 * flow.travels + flow.lined_up);
  if (flow.lined_up && !lines_.is_first(id)) walk.meet(StateWalk::Kind::flow, lines_.before(id));
  walk.time(flow.ready);
  if (flow.stage == Stage::latency) walk.meet(StateWalk::Kind::timer, flow.timer);
  if (flow.stage != Stage::transfer) return;
  walk.time(flow.began);
  walk_transfer(walk, id);
}

LinkUsage::Route Network::route(FlowId id) {
  route_.clear();
  const auto& flow = flows_[id];
  machine_->for_each_link(flow.from, flow.to, [&](platforms::LinkId link) { route_.push_back(link); });
  return route_;
}

}  // namespace toroid::netsim
