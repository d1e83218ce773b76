#pragma once
// Who shares links with whom: what each link carries for which job, and what messages lose to whose.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/flat_map.hpp"
#include "netsim/fluid/max_min.hpp"
#include "netsim/network.hpp"

namespace toroid::netsim {

using platforms::LinkId;

/// Of several jobs on one network: 0, 1, 2, ...
using JobNumber = std::uint32_t;

/// Watches all transfers of a network whose flows share links max-min fairly (Network::why_not_shared), and solves
/// their rates for itself, whatever the engine.
///
/// A flow that gets less than it would alone loses time at the rate of 1 - rate / rate alone: over its transfer that is
/// what sharing links added to it. It is charged to the other flows on its bottleneck, the link of its route that is
/// full and on which nobody gets more, in proportion to the bytes that they move over it meanwhile. The flow itself is
/// not charged, others of its job are.
///
/// It costs a second solver, and for each rate that changes work in proportion to the jobs and the hops of its flow.
class Contention {
 public:
  using Route = LinkUsage::Route;

  /// `job_of` has for each node the job that holds it: jobs share none.
  Contention(const Machine& machine, core::IdVector<NodeId, JobNumber> job_of, std::size_t jobs);

  std::size_t jobs() const { return jobs_; }
  JobNumber job_of(NodeId node) const { return job_of_[node]; }

  /// A transfer begins, of a flow that began before if `again`; `alone` is the rate that it would have alone, bytes/s.
  void begin(FlowId flow, NodeId from, NodeId to, Route route, double alone, const Time& now, bool again = false);
  /// It has ended, or was cancelled; its links have carried so many bytes.
  void end(FlowId flow, std::uint64_t bytes, const Time& now);

  /// From now on links have the bandwidths of another machine with the same links; those that have failed carry
  /// nothing any more.
  void change(const Machine& machine, const Time& now);
  /// Whether it ever did: what flows lost then need not be all that they took longer than alone.
  bool has_changed() const { return machine_changed_; }
  /// Flows between the same nodes may take other routes from now on, where none is under way.
  void forget_idle_routes();

  /// Seconds that the flow, which has ended, lost to each job. Valid until the next one begins.
  std::span<const double> lost(FlowId flow) const { return flows_[flow].lost; }
  /// Bytes that the link carried for a job in transfers that are over.
  std::uint64_t bytes(LinkId link, JobNumber job) const { return parts_[link].empty() ? 0 : parts_[link][job].carried; }

 private:
  using StreamId = MaxMin::ClassId;

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
    std::uint32_t weight = 0;  ///< how many flows the solver knows of
    double rate = 0;
    LinkId bottleneck = LinkId::none();
    Time settled;  ///< until when its losses are booked
    bool changed = false;
  };
  struct Watched {
    StreamId stream = 0;
    std::vector<double> lost;  ///< by job; while it flows, minus what its stream had lost when it began
  };
  struct HashPair {
    std::uint64_t operator()(std::uint64_t pair) const {
      const std::uint64_t h = pair * 0x9e3779b97f4a7c15ULL;
      return h ^ (h >> 32U);
    }
  };

  StreamId stream_between(NodeId from, NodeId to, Route route, double alone);
  void advance(const Time& now);
  void update_rates();
  void remove(StreamId id);
  void add_rate(StreamId id, double difference);
  void settle(StreamId id, const Time& now);
  void note_change(StreamId id);

  /// By job: what a flow of the stream would have lost that was there all the time; what its bottleneck had moved when
  /// that was last booked.
  double* lost_by(StreamId id) { return &books_[2 * jobs_ * id]; }
  double* seen_by(StreamId id) { return lost_by(id) + jobs_; }

  std::size_t jobs_;
  core::IdVector<NodeId, JobNumber> job_of_;
  MaxMin rates_;
  core::IdVector<LinkId, std::vector<Part>> parts_;  ///< by job; empty where nothing was sent yet
  std::vector<Stream> streams_;
  std::vector<double> books_;
  std::vector<Watched> flows_;
  core::FlatMap<std::uint64_t, StreamId, HashPair> stream_of_;  ///< by pair of nodes
  std::vector<StreamId> changed_;
  std::vector<double> shares_;  ///< by job, of the settling under way
  Time present_;                ///< rates are right until here, but for `changed_`
  bool machine_changed_ = false;
  bool capacities_changed_ = false;  ///< likewise
};

}  // namespace toroid::netsim
