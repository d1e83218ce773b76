// The SimGrid engine. SimGrid's defaults give wrong answers on a mesh or torus, so every setting that matters is set
// here: flows that share a link equally whatever their latency, no reverse traffic, no TCP window, no factors, and
// precisions for messages that last nanoseconds.
//
// SimGrid knows of the flows' transfers and of nothing else: no actor, no timer. It has a clock of its own, a double,
// which stands still while no flow is under way and follows ours while there is one: before anything changes it is
// brought up to the present, and never further than its next event, which it is asked for. What ends then is kept until
// it is that event's turn.

#include <xbt/log.h>
#include <simgrid/Exception.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // does not stand alone: after the others

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/assert.hpp"
#include "core/error.hpp"
#include "core/pool.hpp"
#include "core/units.hpp"
#include "netsim/engines/simgrid_module.hpp"
#include "netsim/engines/simgrid_zone.hpp"

namespace toroid::netsim {
namespace {

namespace s4u = simgrid::s4u;

using Sharing = SimgridOptions::Sharing;

/// SimGrid 3.32 divides by latencies to share links; where they are tiny or huge it crashes, or never ends.
void check_latencies(const Machine& machine) {
  constexpr double least = 1e-9, most = 1e3;
  for (const auto& dim : machine.description().dimensions) {
    const double latency = machine.parameters().base_latency + dim.latency;
    if (latency != 0 && !(latency >= least && latency <= most))
      core::fail_input("sharing=latency: a message along {} of {} takes {}; expected {} to {}, or no time", dim.name,
                       machine.name(), core::format_duration(latency), core::format_duration(least),
                       core::format_duration(most));
  }
}

/// The one engine of this process.
s4u::Engine& engine() {
  static bool used = false;
  TOROID_ASSERT(!used);  // SimGrid allows one per process: see core::run_isolated
  used = true;
  xbt_log_control_set("root.thres:critical");
  static int argc = 1;
  static char name[] = "toroid";
  static char* argv[] = {name, nullptr};
  static s4u::Engine instance(&argc, argv);
  return instance;
}

class SimgridNetwork final : public Network, TimerClient {
 public:
  SimgridNetwork(const Machine& machine, Clock& clock, const SimgridOptions& options)
      : Network(machine, clock), sharing_(options.sharing), settings_(make_settings(options)), engine_(engine()) {
    for (const auto& [key, value] : settings_)
      if (key.find('/') != std::string::npos) s4u::Engine::set_config(key + ":" + value);
    if (sharing_ == Sharing::latency) check_latencies(machine);
    // SimGrid owns its zones and destroys them with its engine.
    zone_ = new SimgridZone(machine, sharing_ == Sharing::latency ? RouteLatency::true_one : RouteLatency::none);
    zone_->build();
    engine_.track_vetoed_activities(&one_step_);
    s4u::Activity::on_completion_cb([this](s4u::Activity const& comm) { on_comm_end(comm); });
  }
  ~SimgridNetwork() override {
    for (const auto& flow : flows_.slots())
      if (flow.stage == Stage::latency || flow.stage == Stage::last) clock().cancel(flow.timer);
  }

  FlowId start_flow(NodeId from, NodeId to, std::uint64_t bytes, FlowClient& client, std::uint32_t payload) override {
    const auto id = flows_.add({.client = &client, .payload = payload, .from = from, .to = to, .bytes = bytes});
    auto& flow = flows_[id];
    const auto& path = this->path(from, to);
    if (bytes == 0 || !machine().uses_links(from, to)) {  // takes no share of any link
      flow.stage = Stage::last;
      flow.timer = clock().start_timer(Time(path.latency + static_cast<double>(bytes) / path.bandwidth), *this, id);
    } else if (sharing_ == Sharing::equal && path.latency > 0) {
      flow.stage = Stage::latency;
      flow.timer = clock().start_timer(Time(path.latency), *this, id);
    } else {
      start_comm(id);
    }
    return id;
  }

  void cancel(FlowId id) override {
    auto& flow = flows_[id];
    flow.client = nullptr;
    if (flow.stage == Stage::ended) return;  // at this very moment: only its client has not heard yet, and will not
    if (flow.stage == Stage::transfer) {
      catch_up();
      if (flow.stage == Stage::ended) return;
      mutable_usage().end(route_of(flow), 0, flow.began, clock().now());
      flow.comm->set_data(nullptr);  // its completion is nobody's business any more
      flow.comm->cancel();
      cancelled_.push_back(flow.comm);
      engine_.run_until(s4u::Engine::get_clock());  // or it would keep its share until SimGrid's next step
      next_date_.reset();
      --transfers_;
    } else {
      clock().cancel(flow.timer);
    }
    forget(id);
  }

  std::size_t flows() const override { return flows_.size(); }

  std::vector<std::pair<std::string, std::string>> settings() const override { return settings_; }

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
    s4u::CommPtr comm = nullptr;
  };

