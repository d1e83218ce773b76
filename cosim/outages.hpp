#pragma once
// Outages with their times: which nodes are out from when to when.

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json.hpp"
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

  std::string event() const { return fmt::format("{} {}", of_routers ? "fail-router" : "fail-node", nodes); }
};

/// Reads an outage. Throws InputError on anything else than `TIME:fail-router ROUTERS` and `TIME:fail-node NODES`, with
/// or without `until TIME`.
OutageText read_outage(const std::string& text);

/// No outage that ends lasts until then: 3,000 years.
constexpr double never_s = 1e11;

/// Seconds since the beginning of the log.
struct Span {
  double begin = 0;
  double end = 0;  ///< when the nodes are back; infinity: never
};

/// From when to when. Throws InputError on dates that the log does not have, and where an outage ends before it begins.
Span span_of(const OutageText& text, const jobs::Jobs& jobs);

/// Nodes that go out at a time. What runs on them ends.
struct PlannedOutage {
  Span span = {};
  std::vector<platforms::NodeId> nodes = {};
};

/// The outages of a machine whose jobs are those. Throws InputError where span_of() does, and on routers and nodes that
/// there are not.
std::vector<PlannedOutage> outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                                      const jobs::Jobs& jobs);

/// The outages as JSON, each with whether it was in time: between the first submission and the last end of a job.
core::Json outages_json(const std::vector<OutageText>& texts, const jobs::Jobs& jobs, double first_submission,
                        double last_end);

}  // namespace toroid::cosim
