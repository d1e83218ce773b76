#include "cosim/outages.hpp"

#include <cmath>
#include <set>

#include "platforms/check.hpp"
#include "platforms/names.hpp"

namespace toroid::cosim {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double day = 86400;

/// The seconds after midnight of a time of day, `10:00`; nothing for any other text.
std::optional<double> time_of_day(const std::string& text) {
  return text.find('T') == std::string::npos ? jobs::read_date("1970-01-01T" + text) : std::nullopt;
}

OutageText read(const std::string& text) {
  const auto event = core::read_event(text, {"fail-router", "fail-node", "fail-link", "reserve-router", "reserve-node"},
                                      "TIME:fail-router ROUTERS, TIME:fail-node NODES, TIME:fail-link LINKS, "
                                      "TIME:reserve-router ROUTERS or TIME:reserve-node NODES, such as "
                                      "10h:fail-router z=0 until 14h");
  const auto [which, end] = core::cut_off(event.which, "until", "a time such as 14h");
  const auto begin = time_of_day(event.time);
  if (begin) {
    const auto until = time_of_day(end);
    if (!until)
      core::fail_input("until: found '{}', expected a time of day such as 14:00, as the beginning is one", end);
    return {{*begin}, jobs::When{*until + (*until > *begin ? 0 : day)}, true, event.what, which, text};
  }
  OutageText outage{jobs::parse_when(event.time, "time"), {}, false, event.what, which, text};
  if (!end.empty()) outage.end = jobs::parse_when(end, "until");
  return outage;
}

std::vector<NodeId> nodes_of(const OutageText& outage, const platforms::Machine& machine) {
  std::vector<NodeId> nodes;
  if (outage.of_routers()) {
    const auto fail = [](const std::string&, const std::string& message) { core::fail_input("{}", message); };
    for (const auto& name : platforms::parse_router_names(machine.description(), outage.which, outage.what)) {
      platforms::check_router(machine.description(), outage.what.c_str(), name, fail);
      for (const auto node : machine.nodes_on(machine.router_named(name)))
        if (machine.computes(node)) nodes.push_back(node);
    }
  } else {
    nodes = mapping::parse_nodes(outage.which, machine);
  }
  if (nodes.empty()) core::fail_input("none of the nodes there computes on {}", machine.name());
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

/// The spans of all days, from the first submission of a job to the last; one that is on at the first begins there.
std::vector<Span> daily_spans(const OutageText& text, const jobs::Jobs& jobs) {
  const double midnight = jobs::first_midnight(jobs, "time");
  const auto log = jobs::summarize(jobs);
  std::vector<Span> spans;
  for (double begin = midnight - day + text.begin.seconds; begin <= log.last; begin += day) {
    const double end = begin + text.end->seconds - text.begin.seconds;
    if (end > log.first) spans.push_back({std::max(begin, log.first), end});
  }
  if (spans.empty()) core::fail_input("time: found none between the first submission of a job and the last");
  return spans;
}

const core::Object<TimedEvent> event_object{
    "event",
    {{"time_s", "seconds", "when it happens, since the start", &TimedEvent::time},
     {"until_s", "seconds or null", "of outages and reservations: their end; null: never",
      [](auto& e) { return !e.until           ? core::absent()
                           : *e.until < never ? core::Json(*e.until)
                                              : core::Json(); }},
     {"event", "text", "what happens, in the words of the option", &TimedEvent::event},
     {"in_time", "yes or no", "before the end, and while there were jobs", &TimedEvent::in_time}}};

}  // namespace

OutageText read_outage(const std::string& text) {
  return of_event(text, [&] { return read(text); });
}

std::vector<Span> spans_of(const OutageText& text, const jobs::Jobs& jobs) {
  return of_event(text.text, [&]() -> std::vector<Span> {
    if (text.is_daily) return daily_spans(text, jobs);
    Span span{jobs::since_beginning(text.begin, jobs, "time"), never};
    if (!text.end) return {span};
    span.end = jobs::since_beginning(*text.end, jobs, "until");
    if (span.end <= span.begin) core::fail_input("until: found a time that is not after the beginning");
    if (span.end >= never_s)
      core::fail_input("until: found {:.3g} s, expected a time within {:.3g} s, or no until", span.end, never_s);
    return {span};
  });
}

PlannedOutages outages_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                          const jobs::Jobs& jobs) {
  PlannedOutages all;
  for (const auto& text : texts) {
    if (text.of_links()) continue;
    const auto nodes = of_event(text.text, [&] { return nodes_of(text, machine); });
    for (const auto& span : spans_of(text, jobs))
      (text.is_announced() ? all.announced : all.unforeseen).push_back({span, nodes});
  }
  return all;
}

