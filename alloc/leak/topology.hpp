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

/// All nodes that compute, each once, in the order in which a search visits their managers.
using Tour = std::shared_ptr<const std::vector<NodeId>>;

class Topology {
 public:
  /// The machine must outlive it.
  explicit Topology(const Machine& machine) : machine_(machine) {}

  /// The others that compute on its router, then those on routers that a working link joins to it, one way or the
  /// other.
  std::vector<NodeId> neighbours(NodeId node) const;

  /// From how many corners a search may start: 2 for each dimension of more than one router.
  std::uint32_t corners() const;
  /// Row by row, back and forth, from a corner: bit k of it set where the k-th such dimension begins at its end.
  Tour snake(std::uint32_t corner);

  /// From near to far: square rings around `origin`, each walked round in steps of one. In more dimensions the shells
  /// of cubes, plane by plane. A torus is cut open where it is farthest from the origin.
  Tour spiral(NodeId origin);

 private:
  /// Tours are kept, up to so many nodes in all; beyond that they are made anew when asked for.
  static constexpr std::size_t most_kept = std::size_t{1} << 22U;

  using Name = std::pair<bool, std::int64_t>;  ///< a snake's corner, or a spiral's origin
  Tour keep(Name name, const std::vector<RouterId>& routers);

  const Machine& machine_;
  std::map<Name, Tour> tours_;
  std::size_t kept_ = 0;
};

}  // namespace toroid::alloc::leak
