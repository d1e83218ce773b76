// The fluid engine. Flows between the same two nodes form a class, which has one rate; a flow ends when its class has
// served it its bytes. So a change of rate costs one event per class, however many flows the class has.

#include <algorithm>
#include <limits>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "core/error.hpp"
#include "core/flat_map.hpp"
#include "core/pool.hpp"
#include "netsim/fluid/event_queue.hpp"
#include "netsim/fluid/max_min.hpp"
#include "netsim/network.hpp"

namespace toroid::netsim {
namespace {

/// Events this close to each other are one: rounding must not tear apart what happens together.
double together(double time) {
  return std::max(1e-13, 4 * time * std::numeric_limits<double>::epsilon());
}

/// A class serves at most this many bytes before its counter starts anew: a byte must stay exact beside it.
constexpr double most_served = 1e9;

constexpr double never = std::numeric_limits<double>::infinity();

/// The clock goes no further, in seconds: sums of times must stay numbers.
constexpr double longest = 1e300;

std::vector<double> capacities(const Machine& machine) {
  std::vector<double> all;
  for (platforms::LinkId link = 0; link < machine.link_count(); ++link) all.push_back(machine.link_bandwidth(link));
  return all;
}

class FluidNetwork final : public Network {
 public:
  explicit FluidNetwork(const Machine& machine) : Network(machine), rates_(capacities(machine)) {}

  double now() const override { return now_; }

  ActivityId start_flow(NodeId from, NodeId to, std::uint64_t bytes, NetworkClient& client,
                        std::uint32_t payload) override {
    const bool alone = bytes == 0 || !machine().uses_links(from, to);  // takes no share of any link
    const auto id = activities_.add({&client, payload, alone ? Stage::last : Stage::latency, from, to, bytes, 0, 0});
    const auto& path = this->path(from, to);
    timers_.put(id, now_ + (path.latency + (alone ? static_cast<double>(bytes) / path.bandwidth : 0)));
    return id;
  }

  ActivityId start_timer(double delay, NetworkClient& client, std::uint32_t payload) override {
    const auto id = activities_.add({&client, payload, Stage::timer, 0, 0, 0, 0, 0});
    timers_.put(id, now_ + delay);
    return id;
  }

  void cancel(ActivityId id) override {
    auto& activity = activities_[id];
    activity.client = nullptr;
    if (activity.stage == Stage::ended) return;  // at this very moment: only its client has not heard yet, and will not
    timers_.remove(id);
    if (activity.stage == Stage::transfer) {
      auto& c = classes_[activity.flow_class];
      serve(c);
      c.flows.erase(std::find_if(c.flows.begin(), c.flows.end(), [&](const Pending& flow) { return flow.id == id; }));
      std::make_heap(c.flows.begin(), c.flows.end());
      mutable_usage().end(rates_.route(activity.flow_class), 0, activity.began, now_);
      settle(activity.flow_class, pair_key(activity));
    }
    activities_.remove(id);
  }

  std::vector<std::pair<std::string, std::string>> settings() const override {
    return {{"sharing", "equal"}, {"solver", "incremental max-min"}};
  }

  void run() override {
    timed(mutable_profile().total, [this] { run_events(); });
  }

 private:
  /// Of what happens at one time, timers and latencies come first, then the ends of transfers: the order of SimGrid.
  void run_events() {
    while (!timers_.empty() || !ends_.empty()) {
      const double next = std::min(next_time(timers_), next_time(ends_));
      if (next > longest) throw core::SimulationError(fmt::format("the run would take longer than {} s", longest));
      now_ = std::max(now_, next);
      const double until = now_ + together(now_);
      for (;;) {
        if (next_time(timers_) <= until)
          end_stage(take_next(timers_));
        else if (next_time(ends_) <= until)
          end_flows(take_next(ends_));
        else
          break;
      }
      timed(mutable_profile().solver, [this] { update_rates(); });
    }
  }

  static double next_time(const EventQueue& queue) { return queue.empty() ? never : queue.next_time(); }
  static EventQueue::Id take_next(EventQueue& queue) {
    const auto id = queue.next();
    queue.remove(id);
    return id;
  }

  enum class Stage : std::uint8_t { timer, latency, transfer, last, ended };
  struct Activity {
    NetworkClient* client;
    std::uint32_t payload;
    Stage stage;
    NodeId from, to;
    std::uint64_t bytes;
    double began;
    std::uint32_t flow_class;
  };
  /// A flow of a class, ended when the class has served `end` bytes. Ordered for a heap with the earliest end on top.
  struct Pending {
    double end;
    ActivityId id;
    bool operator<(const Pending& other) const { return end > other.end || (end == other.end && id > other.id); }
  };
  struct FlowClass {
    double served = 0;   ///< bytes that a flow present all the time would have had
    double updated = 0;  ///< when `served` was true
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
  static std::uint64_t pair_key(const Activity& a) {
    return (std::uint64_t{static_cast<std::uint32_t>(a.from)} << 32U) | static_cast<std::uint32_t>(a.to);
  }

