#include "cli/arguments.hpp"

#include <algorithm>

#include "cli/option.hpp"
#include "core/context.hpp"
#include "core/event_text.hpp"
#include "core/text.hpp"
#include "core/units.hpp"
#include "cosim/outages.hpp"

namespace toroid::cli {

namespace {

struct Event {
  double time;
  std::string what, which;  ///< `set`, `x.bandwidth=x0.5`
  const std::string* text;
};

Event parse(const std::string& text) {
  auto event = core::read_event(text, {"fail-link", "set", "kill"}, "TIME:EVENT, such as 2ms:fail-link n5-n6");
  return {core::parse_duration(event.time, "time"), std::move(event.what), std::move(event.which), &text};
}

/// `set x.bandwidth=x0.5`
std::string in_words(const Event& event) {
  return event.what + " " + event.which;
}

/// The property and its value. What others than these would change, nodes and links that are there, jobs rely on.
std::pair<std::string, std::string> change_of(const Event& event) {
  if (event.what == "fail-link") return {"fail-link", event.which};
  const auto equals = event.which.find('=');
  if (equals == std::string::npos) core::fail_input("found '{}', expected property=value", core::excerpt(event.which));
  const std::string name(core::trim(std::string_view(event.which).substr(0, equals)));
  const auto property = platforms::canonical_property(name);
  std::vector<std::string> changeable;
  for (const auto& help : platforms::property_help())
    if (help.may_change) changeable.emplace_back(help.name);
  const auto of_machine = property.substr(property.find('.') + 1);
  if (std::find(changeable.begin(), changeable.end(), of_machine) == changeable.end())
    core::fail_input("'{}' cannot change while jobs run{}", core::excerpt(name),
                     core::valid_instead(of_machine, changeable));
  return {name, std::string(core::trim(std::string_view(event.which).substr(equals + 1)))};
}

void check_alike(const platforms::Machine& before, const platforms::Machine& after) {
  if (before.limits_injection() != after.limits_injection() || before.limits_ejection() != after.limits_ejection())
    core::fail_input("a limit of injection or ejection cannot come or go while jobs run");
}

/// Something with a text, whose errors begin with it.
template <class Action>
auto of_event(const std::string& text, Action action) {
  return core::in_context(fmt::format("--at '{}'", core::excerpt(text)), action);
}

}  // namespace

void EventArguments::add_to(CLI::App& command) {
  add_repeated(command, "--at", at,
               fmt::format("something that happens in the middle of the run: TIME:fail-link LINK, TIME:set "
                           "PROPERTY=VALUE (as --fail-link and --set have them; engine {}), TIME:kill JOB (may be "
                           "repeated)",
                           core::either(netsim::engines_that_change())));
  add_word(command, "--on-failure", on_failure, {"reroute", "fail"},
           "messages on a link that fails: reroute (what has not arrived starts again), or fail (their job fails)");
}

Events EventArguments::events(const platforms::Machine& machine, const std::vector<std::string>& jobs) const {
  std::vector<Event> all;
  for (const auto& text : at) all.push_back(of_event(text, [&] { return parse(text); }));
  std::stable_sort(all.begin(), all.end(), [](const Event& a, const Event& b) { return a.time < b.time; });
  Events events;
  events.changes.on_link_failure = on_failure == "fail" ? netsim::OnLinkFailure::fail : netsim::OnLinkFailure::reroute;
  for (const auto& event : all)
    of_event(*event.text, [&] {
      if (event.what == "kill") {
        if (jobs.empty()) core::fail_input("found a single TRACE, expected jobs to kill one of: --job TRACE");
        const auto job = std::find(jobs.begin(), jobs.end(), event.which);
        if (job == jobs.end())
          core::fail_input("unknown job '{}'{}", core::excerpt(event.which), core::valid_instead(event.which, jobs));
        events.kills.push_back({event.time, static_cast<std::size_t>(job - jobs.begin())});
        return;
      }
      const auto& before = events.machines.empty() ? machine : *events.machines.back();
      auto changed = before.description();
      const auto [property, value] = change_of(event);
      platforms::set_property(changed, property, value);
      events.machines.push_back(std::make_unique<platforms::Machine>(std::move(changed)));
      check_alike(before, *events.machines.back());
      events.changes.changes.push_back({event.time, events.machines.back().get()});
    });
  return events;
}

void EventArguments::record(core::Json& manifest) const {
  if (at.empty()) return;
  manifest["at"] = at;
  manifest["on_failure"] = on_failure;
}

core::Json EventArguments::json(double end) const {
  std::vector<cosim::TimedEvent> all;
  for (const auto& text : at) {
    const auto event = parse(text);
    all.push_back({in_words(event), event.time, {}, event.time <= end});
  }
  return cosim::events_json(all);
}

std::string EventArguments::too_late(double end) const {
  std::string lines;
  for (const auto& text : at)
    if (const auto event = parse(text); event.time > end)
      lines += fmt::format("\ntoo late       {} at {}: all had ended\n", core::excerpt(in_words(event)),
                           core::format_duration(event.time));
  return lines;
}

}  // namespace toroid::cli
