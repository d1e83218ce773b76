#pragma once
// The logical topology of the processor managers: who is whose neighbour, and in which order a search visits them.

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "platforms/machine.hpp"

namespace toroid::alloc::leak {

using platforms::Machine;
using platforms::NodeId;
using platforms::RouterId;

/// All compute nodes, each once, in the order in which a search visits their managers.
using Tour = std::shared_ptr<const std::vector<NodeId>>;

class Topology {
 public:
  /// The machine must outlive it.
  explicit Topology(const Machine& machine) : machine_(machine) {}

  /// The neighbours of a node: the other compute nodes on its router, then those on routers that a working link, in
  /// either direction, joins to its router.
  std::vector<NodeId> neighbours(NodeId node) const;

  /// The number of corners from which a search may start: 2^n with n dimensions of more than one router.
  std::uint32_t corners() const;
  /// The tour row by row, back and forth, from a corner. Bit k of `corner` says that the k-th dimension of more than
  /// one router is walked from its end.
  Tour snake(std::uint32_t corner);

  /// The tour from near to far: square rings around `origin`, each walked round in steps of one; in more dimensions the
  /// shells of cubes, plane by plane. A torus is cut open where it is farthest from the origin.
  Tour spiral(NodeId origin);

 private:
  /// The most nodes in all tours that are kept; further tours are made anew each time.
  static constexpr std::size_t most_kept = std::size_t{1} << 22U;

  using Name = std::pair<bool, std::int64_t>;  ///< a snake's corner, or a spiral's origin
  Tour keep(Name name, const std::vector<RouterId>& routers);

  const Machine& machine_;
  std::map<Name, Tour> tours_;
  std::size_t kept_ = 0;
};

}  // namespace toroid::alloc::leak
