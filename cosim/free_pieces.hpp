#pragma once
// The nodes of a machine that are free, and into how many pieces they have fallen.

#include <span>
#include <vector>

#include "core/id.hpp"
#include "platforms/machine.hpp"

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

}  // namespace toroid::cosim
