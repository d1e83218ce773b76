#pragma once
// The network as the replay sees it: start a flow, start a timer, hear when they end. One clock, any number of clients.

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/registry.hpp"
#include "netsim/link_usage.hpp"
#include "netsim/paths.hpp"
#include "platforms/machine.hpp"

namespace toroid::netsim {

using platforms::Machine;
using platforms::NodeId;

/// Who started an activity and is told when it ends. The payload is what it said when it started it.
class NetworkClient {
 public:
  virtual ~NetworkClient() = default;
  virtual void flow_ended(std::uint32_t payload) = 0;
  virtual void timer_ended(std::uint32_t payload) = 0;
};

/// Names an activity until it has ended or was cancelled.
using ActivityId = std::uint32_t;

/// Where the real time of a run went, in seconds.
struct Profile {
  double total = 0;
  double clients = 0;  ///< in the replay: decoding, matching, collectives, and what it asks of the network
  double solver = 0;   ///< computing rates; 0 where the engine does not tell it from its events
};

/// The contention model is max-min fair sharing: a message first pays its latency, then its bytes share every link of
/// its dimension-order route. Messages within a node share nothing.
class Network {
 public:
  explicit Network(const Machine& machine) : machine_(machine), usage_(machine), paths_(machine) {}
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Machine& machine() const { return machine_; }
  const LinkUsage& usage() const { return usage_; }
  virtual double now() const = 0;  ///< seconds
  /// What a message that is alone on the machine meets on its way; valid until the next call.
  const platforms::Path& path(NodeId from, NodeId to) { return paths_.between(from, to); }

  /// A message of so many bytes, 0 or more, between nodes that compute; they may be the same.
  virtual ActivityId start_flow(NodeId from, NodeId to, std::uint64_t bytes, NetworkClient& client,
                                std::uint32_t payload) = 0;
  /// `delay` in seconds, 0 or more.
  virtual ActivityId start_timer(double delay, NetworkClient& client, std::uint32_t payload) = 0;
  /// The activity, which must not have ended, leaves the network at once; its client hears nothing more of it.
  virtual void cancel(ActivityId activity) = 0;

  /// Lets time pass until nothing is left to happen. Clients may start and cancel activities whenever they are told of
  /// an end. An exception of a client ends the run and comes out here. The fluid engine throws
  /// SimulationError before its clock passes 1e300 s; SimGrid's stops at the largest number, with activities left.
  virtual void run() = 0;

  /// From now on, measures where time goes.
  void enable_profile() { profiling_ = true; }
  const Profile& profile() const { return profile_; }

  /// The settings in effect, for the record: the same settings give the same times.
  virtual std::vector<std::pair<std::string, std::string>> settings() const = 0;

 protected:
  LinkUsage& mutable_usage() { return usage_; }
  Profile& mutable_profile() { return profile_; }

  /// Runs `action` and adds the time it takes to `sum`, if that is wanted.
  template <class Action>
  void timed(double& sum, Action&& action) {
    if (!profiling_) return action();
    const auto start = std::chrono::steady_clock::now();
    action();
    sum += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  const Machine& machine_;
  LinkUsage usage_;
  Paths paths_;
  bool profiling_ = false;
  Profile profile_;
};

/// How an engine is made, and what it needs.
struct MakeNetwork {
  std::unique_ptr<Network> (*make)(const Machine&, const core::Spec&);
  bool own_process = false;  ///< at most one in a process
  void (*load)() = [] {};    ///< takes in what it needs besides this program

  std::unique_ptr<Network> operator()(const Machine& machine, const core::Spec& spec) const {
    return make(machine, spec);
  }
};

/// The engines: `simgrid`, `fluid`. The machine must outlive the network.
const core::Registry<MakeNetwork>& engines();

/// The engine that a spec names, loaded. Throws InputError when there is none or it cannot be loaded.
const MakeNetwork& load_engine(std::string_view spec);

}  // namespace toroid::netsim
