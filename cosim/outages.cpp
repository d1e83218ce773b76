#include "cosim/outages.hpp"

#include <algorithm>
#include <limits>

#include "core/context.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "jobs/program_text.hpp"
#include "mapping/mapper.hpp"
#include "platforms/check.hpp"
#include "platforms/names.hpp"

namespace toroid::cosim {
namespace {

using Text = std::string_view;

/// Something with a text, whose errors begin with it.
template <class Action>
auto of_outage(const std::string& text, Action action) {
  return core::in_context(fmt::format("--at '{}'", core::excerpt(text)), action);
}

/// Where the time ends and the event begins: at the last colon before `fail`, as a date has colons, too.
std::size_t colon_in(Text text) {
  return text.rfind(':', text.find("fail"));
}

OutageText read(const std::string& text) {
  const auto colon = colon_in(text);
  if (colon == std::string::npos)
    core::fail_input(
        "expected TIME:fail-router ROUTERS or TIME:fail-node NODES, such as 10h:fail-router z=0 until 14h");
  const auto [event, end] = jobs::cut_off(text.substr(colon + 1), "until");
  const auto trimmed = core::trim(event);
  const auto blank = std::min(trimmed.find(' '), trimmed.size());
  const auto what = trimmed.substr(0, blank), which = core::trim(trimmed.substr(blank));
  if (what != "fail-router" && what != "fail-node")
    core::fail_input("found '{}', expected fail-router or fail-node", core::excerpt(what));
  if (which.empty()) core::fail_input("{}: found nothing after it", what);
  OutageText outage{
      jobs::parse_when(text.substr(0, colon), "time"), {}, what == "fail-router", std::string(which), text};
  if (!end.empty()) outage.end = jobs::parse_when(end, "until");
  return outage;
}

std::vector<platforms::NodeId> nodes_of(const OutageText& outage, const platforms::Machine& machine) {
  std::vector<platforms::NodeId> nodes;
  if (outage.of_routers) {
    const auto fail = [](const std::string&, const std::string& message) { core::fail_input("{}", message); };
    for (const auto& name : platforms::parse_router_names(machine.description(), outage.nodes, "fail-router")) {
      platforms::check_router(machine.description(), "fail-router", name, fail);
      for (const auto node : machine.nodes_on(platforms::router_named(machine, name)))
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

std::vector<PlannedOutage> outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                                      const jobs::Jobs& jobs) {
  std::vector<PlannedOutage> all;
  for (const auto& text : texts)
    of_outage(text.text, [&] {
      const double begin = jobs::since_beginning(text.begin, jobs, "time");
      const double end =
          text.end ? jobs::since_beginning(*text.end, jobs, "until") : std::numeric_limits<double>::infinity();
      if (end <= begin) core::fail_input("until: found a time that is not after the beginning");
      all.push_back({begin, end, nodes_of(text, machine)});
    });
  return all;
}

}  // namespace toroid::cosim
