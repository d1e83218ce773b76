#include "cosim/outages.hpp"

#include <algorithm>
#include <limits>

#include "core/context.hpp"
#include "core/error.hpp"
#include "core/event_text.hpp"
#include "core/text.hpp"
#include "mapping/mapper.hpp"
#include "platforms/check.hpp"
#include "platforms/names.hpp"

namespace toroid::cosim {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// Something with a text, whose errors begin with it.
template <class Action>
auto of_outage(const std::string& text, Action action) {
  return core::in_context(fmt::format("--at '{}'", core::excerpt(text)), action);
}

OutageText read(const std::string& text) {
  const auto event = core::read_event(text, {"fail-router", "fail-node", "reserve-router", "reserve-node"},
                                      "TIME:fail-router ROUTERS, TIME:fail-node NODES, TIME:reserve-router ROUTERS or "
                                      "TIME:reserve-node NODES, such as 10h:fail-router z=0 until 14h");
  const auto [which, end] = core::cut_off(event.which, "until", "a time such as 14h");
  OutageText outage{jobs::parse_when(event.time, "time"), {}, event.what, which, text};
  if (!end.empty()) outage.end = jobs::parse_when(end, "until");
  return outage;
}

std::vector<platforms::NodeId> nodes_of(const OutageText& outage, const platforms::Machine& machine) {
  std::vector<platforms::NodeId> nodes;
  if (outage.of_routers()) {
    const auto fail = [](const std::string&, const std::string& message) { core::fail_input("{}", message); };
    for (const auto& name : platforms::parse_router_names(machine.description(), outage.nodes, outage.what)) {
      platforms::check_router(machine.description(), outage.what.c_str(), name, fail);
      for (const auto node : machine.nodes_on(machine.router_named(name)))
        if (machine.computes(node)) nodes.push_back(node);
    }
  } else {
    nodes = mapping::parse_nodes(outage.nodes, machine);
  }
  if (nodes.empty()) core::fail_input("none of the nodes there computes on {}", machine.name());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

}  // namespace

OutageText read_outage(const std::string& text) {
  return of_outage(text, [&] { return read(text); });
}

Span span_of(const OutageText& text, const jobs::Jobs& jobs) {
  return of_outage(text.text, [&] {
    Span span{jobs::since_beginning(text.begin, jobs, "time"), never};
    if (!text.end) return span;
    span.end = jobs::since_beginning(*text.end, jobs, "until");
    if (span.end <= span.begin) core::fail_input("until: found a time that is not after the beginning");
    if (span.end >= never_s)
      core::fail_input("until: found {:.3g} s, expected a time within {:.3g} s, or no until", span.end, never_s);
    return span;
  });
}

PlannedOutages outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                          const jobs::Jobs& jobs) {
  PlannedOutages all;
  for (const auto& text : texts) {
    const auto span = span_of(text, jobs);
    (text.is_announced() ? all.announced : all.unforeseen).push_back({span, of_outage(text.text, [&] {
                                                                        return nodes_of(text, machine);
                                                                      })});
  }
  return all;
}

std::vector<TimedEvent> events_of(const std::vector<OutageText>& texts, const jobs::Jobs& jobs, double first_submission,
                                  double last_end) {
  std::vector<TimedEvent> events;
  for (const auto& text : texts) {
    const auto span = span_of(text, jobs);
    events.push_back({text.event(), span.begin, span.end, span.begin <= last_end && span.end > first_submission});
  }
  return events;
}

namespace {

const core::Object<TimedEvent> event_object{
    "event",
    {{"time_s", "seconds", "when it happens, since the start", &TimedEvent::time},
     {"until_s", "seconds or null", "only of outages and reservations: their end; null if they never end",
      [](auto& e) { return !e.until           ? core::absent()
                           : *e.until < never ? core::Json(*e.until)
                                              : core::Json(); }},
     {"event", "text", "what happens, in the words of the option", &TimedEvent::event},
     {"in_time", "yes or no", "whether that was before the end, and while there were jobs", &TimedEvent::in_time}}};
}  // namespace

core::Json events_json(const std::vector<TimedEvent>& events) {
  return event_object.list(events);
}

core::ObjectText event_text() {
  return event_object;
}

std::vector<TimedEvent> events_from(const core::Json& json) {
  std::vector<TimedEvent> events;
  for (const auto& one : json) {
    events.push_back({one.at("event"), one.at("time_s"), {}, one.at("in_time")});
    if (one.contains("until_s")) events.back().until = one["until_s"].is_null() ? never : one["until_s"].get<double>();
  }
  return events;
}

}  // namespace toroid::cosim
