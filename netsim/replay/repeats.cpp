#include "netsim/replay/repeats.hpp"

#include <algorithm>
#include <utility>

namespace toroid::netsim {

void Replay::Ranks::Repeats::look() {
  const auto iteration = ranks_.beat_.iteration;
  if (period_ ? iteration < period_->begin.iteration + period_->length : !can_afford_look()) return;
  ranks_.begin_look(walk_);
  ranks_.walk(walk_);
  ++looks_;
  words_ += walk_.picture().words.size();
  const auto period = std::exchange(period_, std::nullopt);
  auto moment = now();
  const bool refused = walk_.has_refused();
  const bool repeats =
      period && !refused && is_same(period->begin, moment) && period->begin.picture.words == walk_.picture().words;
  if (repeats) pass_over(*period, moment);
  if (period) ranks_.network_.end_tally();
  if (!repeats && !refused) look_back(std::move(moment));
}

/// Whether looks have cost little so far, beside what was simulated. In a word that a look sees goes about a 200th of
/// the time of a message; the first few looks are free.
bool Replay::Ranks::Repeats::can_afford_look() const {
  constexpr std::uint64_t words_per_message = 3, operations_per_message = 8, free_looks = 8;
  const auto simulated = ranks_.report_.messages + ranks_.begun_ / operations_per_message;
  return looks_ < free_looks || words_ < words_per_message * simulated;
}

Replay::Ranks::Repeats::Moment Replay::Ranks::Repeats::now() const {
  const auto& picture = walk_.picture();
  return {ranks_.beat_.iteration,
          ranks_.network_.clock().now(),
          picture.hash(),
          {.words = {}, .seconds = picture.seconds, .parts = picture.parts}};
}

bool Replay::Ranks::Repeats::is_same(const Moment& a, const Moment& b) const {
  return a.hash == b.hash && a.time < b.time && are_near(a.picture, b.picture, (b.time - a.time).seconds());
}

/// Begins a period if the state was there before.
void Replay::Ranks::Repeats::look_back(Moment&& moment) {
  const auto before =
      std::find_if(moments_.rbegin(), moments_.rend(), [&](const auto& other) { return is_same(other, moment); });
  if (before != moments_.rend()) return begin_period(std::move(moment), moment.iteration - before->iteration);
  moments_.push_back(std::move(moment));
  if (moments_.size() > kept()) moments_.pop_front();
}

void Replay::Ranks::Repeats::begin_period(Moment&& begin, std::uint64_t length) {
  begin.picture.words = walk_.picture().words;
  moments_.clear();
  period_ = Period{std::move(begin), length, ranks_.marks(), ranks_.report_.messages};
  tally_.begin_note();
  ranks_.tally(tally_);
  tally_.note(walk_.histories());
  words_ += tally_.size();
}

void Replay::Ranks::Repeats::pass_over(const Period& period, const Moment& end) {
  const Time length = end.time - period.begin.time;
  const double most = (Time::latest() - end.time).seconds() / length.seconds();
  auto times = ranks_.repeats(period.marks, most < 0x1p40 ? static_cast<std::uint64_t>(most) : std::uint64_t{1} << 40U);
  if (times == 0) return;
  tally_.begin_trial(times);
  ranks_.tally(tally_);
  tally_.end_trial();
  if (tally_.overflows()) return;
  const Time by = Tally::times_of(length, times);
  ranks_.report_.repeated.push_back(
      {end.iteration, times * period.length, period.length, times * (ranks_.report_.messages - period.messages)});
  tally_.begin_growth(times, by);
  ranks_.tally(tally_);
  tally_.grow(walk_.histories());
  ranks_.pass_over(walk_, period.marks, times, by);
}

}  // namespace toroid::netsim
