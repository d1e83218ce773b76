#pragma once
// The links that a message takes, for those who count what links carry.

#include <vector>

#include "core/parameter.hpp"
#include "platforms/machine.hpp"

namespace toroid::mapping {

using platforms::Routing;

/// The key `routing` of a mapper. Unless given, the routers of the machine say it (usual_routing).
extern const core::OptionalParameter<Routing> routing_parameter;

/// How the routers of the machine route.
inline Routing usual_routing(const platforms::Machine& machine) {
  return machine.description().router.routing;
}

/// The routes between the nodes of a machine: its own, or, for adaptive routing, where any shortest way may be taken,
/// half of each message in the machine's order of dimensions and half in the reverse order.
class Routes {
 public:
  /// `machine` must outlive this object.
  Routes(const platforms::Machine& machine, Routing routing);

  const platforms::Machine& machine() const { return machine_; }
  /// The number of routes over which a message is spread in equal parts.
  double ways() const { return 1.0 + static_cast<double>(reversed_.size()); }

  /// Calls visit(LinkId) for every link of each of these routes; twice for a link that is on both of them.
  template <class Visit>
  void for_each_link(platforms::NodeId from, platforms::NodeId to, Visit&& visit) const {
    machine_.for_each_link(from, to, visit);
    for (const auto& other : reversed_) other.for_each_link(from, to, visit);
  }

 private:
  const platforms::Machine& machine_;
  std::vector<platforms::Machine>
      reversed_;  ///< the machine with the other order of dimensions; none where one will do
};

}  // namespace toroid::mapping
