#include "netsim/packet/fabric.hpp"

#include <cmath>

#include "core/units.hpp"
#include "toroid/core/error.hpp"

namespace toroid::netsim::packet {
namespace {

/// The routers of each part. Adaptive packets look for ways round what failed while they go, which are the same list
/// for all parts: there is only one then.
std::uint32_t routers_of_part(const State& state, const Division& division) {
  const auto routers = state.layout.routers();
  const bool looks_for_ways = state.layout.has_ways_round() && state.options.routing != Routing::dimension_order;
  return routers < division.least_routers || looks_for_ways ? routers : (routers + 1) / 2;
}

}  // namespace

Fabric::Fabric(const Machine& machine, const Options& options, LinkUsage& usage, const Division& division)
    : state_(machine, options, usage),
      division_(division),
      routers_of_part_(routers_of_part(state_, division)),
      post_((state_.layout.routers() + routers_of_part_ - 1) / routers_of_part_) {
  for (std::uint32_t number = 0; number < post_.parts(); ++number)
    parts_.push_back(Part::make(state_, post_, number, routers_of_part_));
  news_ = &parts_.front()->news();
  if (const auto threads = std::min(division.threads, parts_.size()); threads > 1)
    team_ = std::make_unique<Team>(parts_.size(), threads, [this](std::size_t part) { parts_[part]->step(now_); });
}

// --- messages ---

MessageId Fabric::send(NodeId from, NodeId to, std::uint64_t bytes, const Time& time) {
  auto& messages = state_.messages;
  const auto id = messages.add(state_.routes.message(from, to, bytes));
  messages[id].packets = unsent(messages[id]);
  auto& source = state_.sources[from.index()];
  messages[id].next = id;
  if (source.last != nobody) std::swap(messages[id].next, messages[source.last].next);
  source.last = id;
  const auto tick = first_from(time);
  if (tick == never) fail_late();
  part_of(from).wake(from, std::max(tick, now_));
  return id;
}

void Fabric::drop(MessageId id) {
  auto& message = state_.messages[id];
  message.dropped = true;
  if (std::exchange(message.all_sent, true)) return;
  state_.leave_source(id);
  message.packets -= unsent(message);
  if (message.packets > 0) return;
  Part& part = part_of(message.to);
  part.end(id);
  if (&part != parts_.front().get()) news_->take(part.news());
}

std::uint32_t Fabric::unsent(const Message& message) const {
  const auto most = static_cast<std::uint64_t>(state_.options.packet_bytes);
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (message.unsent + most - 1) / most));
}

// --- time ---

Tick Fabric::next_of_several() const {
  Tick next = post_.next();
  for (const auto& part : parts_) next = std::min(next, part->next());
  return next;
}

/// Lets all happen that happens at a tick, except for what letters bring at the same one.
void Fabric::step(Tick tick) {
  if (tick >= too_many_ticks) fail_late();
  for (const auto id : news_->done) state_.messages.remove(id);
  news_->done.clear();
  now_ = tick;
  if (parts_.size() == 1)
    parts_.front()->step(tick);
  else
    step_several(tick);
  if (!news_->carried.empty()) book();
}

void Fabric::fail_late() const {
  throw core::SimulationError(
      fmt::format("engine packet: messages are under way for longer than {} without a break; expected the engine fluid",
                  core::format_duration(static_cast<double>(too_many_ticks) * tick_seconds())));
}

bool Fabric::is_worth_a_team(Tick tick) const {
  const auto is_busy = [&](const auto& part) { return part->is_busy(tick); };
  return team_ && (!division_.busy_ticks_only || std::count_if(parts_.begin(), parts_.end(), is_busy) > 1);
}

/// Lets the parts do a tick, at the same time if that is worth while, and puts their news together.
void Fabric::step_several(Tick tick) {
  if (is_worth_a_team(tick))
    team_->run();
  else if (division_.backwards)
    std::for_each(parts_.rbegin(), parts_.rend(), [&](const auto& part) { part->step(tick); });
  else
    for (const auto& part : parts_) part->step(tick);
  post_.end_step();
  Part& first = *parts_.front();
  std::uint32_t births = first.births();
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    news_->take(parts_[i]->news());
    if (static_cast<std::int32_t>(parts_[i]->births() - births) > 0) births = parts_[i]->births();
  }
  // Packets that are sent at the same tick in different parts may be as old as each other.
  for (const auto& part : parts_) part->set_births(births);
}

std::uint64_t Fabric::hops() const {
  std::uint64_t hops = 0;
  for (const auto& part : parts_) hops += part->hops();
  return hops;
}

/// Whether nothing is lost, as far as counting that does not take much longer than the run.
bool Fabric::is_at_rest() const {
  constexpr std::size_t most_counted = 20'000;
  if (state_.channels.size() > most_counted) return true;
  const auto is_empty = [](const auto& part) { return part->is_empty(); };
  return std::ranges::all_of(parts_, is_empty) && state_.messages.size() == news_->done.size() && state_.is_at_rest();
}

