#include "netsim/network.hpp"

#include <utility>

namespace toroid::netsim {

Network::Network(const Machine& machine, Clock& clock)
    : machine_(machine), clock_(clock), usage_(machine), paths_(machine) {
  clock_.attach(*this);
}

Network::~Network() {
  for (const auto& flow : flows_.slots())
    if (flow.stage == Stage::latency) clock_.cancel(flow.timer);
  clock_.detach(*this);
}

FlowId Network::start_flow(NodeId from, NodeId to, std::uint64_t bytes, FlowClient& client, std::uint32_t payload,
                           std::optional<Order> order) {
  const auto id = flows_.add({.client = &client, .payload = payload, .from = from, .to = to, .bytes = bytes});
  auto& flow = flows_[id];
  flow.stage = Stage::latency;
  flow.travels = travels(from, to, bytes);
  const auto discipline = order.value_or(default_order());
  flow.lined_up = from != to && discipline != Order::shared;
  if (flow.lined_up) lines_.join(discipline == Order::pair ? Lines::of_pair(from, to) : Lines::of_node(from), id);
  const auto& path = this->path(from, to);
  const double delay = flow.travels ? head_start(path) : path.latency + static_cast<double>(bytes) / path.bandwidth;
  flow.timer = clock_.start_timer(Time(delay), *this, id);
  return id;
}

void Network::cancel(FlowId id) {
  auto& flow = flows_[id];
  flow.client = nullptr;
  if (flow.stage == Stage::ended) return;  // at this very moment: only its client has not heard yet, and will not
  if (flow.stage == Stage::latency) clock_.cancel(flow.timer);
  if (flow.stage == Stage::transfer) {
    const auto flowed = stop_transfer(id);
    if (!flowed) return;
    usage_.end(route(id), *flowed, flow.began, clock_.now());
  }
  leave_line(id);
  forget(id);
}

void Network::timer_ended(std::uint32_t id) {
  auto& flow = flows_[id];
  flow.ready = clock_.now();
  if (flow.lined_up && !lines_.is_first(id))
    flow.stage = Stage::in_line;
  else if (flow.travels)
    take_turn(id);
  else
    tell(id);
}

/// The flow is the first of its line, or in none.
void Network::take_turn(FlowId id) {
  auto& flow = flows_[id];
  flow.began = clock_.now();
  if (!flow.travels) {
    flow.stage = Stage::ended;
    return ended_.push_back(id);
  }
  flow.stage = Stage::transfer;
  begin_transfer(id);
  usage_.begin(route(id), flow.began);
}

void Network::transfer_ended(FlowId id) {
  auto& flow = flows_[id];
  flow.stage = Stage::ended;
  usage_.end(route(id), flow.bytes, flow.began, clock_.now());
  ended_.push_back(id);
}

bool Network::happen(const Time& until) {
  if (ended_.empty()) let_end(until);
  if (ended_.empty()) return false;
  const auto id = ended_[told_++];
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
  forget(id);
  if (flow.client == nullptr) return;
  const bool waited = flow.ready < flow.began;
  flow.client->flow_ended(flow.payload, waited ? flow.began - flow.ready : Time());
}

/// It is the turn of the next in line, if that is ready for it.
void Network::leave_line(FlowId id) {
  if (!std::exchange(flows_[id].lined_up, false)) return;
  const auto next = lines_.leave(id);
  if (next != Lines::nobody && flows_[next].stage == Stage::in_line) take_turn(next);
}

void Network::forget(FlowId id) {
  flows_[id].stage = Stage::none;
  flows_.remove(id);
}

LinkUsage::Route Network::route(FlowId id) {
  route_.clear();
  const auto& flow = flows_[id];
  machine_.for_each_link(flow.from, flow.to, [&](platforms::LinkId link) { route_.push_back(link); });
  return route_;
}

}  // namespace toroid::netsim
