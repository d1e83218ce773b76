#pragma once
// Nodes that fail, and are repaired: each by itself, at random, whether it has something to do or not; or all that an
// outage names, at its time.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "core/random.hpp"
#include "cosim/outages.hpp"
#include "netsim/clock.hpp"
#include "platforms/machine.hpp"

namespace toroid::cosim {

struct NodeFailureOptions {
  double mtbf = 0;  ///< mean time between failures of a node in seconds, exponentially distributed; 0: none fails
  double repair = 4 * 3600;   ///< seconds until the node is back
  std::int32_t requeues = 0;  ///< how often a job that lost a node starts again
  std::vector<OutageText> outages = {};

  bool any() const { return mtbf > 0 || !outages.empty(); }
};

/// Makes nodes fail. As the times between failures of each node are exponential and independent, so is the time until
/// the next failure of any node; its mean is the mtbf divided by the number of nodes that are up. The node that fails
/// is drawn from these. A node that an outage finds out stays so until both are over.
class NodeFailures final : netsim::TimerClient {
 public:
  /// The machine and the clock must outlive it. Only compute nodes fail.
  NodeFailures(const NodeFailureOptions& options, std::vector<PlannedOutage> outages, const platforms::Machine& machine,
               netsim::Clock& clock, std::uint64_t seed);
  ~NodeFailures() override { stop(); }
  NodeFailures(const NodeFailures&) = delete;
  NodeFailures& operator=(const NodeFailures&) = delete;

  struct Events {
    std::function<void(platforms::NodeId, const netsim::Time& back)> failed;     ///< a node that was up
    std::function<void(platforms::NodeId, const netsim::Time& back)> postponed;  ///< one that is out comes back later
    std::function<void(platforms::NodeId)> repaired;
    std::function<void()> at_random;  ///< before a node fails of itself
  };
  /// Begins to tell of what happens. Outages that are over by then are left out; those that have begun begin in the
  /// call.
  void start(Events events);
  /// Stops failures and repairs; nodes that are out stay out.
  void stop();

 private:
  // Payloads of timers: the next failure at random, the beginning of outages by their number, and repairs of nodes.
  static constexpr std::uint32_t failure = ~0U, first_outage = 1U << 31U;

  void timer_ended(std::uint32_t payload) override;
  bool keeps_appointments() const override { return true; }
  void fail_later();
  void fail_at_random();
  void begin(const PlannedOutage& outage);
  void take_down(platforms::NodeId node, const netsim::Time& back);
  void set_up(platforms::NodeId node);
  void set_out(platforms::NodeId node);

  struct Repair {
    netsim::Time time;
    std::optional<netsim::TimerId> timer;  ///< none: the node never comes back
  };

  NodeFailureOptions options_;
  std::vector<PlannedOutage> outages_;
  std::vector<platforms::NodeId> up_;
  std::vector<std::size_t> place_;  ///< of each node in up_, while it is there
  netsim::Clock& clock_;
  core::Random random_;
  Events events_;
  std::optional<netsim::TimerId> next_;
  std::vector<std::optional<netsim::TimerId>> beginnings_;  ///< timers of the outages that are still to come
  std::map<platforms::NodeId, Repair> repairs_;             ///< of the nodes that are out
};

}  // namespace toroid::cosim
