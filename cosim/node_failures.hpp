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
  double mtbf = 0;  ///< mean time between failures of a node in seconds, exponentially distributed; 0: none fails
  double repair = 4 * 3600;   ///< seconds until the node is back
  std::int32_t requeues = 0;  ///< how often a job that lost a node starts again
};

/// Makes nodes fail. As the times between failures of each node are exponential and independent, so is the time until
/// the next failure of any node; its mean is the mtbf divided by the number of nodes that are up. The node that fails
/// is drawn from these.
class NodeFailures final : netsim::TimerClient {
 public:
  /// The machine and the clock must outlive it. Only compute nodes fail.
  NodeFailures(const FailureOptions& options, const platforms::Machine& machine, netsim::Clock& clock,
               std::uint64_t seed);
  ~NodeFailures() override { stop(); }
  NodeFailures(const NodeFailures&) = delete;
  NodeFailures& operator=(const NodeFailures&) = delete;

  using Happens = std::function<void(platforms::NodeId)>;
  /// Begins to call `failed` when a node fails, and `repaired` when it is back.
  void start(Happens failed, Happens repaired);
  /// Stops failures and repairs; nodes that are out stay out.
  void stop();

 private:
  static constexpr std::uint32_t failure =
      ~0U;  ///< payload of the timer of the next failure; others are nodes that are repaired

  void timer_ended(std::uint32_t payload) override;
  void fail_later();
  void fail();

  FailureOptions options_;
  std::vector<platforms::NodeId> up_;
  netsim::Clock& clock_;
  core::Random random_;
  Happens failed_, repaired_;
  std::optional<netsim::TimerId> next_;
  std::map<platforms::NodeId, netsim::TimerId> repairs_;  ///< timers of the nodes that are out
};

}  // namespace toroid::cosim
