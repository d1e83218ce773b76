#pragma once
// The network as the replay sees it: start a flow, hear when it ends. Any number of clients, on one clock.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.hpp"
#include "netsim/clock.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/paths.hpp"
#include "platforms/machine.hpp"

namespace toroid::netsim {

using platforms::Machine;
using platforms::NodeId;

/// Who started a flow and is told when it ends. The payload is what it said when it started it.
class FlowClient {
 public:
  virtual ~FlowClient() = default;
  virtual void flow_ended(std::uint32_t payload) = 0;
};

/// Names a flow until it has ended or was cancelled.
using FlowId = std::uint32_t;

/// Where the real time of a run went, in seconds.
struct Profile {
  double total = 0;    ///< in Simulation::run()
  double clients = 0;  ///< in the replay: decoding, matching, collectives, and what it asks of the network
  double solver = 0;   ///< computing rates; 0 where the engine does not tell it from its events
};

/// The contention model is max-min fair sharing: a message first pays its latency, then its bytes share every link of
/// its dimension-order route. Messages within a node share nothing.
class Network : protected EventSource {
 public:
  /// Machine and clock must outlive the network.
  Network(const Machine& machine, Clock& clock) : machine_(machine), clock_(clock), usage_(machine), paths_(machine) {
    clock_.attach(*this);
  }
  ~Network() override { clock_.detach(*this); }
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Machine& machine() const { return machine_; }
  Clock& clock() const { return clock_; }
  const LinkUsage& usage() const { return usage_; }
  /// What a message that is alone on the machine meets on its way; valid until the next call.
  const platforms::Path& path(NodeId from, NodeId to) { return paths_.between(from, to); }

  /// A message of so many bytes, 0 or more, between nodes that compute; they may be the same. The client must live
  /// until the flow has ended or was cancelled; it may start and cancel others whenever it is told of an end.
  virtual FlowId start_flow(NodeId from, NodeId to, std::uint64_t bytes, FlowClient& client, std::uint32_t payload) = 0;
  /// The flow, whose client must not have been told of its end, leaves the network at once; the client hears nothing
  /// more of it.
  virtual void cancel(FlowId flow) = 0;
  /// How many flows are under way.
  virtual std::size_t flows() const = 0;

  /// See LinkUsage; before the first flow.
  void measure_windows(std::size_t count) { usage_.measure_windows(count); }

  /// From now on, measures where time goes.
  void enable_profile() { profiling_ = true; }
  const Profile& profile() const { return profile_; }
  /// Runs `action` and adds the time it takes to that part of the profile, if it is wanted.
  template <class Action>
  void timed(double Profile::*part, Action&& action) {
    if (!profiling_) return action();
    const auto start = std::chrono::steady_clock::now();
    action();
    profile_.*part += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// The settings in effect, for the record: the same settings give the same times.
  virtual std::vector<std::pair<std::string, std::string>> settings() const = 0;

 protected:
  LinkUsage& mutable_usage() { return usage_; }

 private:
  const Machine& machine_;
  Clock& clock_;
  LinkUsage usage_;
  Paths paths_;
  bool profiling_ = false;
  Profile profile_;
};

/// How an engine is made, and what it needs.
struct MakeNetwork {
  std::unique_ptr<Network> (*make)(const Machine&, Clock&, const core::Arguments&);
  bool own_process = false;  ///< at most one in a process
  void (*load)() = [] {};    ///< takes in what it needs besides this program

  std::unique_ptr<Network> operator()(const Machine& machine, Clock& clock, const core::Arguments& arguments) const {
    return make(machine, clock, arguments);
  }
};

/// The engines: `simgrid`, `fluid`.
const core::Registry<MakeNetwork>& engines();

/// The engine that a spec names, loaded. Throws InputError when there is none or it cannot be loaded.
const MakeNetwork& load_engine(std::string_view spec);

}  // namespace toroid::netsim
