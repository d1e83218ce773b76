#pragma once
// Nodes that are reserved, as all know in advance (Slurm's maintenance reservations): a job gets none of them if it may
// still run, by its estimate, when their reservation begins.

#include <cstdint>
#include <span>
#include <vector>

#include "cosim/outages.hpp"
#include "netsim/time.hpp"

namespace toroid::cosim {

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

}  // namespace toroid::cosim
