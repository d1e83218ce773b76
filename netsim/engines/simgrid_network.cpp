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

#include <simgrid/version.h>  // does not stand alone: after the others

#include <set>

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

class SimgridNetwork final : public Network {
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

  /// With sharing=latency it is SimGrid that lets latencies pass, so those of flows in a line would not overlap.
  Order default_order() const override { return sharing_ == Sharing::equal ? Network::default_order() : Order::shared; }

  std::string why_not_shared() const override {
    return sharing_ == Sharing::equal ? "" : "sharing=latency gives flows of longer latency less";
  }

  std::vector<std::pair<std::string, std::string>> settings() const override { return settings_; }

 private:
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

  double head_start(const platforms::Path& path) const override {
    return sharing_ == Sharing::equal ? path.latency : 0;
  }

  Time next_end(const Time&) override { return transfers_ == 0 ? Time::never() : time_of(next_date()); }

  void let_end(const Time& until) override {
    // An event may be of SimGrid's own, such as the end of a latency.
    const auto before = ended_;
    while (ended_ == before && transfers_ > 0 && !(until < time_of(next_date()))) step();
  }

  // SimGrid's clock: it showed `simgrid_began_` when ours showed `began_`.

  Time time_of(double date) const { return began_ + Time(date - simgrid_began_); }

  /// The time of SimGrid's next event, not before its present.
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

  /// Lets SimGrid go to its next event. No date is given: the event may be nearer than two dates can be to each other.
  void step() {
    engine_.run();
    next_date_.reset();
    cancelled_.clear();  // SimGrid is done with those
  }

  /// Leads SimGrid's clock along to ours, before anything changes on its network.
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

  void begin_transfer(FlowId id) override {
    catch_up();
    const auto& flow = this->flow(id);
    if (id >= comms_.size()) comms_.resize(id + std::size_t{1});
    auto& comm = comms_[id] = s4u::Comm::sendto_init(zone_->host(flow.from), zone_->host(flow.to));
    comm->set_payload_size(flow.bytes);
    comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(id) + 1));
    comm->start();
    ++transfers_;
  }

  std::optional<std::uint64_t> stop_transfer(FlowId id) override {
    catch_up();
    if (flow(id).stage == Stage::ended) return std::nullopt;
    const double left = comms_[id]->get_remaining();
    comms_[id]->set_data(nullptr);  // its completion is nobody's business any more
    comms_[id]->cancel();
    cancelled_.push_back(std::move(comms_[id]));
    engine_.run_until(s4u::Engine::get_clock());  // or it would keep its share until SimGrid's next step
    next_date_.reset();
    --transfers_;
    return bytes_but(id, left);
  }

  /// SimGrid is still at work here: nobody is told yet.
  void on_comm_end(const s4u::Activity& comm) {
    const auto tagged = reinterpret_cast<std::uintptr_t>(comm.get_data<void>());
    if (tagged == 0) return;
    const auto id = static_cast<FlowId>(tagged - 1);
    transfer_ended(id);
    comms_[id] = nullptr;
    ++ended_;
    --transfers_;
  }

  Sharing sharing_;
  std::vector<std::pair<std::string, std::string>> settings_;
  s4u::Engine& engine_;
  SimgridZone* zone_ = nullptr;
  std::vector<s4u::CommPtr> comms_;  ///< transfers by flow; those that SimGrid has under way
  std::size_t transfers_ = 0;        ///< how many transfers these are
  std::uint64_t ended_ = 0;          ///< how many transfers have ended
  Time began_;
  double simgrid_began_ = 0;
  /// As long as an activity has been vetoed, SimGrid returns after one event.
  std::set<s4u::Activity*> one_step_{nullptr};
  std::optional<double> next_date_;      ///< see next_date(); until something changes
  std::vector<s4u::CommPtr> cancelled_;  ///< transfers cancelled since SimGrid's clock moved
};

}  // namespace
}  // namespace toroid::netsim

const char* toroid_module_build() {
  return toroid::netsim::build_stamp().data();
}

toroid::netsim::Network* toroid_make_simgrid_network(const toroid::netsim::Machine& machine,
                                                     toroid::netsim::Clock& clock,
                                                     const toroid::netsim::SimgridOptions& options) {
  return new toroid::netsim::SimgridNetwork(machine, clock, options);
}