LinkFailures link_failures_of(const std::vector<OutageText>& texts, const platforms::Machine& machine,
                              const jobs::Jobs& jobs) {
  std::vector<std::pair<Span, const OutageText*>> all;
  std::set<double> times;
  const auto fail = [](const OutageText& text, platforms::Description& description) {
    platforms::set_property(description, text.what, text.which);
  };
  for (const auto& text : texts) {
    if (!text.of_links()) continue;
    of_event(text.text, [&, alone = machine.description()]() mutable {
      fail(text, alone);
      return platforms::Machine(std::move(alone));  // which throws where there is no such link
    });
    for (const auto& span : spans_of(text, jobs)) {
      all.emplace_back(span, &text);
      times.insert(span.begin);
      if (span.end < never_s) times.insert(span.end);
    }
  }
  LinkFailures failures;
  std::map<std::vector<const OutageText*>, const platforms::Machine*> known{{{}, &machine}};
  for (const double time : times) {
    std::vector<const OutageText*> failing;
    for (const auto& [span, text] : all)
      if (span.begin <= time && time < span.end) failing.push_back(text);
    auto& with = known[failing];
    if (with == nullptr) {
      auto description = machine.description();
      for (const auto* text : failing) fail(*text, description);
      failures.machines.push_back(std::make_unique<platforms::Machine>(std::move(description)));
      with = failures.machines.back().get();
    }
    failures.changes.changes.push_back({time, with});
  }
  return failures;
}

std::vector<TimedEvent> events_of(const std::vector<OutageText>& texts, const jobs::Jobs& jobs, double first_submission,
                                  double last_end) {
  std::vector<TimedEvent> events;
  for (const auto& text : texts) {
    for (const auto& span : spans_of(text, jobs))
      events.push_back({text.event(), span.begin, span.end, span.begin <= last_end && span.end > first_submission});
  }
  return events;
}

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

ReservedNodes::ReservedNodes(const std::vector<PlannedOutage>& reservations) {
  auto by_begin = reservations;
  std::stable_sort(by_begin.begin(), by_begin.end(),
                   [](const auto& a, const auto& b) { return a.span.begin < b.span.begin; });
  std::map<NodeId, Span> open;
  std::map<std::pair<double, double>, std::vector<NodeId>> parts;
  const auto close = [&](NodeId node, const Span& span) { parts[{span.begin, span.end}].push_back(node); };
  for (const auto& [span, nodes] : by_begin) {
    TOROID_ASSERT(span.begin < span.end);
    for (const NodeId node : nodes) {
      const auto [known, is_new] = open.try_emplace(node, span);
      if (is_new) continue;
      auto& before = known->second;
      if (before.end < span.begin) {
        close(node, before);
        before = span;
      } else {
        before.end = std::max(before.end, span.end);
      }
    }
  }
  for (const auto& [node, span] : open) close(node, span);
  for (auto& [span, nodes] : parts) {
    std::sort(nodes.begin(), nodes.end());
    parts_.push_back({time_of(span.first), time_of(span.second), std::move(nodes)});
  }
  TOROID_ASSERT_HEAVY(std::ranges::is_sorted(parts_, {}, &Part::from));
}

