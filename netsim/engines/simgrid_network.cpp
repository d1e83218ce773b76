// The SimGrid engine. SimGrid's defaults give wrong answers on a mesh or torus, so every setting that matters is set
// here: flows that share a link equally whatever their latency, no reverse traffic, no TCP window, no factors, and
// precisions for messages that last nanoseconds. No actor: flows are communications started from the completion of
// others.

#include <xbt/log.h>
#include <simgrid/Exception.hpp>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/s4u.hpp>

#include <simgrid/version.h>  // does not stand alone: after the others

#include <cstdint>
#include <exception>
#include <stdexcept>

#include "core/error.hpp"
#include "core/pool.hpp"
#include "core/units.hpp"
#include "netsim/engines/engines.hpp"
#include "netsim/engines/simgrid_zone.hpp"

namespace toroid::netsim {
namespace {

namespace s4u = simgrid::s4u;
using simgrid::kernel::timer::Timer;

enum class Sharing { equal, latency };

Sharing parse_sharing(const core::Spec& spec) {
  const auto text = spec.get("sharing", "equal");
  if (text == "equal") return Sharing::equal;
  if (text == "latency") return Sharing::latency;
  core::fail_input("'{}': sharing={}: expected equal or latency", spec.text(), text);
}

/// Lazy updates are right, and for most traces faster, where flows have no latency in SimGrid. Where they have one,
/// SimGrid 3.32 lets more through a link than it has when flows enter it one by one.
std::string parse_optim(const core::Spec& spec) {
  const auto text = spec.get("optim", parse_sharing(spec) == Sharing::equal ? "lazy" : "full");
  if (text == "lazy") return "Lazy";
  if (text == "full") return "Full";
  core::fail_input("'{}': optim={}: expected full or lazy", spec.text(), text);
}

/// SimGrid 3.32 divides by latencies to share links; where they are tiny or huge it crashes, or never ends.
void check_latencies(const Machine& machine, const core::Spec& spec) {
  constexpr double least = 1e-9, most = 1e3;
  for (const auto& dim : machine.description().dimensions) {
    const double latency = machine.parameters().base_latency + dim.latency;
    if (latency != 0 && !(latency >= least && latency <= most))
      core::fail_input("'{}': a message along {} of {} takes {}; expected {} to {}, or no time", spec.text(), dim.name,
                       machine.name(), core::format_duration(latency), core::format_duration(least),
                       core::format_duration(most));
  }
}

/// The one engine of this process.
s4u::Engine& engine() {
  static bool used = false;
  if (used) throw std::logic_error("SimGrid allows one engine per process; use run_isolated");
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
  SimgridNetwork(const Machine& machine, const core::Spec& spec)
      : Network(machine), sharing_(parse_sharing(spec)), settings_(make_settings(spec)), engine_(engine()) {
    for (const auto& [key, value] : settings_)
      if (key.find('/') != std::string::npos) s4u::Engine::set_config(key + ":" + value);
    if (sharing_ == Sharing::latency) check_latencies(machine, spec);
    // SimGrid owns its zones and destroys them with its engine.
    zone_ = new SimgridZone(machine, sharing_ == Sharing::latency ? RouteLatency::true_one : RouteLatency::none);
    zone_->build();
    s4u::Activity::on_completion_cb([this](s4u::Activity const& comm) { on_comm_end(comm); });
  }

  double now() const override { return s4u::Engine::get_clock(); }

  ActivityId start_flow(NodeId from, NodeId to, std::uint64_t bytes, NetworkClient& client,
                        std::uint32_t payload) override {
    const auto id = activities_.add({.client = &client, .payload = payload, .from = from, .to = to, .bytes = bytes});
    const auto path = this->path(from, to);
    if (bytes == 0 || !machine().uses_links(from, to))  // takes no share of any link
      set_timer(id, path.latency + static_cast<double>(bytes) / path.bandwidth, [this, id] { end_flow(id); });
    else if (sharing_ == Sharing::equal && path.latency > 0)
      set_timer(id, path.latency, [this, id] { start_comm(id); });
    else
      start_comm(id);
    return id;
  }

  ActivityId start_timer(double delay, NetworkClient& client, std::uint32_t payload) override {
    const auto id = activities_.add({.client = &client, .payload = payload});
    set_timer(id, delay, [this, id] {
      const auto activity = take(id);
      timed(mutable_profile().clients, [&] { activity.client->timer_ended(activity.payload); });
    });
    return id;
  }

  void cancel(ActivityId id) override {
    const auto activity = take(id);
    if (activity.timer != nullptr) activity.timer->remove();
    if (!activity.comm) return;
    mutable_usage().end(route_of(activity), 0, activity.began, now());
    activity.comm->set_data(nullptr);  // its completion is nobody's business any more
    ended_comms_.push_back(activity.comm);
    activity.comm->cancel();
  }

  void run() override {
    timed(mutable_profile().total, [this] { engine_.run(); });
    ended_comms_.clear();
    if (failure_) std::rethrow_exception(failure_);
  }

  std::vector<std::pair<std::string, std::string>> settings() const override { return settings_; }

 private:
  struct Activity {
    NetworkClient* client = nullptr;
    std::uint32_t payload = 0;
    NodeId from = 0, to = 0;
    std::uint64_t bytes = 0;
    double began = 0;        ///< when the bytes began to flow
    Timer* timer = nullptr;  ///< a timer, or the latency of a flow
    s4u::CommPtr comm = nullptr;
  };

  static std::vector<std::pair<std::string, std::string>> make_settings(const core::Spec& spec) {
    int major = 0, minor = 0, patch = 0;
    sg_version_get(&major, &minor, &patch);
    return {{"simgrid", fmt::format("{}.{}.{}", major, minor, patch)},
            {"sharing", spec.get("sharing", "equal")},
            {"network/model", "CM02"},
            {"network/optim", parse_optim(spec)},
            {"network/crosstraffic", "0"},
            {"network/TCP-gamma", "0"},
            {"network/weight-S", "0"},
            {"network/latency-factor", "1"},
            {"network/bandwidth-factor", "1"},
            // Shares weighted by latencies have rounding errors that SimGrid refuses below its default.
            {"maxmin/precision", spec.get("sharing", "equal") == "equal" ? "1e-9" : "1e-5"},
            {"surf/precision", "1e-12"}};
  }

  Activity take(ActivityId id) {
    activities_.remove(id);
    return std::exchange(activities_[id], {});
  }

  /// Nothing may be thrown through SimGrid: the first failure is kept, and what comes after it is ignored.
  template <class Action>
  void guarded(Action action) {
    if (failure_) return;
    try {
      action();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }

  template <class Action>
  void set_timer(ActivityId id, double delay, Action action) {
    activities_[id].timer = Timer::set(now() + delay, [this, id, action] {
      activities_[id].timer = nullptr;
      guarded(action);
    });
  }

  LinkUsage::Route route_of(const Activity& activity) {
    route_.clear();
    machine().for_each_link(activity.from, activity.to, [&](platforms::LinkId link) { route_.push_back(link); });
    return route_;
  }

  void start_comm(ActivityId id) {
    auto& activity = activities_[id];
    activity.began = now();
    mutable_usage().begin(route_of(activity), now());
    activity.comm = s4u::Comm::sendto_init(zone_->host(activity.from), zone_->host(activity.to));
    activity.comm->set_payload_size(activity.bytes);
    activity.comm->set_data(reinterpret_cast<void*>(static_cast<std::uintptr_t>(id) + 1));
    activity.comm->start();
  }

  void on_comm_end(const s4u::Activity& comm) {
    const auto tagged = reinterpret_cast<std::uintptr_t>(comm.get_data<void>());
    if (tagged == 0) return;
    guarded([&] {
      const auto id = static_cast<ActivityId>(tagged - 1);
      const auto& activity = activities_[id];
      mutable_usage().end(route_of(activity), activity.bytes, activity.began, now());
      ended_comms_.clear();  // SimGrid is done with those, but still uses this one when we return
      ended_comms_.push_back(activity.comm);
      end_flow(id);
    });
  }

  void end_flow(ActivityId id) {
    const auto activity = take(id);
    timed(mutable_profile().clients, [&] { activity.client->flow_ended(activity.payload); });
  }

  Sharing sharing_;
  std::vector<std::pair<std::string, std::string>> settings_;
  s4u::Engine& engine_;
  SimgridZone* zone_ = nullptr;
  core::Pool<Activity> activities_;
  std::vector<s4u::CommPtr> ended_comms_;
  std::vector<platforms::LinkId> route_;  ///< the last one asked for
  std::exception_ptr failure_;
};

}  // namespace

std::unique_ptr<Network> make_simgrid_network(const Machine& machine, const core::Spec& spec) {
  return std::make_unique<SimgridNetwork>(machine, spec);
}

}  // namespace toroid::netsim
