#include "views/timelines/rank_events.hpp"

#include <cctype>
#include <cmath>
#include <map>

#include "core/units.hpp"

namespace toroid::views {

using netsim::Doing;
using workloads::OpKind;
using What = RankEvent::What;

std::string_view category(OpKind kind) {
  if (workloads::is_collective(kind)) return "collective";
  switch (kind) {
    case OpKind::compute:
    case OpKind::sleep:
    case OpKind::compute_after:
      return "compute";
    case OpKind::recv:
    case OpKind::irecv:
    case OpKind::recv_init:
    case OpKind::recv_after:
      return "receive";
    case OpKind::wait:
    case OpKind::waitall:
    case OpKind::waitany:
    case OpKind::waitsome:
    case OpKind::test:
    case OpKind::join:
      return "wait";
    default:
      return "send";
  }
}

std::string_view to_words(Doing doing) {
  return doing == Doing::compute ? "computing" : doing == Doing::transfer ? "message on its way" : "for a partner";
}

namespace {

constexpr double most_ticks = 0x1p63;

/// For each rank the numbers of the messages of which `rank_of` tells it.
template <class RankOf>
auto by_rank(const std::vector<netsim::MessageFlight>& messages, std::size_t ranks, RankOf rank_of) {
  core::IdVector<workloads::Rank, std::vector<std::uint32_t>> numbers;
  core::IdVector<workloads::Rank, std::size_t> counts;
  numbers.resize(ranks);
  counts.resize(ranks);
  for (const auto& message : messages) ++counts[rank_of(message)];
  for (const auto rank : numbers.ids()) numbers[rank].reserve(counts[rank]);
  for (std::size_t i = 0; i < messages.size(); ++i)
    numbers[rank_of(messages[i])].push_back(static_cast<std::uint32_t>(i));
  return numbers;
}

}  // namespace

RankTimelines::RankTimelines(const netsim::Result& result, std::int64_t ticks_per_second, MessageTimes times)
    : timeline_(result.timeline), ticks_per_second_(ticks_per_second), times_(times) {
  if (!(result.runtime * static_cast<double>(ticks_per_second) < most_ticks))
    core::fail_input("the run takes {}, expected up to {} for a viewer: its clock counts {} ticks a second",
                     core::format_duration(result.runtime),
                     core::format_duration(most_ticks / static_cast<double>(ticks_per_second)), ticks_per_second);
  launched_ = by_rank(timeline_.messages, ranks(), [](const auto& message) { return message.from; });
  arrived_ = by_rank(timeline_.messages, ranks(), [](const auto& message) { return message.to; });
  for (const auto rank : rank_ids()) {
    if (times_ == MessageTimes::matched) match(rank);
    std::ranges::stable_sort(launched_[rank], {}, [&](auto message) { return launch(message); });
    std::ranges::stable_sort(arrived_[rank], {}, [&](auto message) { return arrival(message); });
  }
}

/// Notes the arrivals that are later than those of the messages alone: MPI receives messages of one sender, tag and
/// context in the order in which they were sent.
void RankTimelines::match(workloads::Rank receiver) {
  std::map<std::tuple<workloads::Rank, std::int32_t, std::uint32_t>, std::int64_t> last;
  for (const auto number : arrived_[receiver]) {
    const auto& message = timeline_.messages[number];
    const auto time = ticks(message.end);
    auto& before = last.try_emplace({message.from, message.tag, message.context}, time).first->second;
    if (before > time) later_.emplace(number, before);
    before = std::max(before, time);
  }
}

std::int64_t RankTimelines::ticks(double seconds) const {
  TOROID_ASSERT_HEAVY(seconds >= 0);
  return std::llround(seconds * static_cast<double>(ticks_per_second_));
}

std::int64_t RankTimelines::launch(std::uint32_t message) const {
  const auto& flight = timeline_.messages[message];
  return ticks(times_ == MessageTimes::travel ? flight.begin : flight.sent);
}

std::int64_t RankTimelines::arrival(std::uint32_t message) const {
  const auto found = later_.find(message);
  return found == later_.end() ? ticks(timeline_.messages[message].end) : found->second;
}

RankEvents::RankEvents(const RankTimelines& of, workloads::Rank rank)
    : all_(of),
      rank_(rank),
      calls_(of.timeline_.calls[rank]),
      phases_(of.timeline_.phases[rank]),
      launched_(of.launched_[rank]),
      arrived_(of.arrived_[rank]) {}

std::optional<RankEvent> RankEvents::next() {
  const auto event = following();
  TOROID_ASSERT(!event || event->time >= told_);
  if (event) told_ = event->time;
  return event;
}

std::optional<RankEvent> RankEvents::following() {
  for (;;) {
    const auto event = nested();
    const bool launches = next_launch_ < launched_.size() && is_due(launched_[next_launch_], event);
    if (next_arrival_ < arrived_.size()) {
      const auto number = arrived_[next_arrival_];
      const auto time = all_.arrival(number);
      const bool is_first = !launches || time < all_.launch(launched_[next_launch_]);
      if (is_first && (!event || time <= event->time) && is_launched(number)) {
        ++next_arrival_;
        return RankEvent{time, What::arrive, number};
      }
    }
    if (launches) {
      const auto number = launched_[next_launch_++];
      return RankEvent{all_.launch(number), What::launch, number};
    }
    if (!event) return event;
    const bool left_out = event->what == What::enter_call && is_left_out(event->number);
    left_out ? void(++next_call_) : pass(*event);
    if (!left_out) return event;
  }
}

/// The beginning or end of a call or phase that comes next.
std::optional<RankEvent> RankEvents::nested() {
  if (!in_call_) {
    if (next_call_ == calls_.size()) return std::nullopt;
    return RankEvent{all_.ticks(calls_[next_call_].begin), What::enter_call, next_call_};
  }
  const auto& call = calls_[next_call_];
  const auto end = all_.ticks(call.end);
  const auto is_over = [&](const netsim::Phase& phase) {
    return all_.ticks(phase.end) <= std::max(now_, all_.ticks(phase.begin));
  };
  while (!in_phase_ && next_phase_ < phases_.size() && is_over(phases_[next_phase_])) ++next_phase_;
  const bool has_phase = next_phase_ < phases_.size() && category(call.kind) != "compute";
  if (in_phase_) return RankEvent{std::min(all_.ticks(phases_[next_phase_].end), end), What::leave_phase, next_phase_};
  const auto begin = has_phase ? std::max(all_.ticks(phases_[next_phase_].begin), now_) : end;
  if (begin < end) return RankEvent{begin, What::enter_phase, next_phase_};
  return RankEvent{end, What::leave_call, next_call_};
}

/// What was in nested() has been told.
void RankEvents::pass(const RankEvent& nested) {
  now_ = nested.time;
  if (nested.what == What::enter_call || nested.what == What::leave_call) in_call_ = !in_call_;
  if (nested.what == What::enter_phase || nested.what == What::leave_phase) in_phase_ = !in_phase_;
  if (nested.what == What::leave_call) ++next_call_;
}

/// Whether a message sets out before that: if in the same tick, then of a call that has begun.
bool RankEvents::is_due(std::uint32_t launched, const std::optional<RankEvent>& nested) const {
  if (!nested) return true;
  const auto time = all_.launch(launched);
  if (time != nested->time) return time < nested->time;
  const auto to_begin = next_call_ + (in_call_ ? 1U : 0U);
  return to_begin == calls_.size() || all_.message(launched).operation < calls_[to_begin].operation;
}

/// Whether the launch of a message to this rank has been told, if that is for this rank to tell.
bool RankEvents::is_launched(std::uint32_t message) const {
  if (all_.message(message).from != rank_ || next_launch_ == launched_.size()) return true;
  const auto next = launched_[next_launch_];
  return std::pair(all_.launch(message), message) < std::pair(all_.launch(next), next);
}

bool RankEvents::is_left_out(std::uint32_t number) const {
  const auto& call = calls_[number];
  const auto begin = all_.ticks(call.begin);
  if (all_.ticks(call.end) != begin) return false;
  const bool launches = next_launch_ < launched_.size() && all_.launch(launched_[next_launch_]) == begin &&
                        all_.message(launched_[next_launch_]).operation == call.operation;
  return !launches;
}

std::vector<BusyLink> busy_links(const netsim::Machine& machine, const netsim::Result& result) {
  std::vector<BusyLink> all;
  const auto& w = result.link_windows;
  TOROID_ASSERT(w.bytes.size() == w.windows * result.links.size());
  if (w.windows == 0) return all;
  for (const auto& busy : result.bottlenecks()) {
    const auto found = std::ranges::find_if(result.links, [&](const auto& link) { return link.link == busy.link; });
    TOROID_ASSERT(found != result.links.end());
    const auto position = static_cast<std::size_t>(found - result.links.begin());
    auto& link = all.emplace_back(BusyLink{machine.link_name(busy.link), {}});
    for (std::size_t window = 0; window < w.windows; ++window) {
      const double begin = static_cast<double>(window) * w.window;
      const double seconds = std::min(w.window, result.runtime - begin);
      if (!(seconds > 0)) break;
      const double bytes = w.bytes[position * w.windows + window];
      link.use.emplace_back(begin, bytes / (machine.link_bandwidth(busy.link) * seconds));
    }
    link.use.emplace_back(result.runtime, 0);
  }
  return all;
}

std::string mpi_name(const netsim::Call& call) {
  using workloads::SendMode;
  const std::string name(to_string(call.kind));
  const std::string mode = call.mode == SendMode::synchronous ? "s" : call.mode == SendMode::buffered ? "b" : "";
  std::string text;
  switch (call.kind) {
    case OpKind::compute:
    case OpKind::sleep:
    case OpKind::compute_after:
    case OpKind::send_after:
    case OpKind::recv_after:
    case OpKind::join:
      return {};
    case OpKind::fence:
      return "MPI_Win_fence";
    case OpKind::send:
    case OpKind::send_init:
      text = mode + name;
      break;
    case OpKind::isend:
      text = "i" + mode + "send";
      break;
    default:
      text = workloads::is_collective(call.kind) && call.has_request ? "i" + name : name;
  }
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return "MPI_" + text;
}

}  // namespace toroid::views