std::vector<NodeId> ReservedNodes::within(const Time& from, const Time& duration) const {
  std::vector<NodeId> nodes;
  for (const auto& part : parts_) {
    if (from < part.from && !(part.from < from + duration)) break;
    if (from < part.until) nodes.insert(nodes.end(), part.nodes.begin(), part.nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

Time ReservedNodes::next_beginning(std::span<const NodeId> nodes, const Time& now) const {
  for (const auto& part : parts_)
    if (now < part.from && std::any_of(nodes.begin(), nodes.end(), [&](NodeId node) {
          return std::binary_search(part.nodes.begin(), part.nodes.end(), node);
        }))
      return part.from;
  return Time::never();
}

Time ReservedNodes::next_end(const Time& now) const {
  Time next = Time::never();
  for (const auto& part : parts_)
    if (now < part.until && part.until < time_of(never_s)) next = std::min(next, part.until);
  return next;
}

NodeFailures::NodeFailures(const NodeFailureOptions& options, std::vector<PlannedOutage> outages,
                           const platforms::Machine& machine, netsim::Clock& clock, std::uint64_t seed)
    : options_(options),
      outages_(std::move(outages)),
      place_(static_cast<std::size_t>(machine.node_count())),
      clock_(clock),
      random_(seed, "failures of nodes") {
  for (const auto node : machine.compute_nodes()) set_up(node);
}

void NodeFailures::start(Events events) {
  TOROID_ASSERT(!has_started());
  events_ = std::move(events);
  TOROID_ASSERT(has_started());
  beginnings_.resize(outages_.size());
  const auto instant = clock_.now() + netsim::Clock::together;
  for (std::uint32_t i = 0; i < outages_.size(); ++i)
    if (const auto& outage = outages_[i]; time_of(outage.span.end) > clock_.now()) {
      if (time_of(outage.span.begin) <= instant)
        begin(outage);
      else
        beginnings_[i] = clock_.start_timer_at(time_of(outage.span.begin), *this, first_outage + i);
    }
  fail_later();
}

void NodeFailures::stop() {
  if (next_) clock_.cancel(*std::exchange(next_, {}));
  for (const auto& timer : beginnings_)
    if (timer) clock_.cancel(*timer);
  beginnings_.clear();
  for (const auto& [node, repair] : repairs_)
    if (repair.timer) clock_.cancel(*repair.timer);
  repairs_.clear();
}

/// Drawn anew whenever the number of nodes changes that are up, as may be where nothing has an age.
void NodeFailures::fail_later() {
  if (next_) clock_.cancel(*std::exchange(next_, {}));
  if (up_.empty() || options_.mtbf <= 0) return;
  const double mean = options_.mtbf / static_cast<double>(up_.size());
  next_ = clock_.start_timer(Time(-mean * std::log1p(-random_.unit())), *this, failure);
}

void NodeFailures::fail_at_random() {
  next_.reset();
  TOROID_ASSERT(!up_.empty());
  const auto node = up_[random_.below(up_.size())];
  events_.at_random();
  take_down(node, clock_.now() + Time(options_.repair));
  fail_later();
}

void NodeFailures::begin(const PlannedOutage& outage) {
  for (const auto node : outage.nodes) take_down(node, time_of(outage.span.end));
  fail_later();
}

void NodeFailures::set_up(NodeId node) {
  place_[node.index()] = up_.size();
  up_.push_back(node);
}

void NodeFailures::set_out(NodeId node) {
  const auto place = place_[node.index()];
  TOROID_ASSERT(place < up_.size() && up_[place] == node);
  place_[up_.back().index()] = place;
  std::swap(up_[place], up_.back());
  up_.pop_back();
}

void NodeFailures::take_down(NodeId node, const Time& back) {
  const auto [known, is_up] = repairs_.try_emplace(node);
  if (!is_up && back <= known->second.time) return;
  if (known->second.timer) clock_.cancel(*known->second.timer);
  known->second.time = back;
  known->second.timer.reset();
  if (back < time_of(never_s))
    known->second.timer = clock_.start_timer_at(back, *this, static_cast<std::uint32_t>(node.value()));
  if (!is_up) return events_.postponed(node, back);
  set_out(node);
  events_.failed(node, back);
}

void NodeFailures::timer_ended(std::uint32_t payload) {
  if (payload == failure) return fail_at_random();
  if (payload >= first_outage) {
    beginnings_[payload - first_outage].reset();
    return begin(outages_[payload - first_outage]);
  }
  const NodeId node(payload);
  TOROID_ASSERT(repairs_.contains(node));
  repairs_.erase(node);
  set_up(node);
  fail_later();
  events_.repaired(node);
}

}  // namespace toroid::cosim
