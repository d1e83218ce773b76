#pragma once
// When nodes are out: outages by plan, reservations, and failures at random.

#include "core/blame.hpp"
#include "core/random.hpp"
#include "netsim/time/clock.hpp"
#include "toroid/core/fields.hpp"
#include "toroid/cosim/options.hpp"
#include "toroid/netsim/run.hpp"

namespace toroid::cosim {

/// Does something with the text of an event (--at). What goes wrong begins with that text.
template <class Action>
auto of_event(const std::string& text, Action action) {
  return core::in_context(fmt::format("--at '{}'", core::excerpt(text)), action);
}

/// Reads an outage. Throws InputError on anything else than `TIME:WHAT NODES`, with or without `until TIME`.
OutageText read_outage(const std::string& text);

/// Seconds, 3,000 years: the end of outages that never end. All others end before.
constexpr double never_s = 1e11;

/// An end of an outage as a time.
inline netsim::Time time_of(double seconds) {
  return netsim::Time(std::min(seconds, never_s));
}

/// Seconds since the beginning of the log.
struct Span {
  double begin = 0;
  double end = 0;  ///< when nodes or links are back; infinity: never
};

/// When an outage begins and ends, on each of its days from the first submission of a job to the last. Throws
/// InputError on dates that the log does not have, and if it ends too early.
std::vector<Span> spans_of(const OutageText& text, const jobs::Jobs& jobs);

/// Nodes that go out at a time.
struct PlannedOutage {
  Span span = {};
  std::vector<platforms::NodeId> nodes = {};
};

/// What becomes of nodes by plan.
struct PlannedOutages {
  std::vector<PlannedOutage> unforeseen = {};  ///< what runs on the nodes ends
  std::vector<PlannedOutage> announced = {};   ///< what nobody starts on (ReservedNodes)
};

/// The outages of a machine whose jobs are those. Throws InputError where spans_of() does, and on routers and nodes
/// that the machine does not have.
PlannedOutages outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                          const jobs::Jobs& jobs);

/// What a machine becomes as its links fail and come back: at each time another one.
struct LinkFailures {
  std::vector<std::unique_ptr<platforms::Machine>> machines = {};
  netsim::MachineChanges changes = {};
};

/// The failures of links among the outages. Throws InputError where spans_of() does, and on links that the machine does
/// not have.
LinkFailures link_failures_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                              const jobs::Jobs& jobs);

/// The outages as events.
std::vector<TimedEvent> events_of(const std::vector<OutageText>& texts, const jobs::Jobs& jobs, double first_submission,
                                  double last_end);

/// The events as JSON, and back from there.
core::Json events_json(const std::vector<TimedEvent>& events);
core::ObjectText event_text();
std::vector<TimedEvent> events_from(const core::Json& json);

/// Nodes that are reserved, as all know in advance (Slurm's maintenance reservations): a job gets none of them if it
/// may still run, by its estimate, when their reservation begins.
class ReservedNodes {
 public:
  ReservedNodes() = default;
  /// Reservations, which may overlap each other.
  explicit ReservedNodes(const std::vector<PlannedOutage>& reservations);

  /// Nodes that are reserved from a time until before another.
  struct Part {
    netsim::Time from, until;
    std::vector<platforms::NodeId> nodes;
  };
  /// All parts in the order of their beginnings. No two parts of one node overlap or touch.
  const std::vector<Part>& parts() const { return parts_; }

  /// The nodes that a job does not get if it runs from a time on for that long, at least for a moment; in order.
  std::vector<platforms::NodeId> within(const netsim::Time& from, const netsim::Time& duration) const;
  /// The next time after `now` from which on one of the nodes is reserved; Time::never() if there is none.
  netsim::Time next_beginning(std::span<const platforms::NodeId> nodes, const netsim::Time& now) const;
  /// The first end of a reservation after `now`; Time::never() if there is none.
  netsim::Time next_end(const netsim::Time& now) const;

 private:
  std::vector<Part> parts_;
};

/// Makes nodes fail, and repairs them: each by itself, at random, whether it has something to do or not; or all that an
/// outage names, at its time. As the times between failures of each node are exponential and independent, so is the
/// time until the next failure of any node; its mean is the mtbf divided by the number of nodes that are up. The node
/// that fails is drawn from these. A node that an outage finds out stays so until both are over.
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
  bool has_started() const { return events_.failed != nullptr; }
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
  std::vector<std::size_t> place_;  ///< the place of each node in up_, while it is there
  netsim::Clock& clock_;
  core::Random random_;
  Events events_;
  std::optional<netsim::TimerId> next_;
  std::vector<std::optional<netsim::TimerId>> beginnings_;  ///< timers of the outages that are still to come
  std::map<platforms::NodeId, Repair> repairs_;             ///< the repairs of the nodes that are out
};

}  // namespace toroid::cosim
