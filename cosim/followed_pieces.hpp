#pragma once
// What of a machine is free while a run goes on, and into how many pieces that has fallen.

#include <map>

#include "cosim/free_pieces.hpp"
#include "cosim/record.hpp"

namespace toroid::cosim {

/// Follows who holds which nodes. What is made of that, instant by instant, derived classes say in settled().
class FollowedPieces : public Observer {
 public:
  /// All compute nodes are free. The machine must outlive this.
  explicit FollowedPieces(const Machine& machine) : free_(machine) {}
  void started(const Record& record) override { hold(record.id, record.nodes); }
  void resized(JobId id, std::span<const NodeId> nodes, const Time&) override { hold(id, nodes); }
  void ended(const Record& record) override;
  void node_out(NodeId node, const Time&) override;
  void node_back(NodeId node, const Time&) override;

 protected:
  const FreePieces& free() const { return free_; }
  std::size_t running() const { return held_.size(); }  ///< jobs
  std::int32_t out() const { return out_; }             ///< nodes

 private:
  void hold(JobId id, std::span<const NodeId> nodes);

  FreePieces free_;
  std::map<JobId, Allocation> held_;
  std::int32_t out_ = 0;
};

}  // namespace toroid::cosim
