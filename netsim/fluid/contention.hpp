#pragma once
// Contention for links: what each link carries for which job, and what messages lose to the messages of which job.

#include "netsim/flow.hpp"
#include "netsim/fluid/max_min.hpp"
#include "netsim/link_usage.hpp"

namespace toroid::netsim {

using platforms::LinkId;
using platforms::Machine;
using platforms::NodeId;

/// The number of a job among those on one network: 0, 1, 2, ...
using JobNumber = std::uint32_t;

/// Watches all transfers of a network whose flows share links max-min fairly (Network::why_not_shared), and solves
/// their rates for itself, whatever the engine.
///
/// A flow that gets less than it would alone loses time at the rate of 1 - rate / rate alone: over its transfer that is
/// what sharing links added to it. The links that hold it back are those of its route that are full and on which nobody
/// gets more. The loss is split over the jobs in proportion to the most bytes that flows of each move meanwhile over
/// one of these links. The flow itself is not charged, others of its job are.
///
/// A flow that waits in line behind another loses what that one lost, but not more than it waits.
///
/// The watch costs a second solver. Besides, each change of a rate costs work in proportion to the jobs and the hops of
/// its flow, and each change of the largest rate on a full link costs work in proportion to the flows on the link.
class Contention {
 public:
  using Route = LinkUsage::Route;

  /// `job_of` has for each node the job that holds it: jobs share none.
  Contention(const Machine& machine, core::IdVector<NodeId, JobNumber> job_of, std::size_t jobs);

  std::size_t jobs() const { return jobs_; }
  JobNumber job_of(NodeId node) const { return job_of_[node]; }

  /// A transfer begins; `alone` is the rate that it would have alone, bytes/s. One flow may have several, one after
  /// the other: its losses add up.
  void begin(FlowId flow, NodeId from, NodeId to, Route route, double alone, const Time& now);
  /// The flow has ended, or was cancelled; its links have carried so many bytes of it.
  void end(FlowId flow, std::uint64_t bytes, const Time& now);
  /// The turn of the flow, whose transfer is still to come, was so long in coming because of the one before it, which
  /// has left their line.
  void wait_behind(FlowId flow, FlowId before, double seconds);

  /// From now on links have the bandwidths of another machine with the same links; those that have failed carry
  /// nothing any more.
  void change(const Machine& machine, const Time& now);
  /// Whether it ever did: what flows lost then need not be all that they took longer than alone.
  bool has_changed() const { return machine_changed_; }
  /// Flows between the same nodes may take other routes from now on, where none is under way.
  void forget_idle_routes();

  /// What the flow, which has no transfer under way, lost to each job, and forgets it: another may get its id. Valid
  /// until the next call.
  Losses take(FlowId flow);
  void forget(FlowId flow);
  /// Goes forward in time with all flows, as if what is between had happened: those under way lose as much as they
  /// would. What flows lost until now follows from the present iterations, and is not part of a state.
  void shift(const Time& by);
  /// Shows what links have carried to a tally.
  void tally(Tally& tally);

  /// Bytes that the link carried for a job in transfers that are over.
  std::uint64_t bytes(LinkId link, JobNumber job) const { return parts_[link].empty() ? 0 : parts_[link][job].carried; }

 private:
  using StreamId = MaxMin::ClassId;
  /// Rates that differ by less than this part are one: above what the solver takes for equal, and what adds up of it.
  static constexpr double alike = 1e-8;
  static constexpr double full_never = std::numeric_limits<double>::infinity();

  /// What a job has of a link.
  struct Part {
    double rate = 0;   ///< bytes/s of its flows
    double moved = 0;  ///< bytes until `updated`
    Time updated;
    std::uint32_t streams = 0;
    std::uint64_t carried = 0;  ///< bytes, of transfers that are over

    double moved_until(const Time& now) const { return moved + rate * (now - updated).seconds(); }
    void add_rate(double difference, const Time& now) {
      moved = moved_until(now);
      updated = now;
      rate += difference;
    }
  };
  /// The flows between two nodes, one way: a class of the solver.
  struct Stream {
    NodeId from{}, to{};
    JobNumber job = 0;
    double alone = 0;
    std::uint32_t flows = 0;
    std::uint32_t weight = 0;  ///< number of flows that the solver knows of
    double rate = 0;
    Time settled;                     ///< the time until which its losses are booked
    std::vector<LinkId> bottlenecks;  ///< the links that hold the stream at its rate
    std::vector<double> seen;         ///< bytes that each job had moved then, by bottleneck, then by job
    std::vector<double> lost;         ///< losses by job of a flow that was there all the time
    bool changed = false;
    bool moved = false;  ///< its rate or its bottlenecks, by the solution that is being booked

    /// Another stream, in the memory of the last one.
    void begin(NodeId source, NodeId target, JobNumber its_job, double rate_alone, const Time& now, std::size_t jobs) {
      from = source;
      to = target;
      job = its_job;
      alone = rate_alone;
      flows = weight = 0;
      rate = 0;
      settled = now;
      bottlenecks.clear();
      seen.clear();
      lost.assign(jobs, 0);
    }
  };
  /// What is known of a flow that was seen to flow, or to wait behind one that lost something. `lost` has, by job, what
  /// the flow lost while it flowed (as long as it flows: minus what its stream had lost when it began), then, by job,
  /// what it lost in line; it is empty of all other flows.
  struct Watched {
    StreamId stream = 0;
    bool flows = false;
    std::vector<double> lost;
  };

  StreamId stream_between(NodeId from, NodeId to, Route route, double alone);
  void advance(const Time& now);
  Watched& seen(FlowId id);
  void update_rates();
  void note_loads(StreamId id) {
    for (const LinkId link : rates_.route(id)) loaded_.push_back(link);
  }
  void note_levels();
  bool is_held(const Stream& stream, LinkId link) const { return stream.rate >= levels_[link] * (1 - alike); }
  void note_move(StreamId id) {
    if (!std::exchange(streams_[id].moved, true)) moved_.push_back(id);
  }
  void hold(StreamId id);
  void remove(StreamId id);
  void add_rate(StreamId id, double difference) {
    for (const LinkId link : rates_.route(id)) parts_[link][streams_[id].job].add_rate(difference, present_);
  }
  void settle(StreamId id, const Time& now);
  void note_change(StreamId id) {
    if (!std::exchange(streams_[id].changed, true)) changed_.push_back(id);
  }

  std::size_t jobs_;
  core::IdVector<NodeId, JobNumber> job_of_;
  MaxMin rates_;
  core::IdVector<LinkId, std::vector<Part>> parts_;  ///< parts of links by job; empty where nothing was sent yet
  core::IdVector<LinkId, double> levels_;            ///< MaxMin::level() of the last solution
  std::vector<Stream> streams_;
  std::vector<Watched> flows_;
  std::vector<double> taken_;                                    ///< the losses that take() gave last
  core::FlatMap<std::uint64_t, StreamId, core::Mix> stream_of_;  ///< streams by pair of nodes
  std::vector<StreamId> changed_;
  std::vector<LinkId> loaded_;   ///< links whose flows the solution that is being booked has changed; some twice
  std::vector<StreamId> moved_;  ///< see Stream::moved
  std::vector<double> shares_;   ///< shares by job, of the settling under way
  Time present_;                 ///< rates are right until here, but for `changed_`
  bool machine_changed_ = false;
  bool capacities_changed_ = false;  ///< likewise
};

}  // namespace toroid::netsim
