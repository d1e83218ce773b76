// The fluid engine. Flows between the same two nodes form a class, which has one rate; a flow ends when its class has
// served it its bytes. So a change of rate costs one event per class, however many flows the class has.

#include <algorithm>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "core/flat_map.hpp"
#include "core/pool.hpp"
#include "netsim/event_queue.hpp"
#include "netsim/fluid/max_min.hpp"
#include "netsim/network.hpp"

namespace toroid::netsim {
namespace {

/// A class serves at most this many bytes before its counter starts anew: a byte must stay exact beside it.
constexpr double most_served = 1e9;

using platforms::LinkId;

core::IdVector<LinkId, double> capacities(const Machine& machine) {
  core::IdVector<LinkId, double> all;
  for (const LinkId link : machine.links()) all.add(machine.link_bandwidth(link));
  return all;
}

class FluidNetwork final : public Network, TimerClient {
 public:
  FluidNetwork(const Machine& machine, Clock& clock) : Network(machine, clock), rates_(capacities(machine)) {}
  ~FluidNetwork() override {
    for (const auto& flow : flows_.slots())
      if (flow.stage == Stage::latency || flow.stage == Stage::last) clock().cancel(flow.timer);
  }

  FlowId start_flow(NodeId from, NodeId to, std::uint64_t bytes, FlowClient& client, std::uint32_t payload) override {
    const bool alone = bytes == 0 || !machine().uses_links(from, to);  // takes no share of any link
    const auto& path = this->path(from, to);
    const Time delay(path.latency + (alone ? static_cast<double>(bytes) / path.bandwidth : 0));
    const auto id = flows_.add({.client = &client, .payload = payload, .from = from, .to = to, .bytes = bytes});
    flows_[id].stage = alone ? Stage::last : Stage::latency;
    flows_[id].timer = clock().start_timer(delay, *this, id);
    return id;
  }

  void cancel(FlowId id) override {
    auto& flow = flows_[id];
    flow.client = nullptr;
    if (flow.stage == Stage::ended) return;  // at this very moment: only its client has not heard yet, and will not
    if (flow.stage == Stage::transfer) {
      auto& c = classes_[flow.flow_class];
      serve(c);
      c.flows.erase(std::find_if(c.flows.begin(), c.flows.end(), [&](const Pending& other) { return other.id == id; }));
      std::make_heap(c.flows.begin(), c.flows.end());
      mutable_usage().end(rates_.route(flow.flow_class), 0, flow.began, clock().now());
      settle(flow.flow_class, pair_key(flow));
    } else {
      clock().cancel(flow.timer);
    }
    forget(id);
  }

