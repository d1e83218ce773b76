#pragma once
// Outages with their times: which nodes are out from when to when. An outage comes unforeseen, as nodes fail, or
// announced, as nodes are reserved.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fields.hpp"
#include "jobs/when.hpp"
#include "netsim/time.hpp"
#include "platforms/machine.hpp"

namespace toroid::cosim {

/// `10h:fail-router z=0 until 14h`, as it was given. Which nodes and which times these are depends on the machine and
/// on when the log begins.
struct OutageText {
  jobs::When begin;
  std::optional<jobs::When> end;  ///< nothing: the nodes never come back
  std::string what;               ///< fail-router, fail-node, reserve-router or reserve-node
  std::string nodes;
  std::string text;  ///< all of it

  bool of_routers() const { return what.ends_with("-router"); }  ///< else `nodes` names nodes
  bool is_announced() const { return what.starts_with("reserve-"); }
  std::string event() const { return fmt::format("{} {}", what, nodes); }
};

/// Reads an outage. Throws InputError on anything else than `TIME:WHAT NODES`, with or without `until TIME`.
OutageText read_outage(const std::string& text);

/// Seconds, 3,000 years: the end of outages that never end. All others end before.
constexpr double never_s = 1e11;

/// An end of an outage as a time.
inline netsim::Time time_of(double seconds) {
  return netsim::Time(std::min(seconds, never_s));
}

/// Seconds since the beginning of the log.
struct Span {
  double begin = 0;
  double end = 0;  ///< when the nodes are back; infinity: never
};

/// When an outage begins and ends. Throws InputError on dates that the log does not have, and if it ends too early.
Span span_of(const OutageText& text, const jobs::Jobs& jobs);

/// Nodes that go out at a time.
struct PlannedOutage {
  Span span = {};
  std::vector<platforms::NodeId> nodes = {};
};

/// What becomes of nodes by plan.
struct PlannedOutages {
  std::vector<PlannedOutage> unforeseen = {};  ///< what runs on the nodes ends
  std::vector<PlannedOutage> announced = {};   ///< see Reservations
};

/// The outages of a machine whose jobs are those. Throws InputError where span_of() does, and on routers and nodes that
/// there are not.
PlannedOutages outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                          const jobs::Jobs& jobs);

/// What happened at a time that a user gave, as results tell it. Times are in seconds since the beginning of the log.
struct TimedEvent {
  std::string event;  ///< `fail-router z=0`
  double time = 0;
  std::optional<double> until = {};  ///< of an outage: when the nodes are back; infinity: never
  bool in_time = true;               ///< whether the event was between the first submission and the last end of a job

  bool operator==(const TimedEvent&) const = default;
};

/// The outages as events.
std::vector<TimedEvent> events_of(const std::vector<OutageText>& texts, const jobs::Jobs& jobs, double first_submission,
                                  double last_end);

/// The events as JSON, and back from there.
core::Json events_json(const std::vector<TimedEvent>& events);
core::ObjectText event_text();
std::vector<TimedEvent> events_from(const core::Json& json);

}  // namespace toroid::cosim
