#pragma once
// Outages that are planned, or that a log tells of: which nodes are out from when to when.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jobs/when.hpp"
#include "platforms/machine.hpp"

namespace toroid::cosim {

/// `10h:fail-router z=0 until 14h`, as it was given. Which nodes and which times these are depends on the machine and
/// on when the log begins.
struct OutageText {
  jobs::When begin;
  std::optional<jobs::When> end;  ///< nothing: the nodes never come back
  bool of_routers = false;        ///< else `nodes` names nodes
  std::string nodes;
  std::string text;  ///< all of it
};

/// Reads an outage. Throws InputError on anything else than `TIME:fail-router ROUTERS` and `TIME:fail-node NODES`, with
/// or without `until TIME`.
OutageText read_outage(const std::string& text);

/// Nodes that go out at a time, in seconds since the beginning of the log. What runs on them ends.
struct PlannedOutage {
  double begin = 0;
  double end = 0;  ///< when they are back; infinity: never
  std::vector<platforms::NodeId> nodes = {};
};

/// The outages of a machine whose jobs are those. Throws InputError on routers, nodes and dates that there are not, and
/// where an outage ends before it begins.
std::vector<PlannedOutage> outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                                      const jobs::Jobs& jobs);

}  // namespace toroid::cosim
