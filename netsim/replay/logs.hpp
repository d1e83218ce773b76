#pragma once
// What a replay takes down while it goes on: what caused what, and its timeline.

#include "toroid/netsim/results/replay_report.hpp"

namespace toroid::netsim {

/// What caused what in a replay, for the chain behind its critical path: kept only when asked for. Grows with every
/// message and computation of the replay, by about 90 bytes.
class CauseLog {
 public:
  explicit CauseLog(bool wanted) : wanted_(wanted) {}
  bool wanted() const { return wanted_; }

  /// The replay starts at this time, which its steps count from.
  void begin(const Time& start) { start_ = start; }
  double since_start(const Time& time) const { return (time - start_).seconds(); }

  /// The step becomes the cause of what comes after it in that history.
  void add(const CriticalStep& step, History& history) {
    TOROID_ASSERT_HEAVY(step.begin <= step.end);
    TOROID_ASSERT_HEAVY(history.cause == no_cause || history.cause < entries_.size());
    entries_.push_back({step, history.cause});
    history.cause = static_cast<std::uint32_t>(entries_.size() - 1);
  }

  /// The steps that led to it, the first one first.
  std::vector<CriticalStep> chain(const History& history) const {
    std::vector<CriticalStep> steps;
    for (auto at = history.cause; at != no_cause; at = entries_[at].before) steps.push_back(entries_[at].step);
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  /// Calls visit(step) for every message, in the order of their ends.
  template <class Visit>
  void for_each_message(Visit visit) const {
    for (const auto& entry : entries_)
      if (entry.step.is_message) visit(entry.step);
  }

 private:
  struct Entry {
    CriticalStep step;
    std::uint32_t before;
  };
  bool wanted_;
  Time start_;
  std::vector<Entry> entries_;
};

/// The timeline of a replay while it goes on. Takes 32 bytes for each operation, 24 for each wait and 56 for each
/// message, and up to twice that as its lists grow.
class TimelineLog {
 public:
  explicit TimelineLog(bool wanted) : wanted_(wanted) {}
  bool is_kept() const { return wanted_; }

  /// The replay starts at this time, which all others count from.
  void begin(const Time& start, std::size_t ranks) {
    start_ = start;
    if (!wanted_) return;
    is_open_.resize(ranks);
    timeline_.calls.resize(ranks);
    timeline_.phases.resize(ranks);
  }

  /// The rank comes to an operation; of the call only what is known by then is set.
  void begin_call(workloads::Rank rank, Call call, const Time& now) {
    call.begin = since_start(now);
    timeline_.calls[rank].push_back(call);
    is_open_[rank] = true;
  }
  /// The rank goes on after its operation, if it was in one.
  void end_call(workloads::Rank rank, const Time& now) {
    if (std::exchange(is_open_[rank], char{false})) timeline_.calls[rank].back().end = since_start(now);
  }
  void add(workloads::Rank rank, Doing doing, const Time& from, const Time& to) {
    if (doing == Doing::compute && computes(rank)) return;
    // Each end becomes a number of seconds once, so that ends of calls and of phases at one time are one number.
    if (const Phase phase{since_start(from), since_start(to), doing}; phase.end > phase.begin)
      timeline_.phases[rank].push_back(phase);
  }

  /// A message is sent; `id` is its own until it arrives.
  void send(std::uint32_t id, MessageFlight message, const Time& now) {
    if (id >= number_.size()) number_.resize(id + std::size_t{1});
    TOROID_ASSERT(timeline_.messages.size() < most_messages);
    number_[id] = static_cast<std::uint32_t>(timeline_.messages.size());
    message.sent = since_start(now);
    message.end = -1;
    timeline_.messages.push_back(message);
  }
  void arrive(std::uint32_t id, const Time& launch, const Time& now) {
    auto& message = timeline_.messages[number_[id]];
    TOROID_ASSERT_HEAVY(message.end < 0 && launch <= now);
    message.begin = since_start(launch);
    message.end = since_start(now);
  }

  /// The timeline of a replay that ends now: ranks that are in a call leave it, messages that have not arrived are
  /// left out.
  Timeline finish(const Time& now) {
    for (const auto rank : is_open_.ids()) {
      end_call(rank, now);
      // Computations are known when they begin, waits when they end.
      std::ranges::stable_sort(timeline_.phases[rank], {}, &Phase::begin);
    }
    std::erase_if(timeline_.messages, [](const auto& message) { return message.end < 0; });
    return std::move(timeline_);
  }

 private:
  static constexpr std::size_t most_messages = std::size_t{1} << 32U;  ///< their numbers have 32 bits

  double since_start(const Time& time) const { return (time - start_).seconds(); }
  /// Whether the rank is in a call that is a computation.
  bool computes(workloads::Rank rank) const {
    if (!is_open_[rank]) return false;
    const auto kind = timeline_.calls[rank].back().kind;
    return kind == workloads::OpKind::compute || kind == workloads::OpKind::sleep;
  }

  bool wanted_;
  Time start_;
  core::IdVector<workloads::Rank, char> is_open_;  ///< whether the last call of a rank goes on
  std::vector<std::uint32_t> number_;              ///< numbers of messages in the timeline, by their ids
  Timeline timeline_;
};

/// Sets `obstacles` and `message_classes` of a report that has its `critical_steps`. Takes time in proportion to the
/// messages and the hops of those that travel beside a critical message. Does nothing if nothing was logged.
void tell_messages(const platforms::Machine& machine, const CauseLog& causes, ReplayReport& report);

/// Puts computations in the order of ranks, cores and time, and drops those of ranks on which one core computes.
void keep_several_cores(std::vector<CoreSpan>& spans);

/// What a replay of a job reported, its messages included (ReplayOptions::keep_messages).
struct LoggedRound {
  std::uint32_t job = 0;
  ReplayReport report = {};
};

/// Sets `obstacles` of one of the rounds again: as tell_messages() does, but from the messages of all rounds, whose
/// jobs ran on the machine together.
void tell_obstacles(const platforms::Machine& machine, std::vector<LoggedRound>& rounds, std::size_t of);

}  // namespace toroid::netsim