  static std::vector<std::pair<std::string, std::string>> make_settings(const SimgridOptions& options) {
    const bool equal = options.sharing == Sharing::equal;
    int major = 0, minor = 0, patch = 0;
    sg_version_get(&major, &minor, &patch);
    return {{"simgrid", fmt::format("{}.{}.{}", major, minor, patch)},
            {"sharing", equal ? "equal" : "latency"},
            {"network/model", "CM02"},
            {"network/optim", options.full_updates ? "Full" : "Lazy"},
            {"network/crosstraffic", "0"},
            {"network/TCP-gamma", "0"},
            {"network/weight-S", "0"},
            {"network/latency-factor", "1"},
            {"network/bandwidth-factor", "1"},
            // Shares weighted by latencies have rounding errors that SimGrid refuses below its default.
            {"maxmin/precision", equal ? "1e-9" : "1e-5"},
            {"surf/precision", "1e-12"}};
  }

  Time next() override {
    if (!ended_.empty()) return clock().now();
    return transfers_ == 0 ? Time::never() : time_of(next_date());
  }

  bool happen(const Time& until) override {
    // An event may be of SimGrid's own, such as the end of a latency.
    while (ended_.empty() && transfers_ > 0 && !(until < time_of(next_date()))) step();
    if (ended_.empty()) return false;
    const auto id = ended_[told_++];
    if (told_ == ended_.size()) {
      ended_.clear();
      told_ = 0;
    }
    auto& flow = flows_[id];
    mutable_usage().end(route_of(flow), flow.bytes, flow.began, clock().now());
    tell(id);
    return true;
  }

  void timer_ended(std::uint32_t id) override {
    if (flows_[id].stage == Stage::latency)
      start_comm(id);
    else
      tell(id);
  }

  /// The flow is over; its client hears of it unless it has cancelled it.
  void tell(FlowId id) {
    const auto [client, payload] = std::pair(flows_[id].client, flows_[id].payload);
    forget(id);
    if (client != nullptr) client->flow_ended(payload);
  }

  void forget(FlowId id) {
    flows_[id].stage = Stage::none;
    flows_[id].comm = nullptr;
    flows_.remove(id);
  }

  // SimGrid's clock: it showed `simgrid_began_` when ours showed `began_`.

  Time time_of(double date) const { return began_ + Time(date - simgrid_began_); }

  /// Of SimGrid's next event, not before its present.
  double next_date() {
    if (!next_date_) {
      const double now = s4u::Engine::get_clock();
      next_date_ = std::numeric_limits<double>::infinity();
      for (auto* model : engine_.get_all_models())
        if (const double delay = model->next_occurring_event(now); delay != -1)
          next_date_ = std::min(*next_date_, now + std::max(0.0, delay));
    }
    return *next_date_;
  }

  /// To SimGrid's next event. No date is given: the event may be nearer than two dates can be to each other.
  void step() {
    engine_.run();
    next_date_.reset();
    cancelled_.clear();  // SimGrid is done with those
  }

  /// Before anything changes.
  void catch_up() {
    next_date_.reset();
    if (transfers_ == 0) {
      began_ = clock().now();
      simgrid_began_ = s4u::Engine::get_clock();
    }
    const double date = simgrid_began_ + (clock().now() - began_).seconds();
    if (date <= s4u::Engine::get_clock()) return;
    engine_.run_until(date);
    cancelled_.clear();
  }

  LinkUsage::Route route_of(const Flow& flow) {
    route_.clear();
    machine().for_each_link(flow.from, flow.to, [&](platforms::LinkId link) { route_.push_back(link); });
    return route_;
  }

  void start_comm(FlowId id) {
    catch_up();
    auto& flow = flows_[id];
    flow.stage = Stage::transfer;
    flow.began = clock().now();
    mutable_usage().begin(route_of(flow), flow.began);
    flow.comm = s4u::Comm::sendto_init(zone_->host(flow.from), zone_->host(flow.to));
    flow.comm->set_payload_size(flow.bytes);
    flow.comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(id) + 1));
    flow.comm->start();
    ++transfers_;
  }

  /// SimGrid is still at work here: nobody is told yet.
  void on_comm_end(const s4u::Activity& comm) {
    const auto tagged = reinterpret_cast<std::uintptr_t>(comm.get_data<void>());
    if (tagged == 0) return;
    const auto id = static_cast<FlowId>(tagged - 1);
    flows_[id].stage = Stage::ended;
    ended_.push_back(id);
    --transfers_;
  }

  Sharing sharing_;
  std::vector<std::pair<std::string, std::string>> settings_;
  s4u::Engine& engine_;
  SimgridZone* zone_ = nullptr;
  core::Pool<Flow> flows_;
  std::size_t transfers_ = 0;  ///< flows that SimGrid has under way
  Time began_;
  double simgrid_began_ = 0;
  /// As long as an activity has been vetoed, SimGrid returns after one event.
  std::set<s4u::Activity*> one_step_{nullptr};
  std::optional<double> next_date_;  ///< see next_date(); until something changes
  std::vector<FlowId> ended_;        ///< the first `told_` of them have been told of
  std::size_t told_ = 0;
  std::vector<s4u::CommPtr> cancelled_;   ///< since SimGrid's clock moved
  std::vector<platforms::LinkId> route_;  ///< the last one asked for
};

}  // namespace
}  // namespace toroid::netsim

toroid::netsim::Network* toroid_make_simgrid_network(const toroid::netsim::Machine& machine,
                                                     toroid::netsim::Clock& clock,
                                                     const toroid::netsim::SimgridOptions& options) {
  return new toroid::netsim::SimgridNetwork(machine, clock, options);
}
