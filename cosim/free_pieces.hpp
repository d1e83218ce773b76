#pragma once
// The pieces into which the free nodes fall.

#include "cosim/record.hpp"

namespace toroid::cosim {

/// How many nodes are free on each router, and the pieces that routers with free nodes form. Which nodes are free is
/// the business of alloc::FreeNodes, which a run shares; this follows a history of jobs.
class FreePieces {
 public:
  /// Routers with a free node, as far as working links join them.
  struct Regions {
    std::int32_t count = 0, largest = 0;  ///< largest: in nodes
  };

  /// All compute nodes are free. The machine must outlive this.
  explicit FreePieces(const platforms::Machine& machine);

  void take(std::span<const platforms::NodeId> nodes) { add(nodes, -1); }
  void give_back(std::span<const platforms::NodeId> nodes) { add(nodes, 1); }
  /// How many nodes are free.
  std::int32_t count() const { return free_; }
  /// Finds the pieces, in time in proportion to the machine.
  Regions regions() const;

 private:
  void add(std::span<const platforms::NodeId> nodes, std::int32_t sign);

  const platforms::Machine& machine_;
  core::IdVector<platforms::RouterId, std::vector<platforms::RouterId>> neighbours_;
  core::IdVector<platforms::RouterId, std::int32_t> free_on_;  ///< number of free nodes
  std::int32_t free_ = 0;
};

/// Follows who holds which nodes while a run goes on. What is made of that, instant by instant, derived classes say in
/// settled().
class FollowedPieces : public Observer {
 public:
  /// All compute nodes are free. The machine must outlive this.
  explicit FollowedPieces(const Machine& machine) : free_(machine), all_(free_.count()) {}
  void started(const Record& record) override { hold(record.id, record.nodes); }
  void resized(JobId id, std::span<const NodeId> nodes, const Time&) override { hold(id, nodes); }
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time&) override;
  void node_back(NodeId node, const Time&) override;

 protected:
  const FreePieces& free() const { return free_; }
  std::size_t running() const { return held_.size(); }  ///< jobs
  std::int32_t out() const { return out_; }             ///< nodes
  std::int32_t held() const { return all_ - free_.count() - out_; }

 private:
  void hold(JobId id, std::span<const NodeId> nodes);

  FreePieces free_;
  std::map<JobId, Allocation> held_;
  std::int32_t all_, out_ = 0;  ///< nodes
};

/// Adds up how far the free nodes lie in pieces, over a whole run. Each instant takes time in proportion to the
/// machine.
class Fragmentation final : public FollowedPieces {
 public:
  using FollowedPieces::FollowedPieces;
  void settled(const Time& now) override;

  /// The share of the free node-seconds, from the first instant to the last, that were not in the largest region of
  /// free nodes at their time; 0 where no node was ever free.
  double outside() const { return free_seconds_ > 0 ? outside_seconds_ / free_seconds_ : 0; }

 private:
  double since_ = 0;                       ///< seconds: the last instant
  double now_free_ = 0, now_outside_ = 0;  ///< nodes, since then
  double free_seconds_ = 0, outside_seconds_ = 0;
};

}  // namespace toroid::cosim