void Fabric::begin_anew(const Time& time) {
  TOROID_ASSERT(idle());
  TOROID_ASSERT_HEAVY(is_at_rest());
  tell_window();
  for (const auto& part : parts_) part->begin_anew();
  now_ = 0;
  epoch_ = time;
  state_.window.begin = state_.window.end = 0;
}

Tick Fabric::first_from(const Time& time) const {
  const double ticks = std::ceil((time - epoch_).seconds() / tick_seconds());
  // No clock comes so far.
  if (!(ticks < static_cast<double>(too_many_ticks)) || !(time < Time::latest())) return never;
  auto tick = static_cast<Tick>(ticks);  // but for rounding
  while (time_of(tick) < time) ++tick;
  while (!(time_of(tick - 1) < time)) --tick;
  return tick;
}

Tick Fabric::first_after(const Time& time) const {
  const auto tick = first_from(time);
  return tick != never && time_of(tick) == time ? tick + 1 : tick;
}

// --- what links carry ---

LinkId Fabric::link(std::size_t carrier) const {
  const auto number = static_cast<std::uint32_t>(carrier), outputs = static_cast<std::uint32_t>(state_.outputs.size());
  if (number >= outputs) return state_.machine.injection_link(NodeId(static_cast<std::int32_t>(number - outputs)));
  const auto router = number / state_.layout.ports();
  const Layout::Port port = number % state_.layout.ports();
  return state_.layout.is_link(port) ? state_.layout.link(router, port)
                                     : state_.machine.ejection_link(state_.layout.node(router, port));
}

/// Books packets that went over links in this tick, and not within the window of the usage.
void Fabric::book() {
  const auto& all = news_->carried;
  told_.resize(state_.carriers());
  for (const auto& packet : all) told_[packet.carrier] += packet.bytes;  // the window before has none of them
  const bool is_over = !state_.usage.remembers() && now_ >= state_.window.end;
  if (is_over) tell_window();  // before the windows are widened
  for (const auto& packet : all)
    state_.usage.book_windows(link(packet.carrier), packet.bytes, time_of(now_ - packet.duration), time_of(now_));
  if (is_over) look_for_window();
  news_->carried.clear();
}

/// The windows may have been joined meanwhile, two and two, as messages have ended later.
void Fabric::tell_window() {
  if (told_.empty() || state_.window.seconds == 0) return;
  const auto joined = static_cast<std::size_t>(std::llround(state_.usage.window_seconds() / state_.window.seconds));
  for (std::size_t i = 0; i < told_.size(); ++i) {
    const auto all = carried(i);
    if (const auto bytes = all - std::exchange(told_[i], all); bytes > 0)
      state_.usage.book_window(link(i), bytes, state_.window.number / joined);
  }
}

/// The window that the present is in.
void Fabric::look_for_window() {
  auto& window = state_.window;
  window.seconds = state_.usage.window_seconds();
  const auto number = static_cast<std::size_t>(time_of(now_).seconds() / window.seconds);
  window.number = std::min(number, state_.usage.windows() - 1);  // the quotient may be rounded up to the last one's end
  window.begin = first_from(Time(static_cast<double>(window.number) * window.seconds));
  window.end = first_from(Time(static_cast<double>(window.number + 1) * window.seconds));
}

std::uint64_t Fabric::carried(std::size_t carrier) const {
  const auto& outputs = state_.outputs;
  return carrier < outputs.size() ? outputs[carrier].bytes : state_.sources[carrier - outputs.size()].bytes;
}

LinkUsage::Count Fabric::count(std::size_t carrier) const {
  LinkUsage::Count count;
  count.bytes = carried(carrier);
  count.flows = state_.flows[carrier];
  Tick busy = 0;
  if (carrier < state_.outputs.size()) {
    const auto& output = state_.outputs[carrier];
    count.active = state_.layout.kind(output.kind).lanes - output.idle;
    count.peak = output.peak;
    busy = output.busy;
  } else {
    const auto& source = state_.sources[carrier - state_.outputs.size()];
    count.active = source.sending ? 1 : 0;
    count.peak = source.sending || count.flows > 0 || count.bytes > 0 ? 1 : 0;
    busy = source.busy;
  }
  if (count.active > 0) busy += now();
  count.busy = Time(static_cast<double>(busy) * tick_seconds());
  count.busy_since = time_of(now());
  return count;
}

void Fabric::report() {
  tell_window();
  for (std::size_t i = 0; i < state_.carriers(); ++i)
    if (const auto carried = count(i); carried.peak > 0) state_.usage.set(link(i), carried);
}

}  // namespace toroid::netsim::packet
