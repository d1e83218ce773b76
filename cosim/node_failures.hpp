#pragma once
// Nodes that fail, and are repaired: each by itself, at random, whether it has something to do or not.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "netsim/clock.hpp"
#include "platforms/machine.hpp"

namespace toroid::cosim {

struct FailureOptions {
  double mtbf = 0;            ///< of a node, in seconds: the mean of an exponential distribution; 0: none fails
  double repair = 4 * 3600;   ///< seconds until the node is back
  std::int32_t requeues = 0;  ///< how often a job that lost a node starts again
};

/// Where all nodes fail alike and forget how old they are, the next failure comes after a time that is exponential,
/// too, with the mean of a node over the number of nodes that are up, and strikes one drawn from these.
class NodeFailures final : netsim::TimerClient {
 public:
  /// Both must outlive it. Only nodes that compute fail.
  NodeFailures(const FailureOptions& options, const platforms::Machine& machine, netsim::Clock& clock,
               std::uint64_t seed);
  ~NodeFailures() override { stop(); }
  NodeFailures(const NodeFailures&) = delete;
  NodeFailures& operator=(const NodeFailures&) = delete;

  using Happens = std::function<void(platforms::NodeId)>;
  /// From now on calls `failed` when a node fails, and `repaired` when it is back.
  void start(Happens failed, Happens repaired);
  /// Nothing happens any more; nodes that are out stay so.
  void stop();

 private:
  static constexpr std::uint32_t failure = ~0U;  ///< what timers stand for; other numbers are nodes that are repaired

  void timer_ended(std::uint32_t payload) override;
  void fail_later();
  void fail();

  FailureOptions options_;
  std::vector<platforms::NodeId> up_;
  netsim::Clock& clock_;
  core::Random random_;
  Happens failed_, repaired_;
  std::optional<netsim::TimerId> next_;
  std::map<platforms::NodeId, netsim::TimerId> repairs_;  ///< of those that are out
};

}  // namespace toroid::cosim