  std::size_t flows() const override { return flows_.size(); }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"sharing", "equal"}, {"solver", "incremental max-min"}};
  }

 private:
  enum class Stage : std::uint8_t { none, latency, transfer, last, ended };
  struct Flow {
    FlowClient* client = nullptr;
    std::uint32_t payload = 0;
    Stage stage = Stage::none;
    NodeId from = 0, to = 0;
    std::uint64_t bytes = 0;
    Time began = {};    ///< when the bytes began to flow
    TimerId timer = 0;  ///< of its latency, or its whole time
    std::uint32_t flow_class = 0;
  };
  /// A flow of a class, ended when the class has served `end` bytes. Ordered for a heap with the earliest end on top.
  struct Pending {
    double end;
    FlowId id;
    bool operator<(const Pending& other) const { return end > other.end || (end == other.end && id > other.id); }
  };
  struct FlowClass {
    double served = 0;  ///< bytes that a flow present all the time would have had
    Time updated;       ///< when `served` was true
    double rate = 0;
    double next_end = 0;  ///< bytes served when its next flow ends
    boost::container::small_vector<Pending, 1> flows;
    bool rescheduled = false;
  };

  struct HashPair {
    std::uint64_t operator()(std::uint64_t pair) const {
      const std::uint64_t h = pair * 0x9e3779b97f4a7c15ULL;
      return h ^ (h >> 32U);
    }
  };
  static std::uint64_t pair_key(const Flow& flow) { return std::uint64_t{flow.from.index()} << 32U | flow.to.index(); }

  /// Computing rates is put off until time is to pass.
  Time next() override {
    if (!ended_.empty()) return clock().now();
    timed(&Profile::solver, [this] { update_rates(); });
    return ends_.empty() ? Time::never() : ends_.next_time();
  }

  bool happen(const Time& until) override {
    if (ended_.empty()) {
      if (ends_.empty() || until < ends_.next_time()) return false;
      const auto id = ends_.next();
      ends_.remove(id);
      end_flows(id);
    }
    const auto id = ended_[told_++];
    if (told_ == ended_.size()) {
      ended_.clear();
      told_ = 0;
    }
    tell(id);
    return true;
  }

  void timer_ended(std::uint32_t id) override {
    if (flows_[id].stage == Stage::latency)
      begin_transfer(id);
    else
      tell(id);
  }

  void forget(FlowId id) {
    flows_[id].stage = Stage::none;
    flows_.remove(id);
  }

  /// The flow is over; its client hears of it unless it has cancelled it.
  void tell(FlowId id) {
    const auto [client, payload] = std::pair(flows_[id].client, flows_[id].payload);
    forget(id);
    if (client != nullptr) client->flow_ended(payload);
  }

  void begin_transfer(FlowId id) {
    auto& flow = flows_[id];
    flow.stage = Stage::transfer;
    flow.began = clock().now();
    const auto [entry, is_new] = class_of_.try_emplace(pair_key(flow), 0);
    if (is_new) *entry = new_class(flow.from, flow.to);
    const auto class_id = flow.flow_class = *entry;
    mutable_usage().begin(rates_.route(class_id), flow.began);
    auto& c = classes_[class_id];
    serve(c);
    if (c.served > most_served) rebase(c);
    c.flows.push_back({c.served + static_cast<double>(flow.bytes), id});
    std::push_heap(c.flows.begin(), c.flows.end());
    c.next_end = c.flows.front().end;
    rates_.set_weight(class_id, static_cast<std::uint32_t>(c.flows.size()));
    reschedule(class_id);
  }

  MaxMin::ClassId new_class(NodeId from, NodeId to) {
    route_.clear();
    machine().for_each_link(from, to, [&](LinkId link) { route_.push_back(link); });
    const auto id = rates_.add(route_);
    if (id >= classes_.size()) classes_.resize(id + 1);
    auto& c = classes_[id];
    c.served = c.rate = 0;
    c.updated = clock().now();
    return id;
  }

  /// Brings `served` up to the present.
  void serve(FlowClass& c) const {
    c.served += c.rate * (clock().now() - c.updated).seconds();
    c.updated = clock().now();
  }

  static void rebase(FlowClass& c) {
    for (auto& flow : c.flows) flow.end -= c.served;  // all alike: the heap stays one
    c.served = 0;
  }

  /// The earliest flow of the class ends, and those that end together with it. Their clients are told one at a time.
  void end_flows(MaxMin::ClassId id) {
    auto& c = classes_[id];
    serve(c);
    c.served = std::max(c.served, c.flows.front().end);  // that is why we are here, whatever rounding says
    const double served_soon = c.served + c.rate * Clock::together.seconds();
    while (!c.flows.empty() && c.flows.front().end <= served_soon) {
      ended_.push_back(c.flows.front().id);
      std::pop_heap(c.flows.begin(), c.flows.end());
      c.flows.pop_back();
    }
    for (const auto ended : ended_) {
      auto& flow = flows_[ended];
      flow.stage = Stage::ended;
      mutable_usage().end(rates_.route(id), flow.bytes, flow.began, clock().now());
    }
    settle(id, pair_key(flows_[ended_.front()]));
  }

  /// Tells the solver how many flows the class has now; a class without flows goes.
  void settle(MaxMin::ClassId id, std::uint64_t pair) {
    rates_.set_weight(id, static_cast<std::uint32_t>(classes_[id].flows.size()));
    ends_.remove(id);  // it was for a flow that is gone
    auto& c = classes_[id];
    if (c.flows.empty()) {
      c.rate = 0;
      class_of_.erase(pair);
    } else {
      c.next_end = c.flows.front().end;
      reschedule(id);
    }
  }

  void reschedule(MaxMin::ClassId id) {
    if (!std::exchange(classes_[id].rescheduled, true)) rescheduled_.push_back(id);
  }

  void update_rates() {
    for (const auto id : rates_.solve()) {
      auto& c = classes_[id];
      if (c.rate == rates_.rate(id)) continue;
      serve(c);
      c.rate = rates_.rate(id);
      reschedule(id);
    }
    for (const auto id : rescheduled_) {
      auto& c = classes_[id];
      c.rescheduled = false;
      if (c.rate > 0) ends_.put(id, c.updated + Time((c.next_end - c.served) / c.rate));
    }
    rescheduled_.clear();
  }

  MaxMin rates_;
  EventQueue ends_;  ///< of classes: when their next flow ends
  core::Pool<Flow> flows_;
  std::vector<FlowClass> classes_;                                    ///< by the solver's class ids
  core::FlatMap<std::uint64_t, MaxMin::ClassId, HashPair> class_of_;  ///< by pair_key
  std::vector<MaxMin::ClassId> rescheduled_;
  std::vector<FlowId> ended_;  ///< the first `told_` of them have been told of
  std::size_t told_ = 0;
  std::vector<LinkId> route_;
};

}  // namespace

core::Entry<MakeNetwork> fluid_engine() {
  return {"fluid",
          "the same model, solved incrementally: for large machines and studies",
          {[](const Machine& machine, Clock& clock, const core::Arguments&) -> std::unique_ptr<Network> {
            return std::make_unique<FluidNetwork>(machine, clock);
          }}};
}

}  // namespace toroid::netsim