  void end_stage(ActivityId id) {
    if (activities_[id].stage == Stage::latency) return begin_transfer(id);
    const Activity activity = activities_[id];
    activities_.remove(id);
    if (activity.stage == Stage::timer)
      timed(mutable_profile().clients, [&] { activity.client->timer_ended(activity.payload); });
    else
      timed(mutable_profile().clients, [&] { activity.client->flow_ended(activity.payload); });
  }

  void begin_transfer(ActivityId id) {
    auto& activity = activities_[id];
    activity.stage = Stage::transfer;
    activity.began = now_;
    const auto [entry, is_new] = class_of_.try_emplace(pair_key(activity), 0);
    if (is_new) *entry = new_class(activity.from, activity.to);
    const auto class_id = activity.flow_class = *entry;
    mutable_usage().begin(rates_.route(class_id), now_);
    auto& c = classes_[class_id];
    serve(c);
    if (c.served > most_served) rebase(c);
    c.flows.push_back({c.served + static_cast<double>(activity.bytes), id});
    std::push_heap(c.flows.begin(), c.flows.end());
    c.next_end = c.flows.front().end;
    rates_.set_weight(class_id, static_cast<std::uint32_t>(c.flows.size()));
    reschedule(class_id);
  }

  MaxMin::ClassId new_class(NodeId from, NodeId to) {
    route_.clear();
    machine().for_each_link(from, to, [&](platforms::LinkId link) { route_.push_back(link); });
    const auto id = rates_.add(route_);
    if (id >= classes_.size()) classes_.resize(id + 1);
    auto& c = classes_[id];
    c.served = c.rate = 0;
    c.updated = now_;
    return id;
  }

  /// Brings `served` up to the present.
  void serve(FlowClass& c) const {
    c.served += c.rate * (now_ - c.updated);
    c.updated = now_;
  }

  static void rebase(FlowClass& c) {
    for (auto& flow : c.flows) flow.end -= c.served;  // all alike: the heap stays one
    c.served = 0;
  }

  /// The earliest flow of the class ends, and those that end together with it.
  void end_flows(MaxMin::ClassId id) {
    auto& c = classes_[id];
    serve(c);
    c.served = std::max(c.served, c.flows.front().end);  // that is why we are here, whatever rounding says
    ended_.clear();
    const double served_soon = c.served + c.rate * together(now_);
    while (!c.flows.empty() && c.flows.front().end <= served_soon) {
      ended_.push_back(c.flows.front().id);
      std::pop_heap(c.flows.begin(), c.flows.end());
      c.flows.pop_back();
    }
    for (const auto flow : ended_) {
      auto& activity = activities_[flow];
      activity.stage = Stage::ended;
      mutable_usage().end(rates_.route(id), activity.bytes, activity.began, now_);
    }
    settle(id, pair_key(activities_[ended_.front()]));
    for (const auto flow : ended_) {
      const Activity activity = activities_[flow];
      activities_.remove(flow);
      if (activity.client == nullptr) continue;
      timed(mutable_profile().clients, [&] { activity.client->flow_ended(activity.payload); });
    }
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
      if (c.rate > 0) ends_.put(id, c.updated + (c.next_end - c.served) / c.rate);
    }
    rescheduled_.clear();
  }

  MaxMin rates_;
  EventQueue timers_;  ///< of activities: timers, latencies
  EventQueue ends_;    ///< of classes: when their next flow ends
  double now_ = 0;
  core::Pool<Activity> activities_;
  std::vector<FlowClass> classes_;                                    ///< by the solver's class ids
  core::FlatMap<std::uint64_t, MaxMin::ClassId, HashPair> class_of_;  ///< by pair_key
  std::vector<MaxMin::ClassId> rescheduled_;
  std::vector<ActivityId> ended_;
  std::vector<platforms::LinkId> route_;
};

}  // namespace

core::Entry<MakeNetwork> fluid_engine() {
  return {"fluid", "the same model, solved incrementally: for large machines and studies",
          {[](const Machine& machine, const core::Arguments&) -> std::unique_ptr<Network> {
            return std::make_unique<FluidNetwork>(machine);
          }}};
}

}  // namespace toroid::netsim
