#include "netsim/repeats/fast_forward.hpp"

namespace toroid::netsim {

void FastForward::add(Repeating& job) {
  begin_anew();
  jobs_.push_back(&job);
  not_passed_ += job.may_be_passed_over() ? 0 : 1;
}

void FastForward::remove(Repeating& job) {
  begin_anew();
  std::erase(jobs_, &job);
  not_passed_ -= job.may_be_passed_over() ? 0 : 1;
  ended_ += job.size();
}

/// States with other jobs are others, and other ranks count other iterations.
void FastForward::begin_anew() {
  keeper_ = nullptr;
  moments_.clear();
  end_period();
}

void FastForward::end_period() {
  if (period_) network_.end_tally();
  period_.reset();
}

void FastForward::between_instants() {
  if (not_passed_ > 0 || jobs_.empty() || !network_.tells_state()) return;
  const auto iteration = find_beat();
  if (!iteration || std::exchange(iteration_, *iteration) == *iteration) return;
  look(*iteration);
}

/// The iteration of the rank that keeps time. Where that has none left, another rank keeps time from now on: of the job
/// with the fewest left, which are the longest ones, or nearly over.
std::optional<std::uint64_t> FastForward::find_beat() {
  if (keeper_ != nullptr)
    if (const auto beat = keeper_->beat(); beat && beat->rank == keeper_rank_) return beat->iteration;
  begin_anew();
  std::optional<Repeating::Beat> best;
  for (auto* job : jobs_) {
    const auto beat = job->beat();
    if (!beat || (best && best->left <= beat->left)) continue;
    best = beat;
    keeper_ = job;
  }
  if (!best) return std::nullopt;
  keeper_rank_ = best->rank;
  iteration_ = best->iteration;
  return iteration_;
}

void FastForward::look(std::uint64_t iteration) {
  constexpr std::uint64_t free_looks = 8;  // later ones must have cost little so far
  const bool is_known = period_ && period_->length > 0, can_afford = looks_ < free_looks || is_worth(words_);
  if (is_known ? iteration < period_->begin.iteration + period_->length : !can_afford) return;
  walk_.begin_look(network_.clock().now(),
                   network_.has_exact_times() ? StateWalk::Times::exact : StateWalk::Times::rounded);
  walk();
  ++looks_;
  words_ += walk_.picture().words.size() + walk_.picture().seconds.size();
  auto moment = now(iteration);
  const bool refused = walk_.has_refused();
  const bool repeats =
      period_ && !refused && is_same(period_->begin, moment) && period_->begin.picture.words == walk_.picture().words;
  const bool is_passed = repeats && pass_over(*period_, moment);
  end_period();
  if (is_passed)
    moments_.clear();  // they are long ago now
  else if (!refused)
    look_back(std::move(moment));
}

/// Whether looks that see so many words cost little beside what was simulated. In a word goes about a 200th of the time
/// of a message.
bool FastForward::is_worth(std::uint64_t words) const {
  constexpr std::uint64_t words_per_message = 3;
  auto simulated = ended_;
  for (const auto* job : jobs_) simulated += job->size();
  return words < words_per_message * simulated;
}

void FastForward::walk() {
  appointment_ = Time::never();
  for (auto* job : jobs_) job->walk_ranks(walk_);
  network_.walk(walk_);
  for (auto* job : jobs_) job->walk_cores(walk_);
  walk_.show(StateWalk::Part::timers, [&] { walk_timers(); });
}

/// The clock moves them by itself.
void FastForward::walk_timers() {
  const auto& clock = network_.clock();
  for (const auto timer : clock.timers_in_order()) {
    if (clock.is_appointment(timer)) {
      appointment_ = std::min(appointment_, clock.end_of(timer));
      continue;
    }
    if (!walk_.has_met(StateWalk::Kind::timer, timer)) return walk_.refuse();  // nobody knows what it is for
    walk_.meet(StateWalk::Kind::timer, timer);
    if (walk_.moves()) continue;
    Time end = clock.end_of(timer);
    walk_.time(end);
  }
}

FastForward::Moment FastForward::now(std::uint64_t iteration) const {
  const auto& picture = walk_.picture();
  return {iteration,
          network_.clock().now(),
          picture.hash(),
          {.words = {}, .seconds = picture.seconds, .parts = picture.parts}};
}

bool FastForward::is_same(const Moment& a, const Moment& b) const {
  return a.hash == b.hash && a.time < b.time && are_near(a.picture, b.picture, (b.time - a.time).seconds());
}

/// Begins a period if the state was there before, or if the tally of one costs little.
void FastForward::look_back(Moment&& moment) {
  const auto before =
      std::find_if(moments_.rbegin(), moments_.rend(), [&](const auto& other) { return is_same(other, moment); });
  if (before != moments_.rend()) {
    const auto length = moment.iteration - before->iteration;
    moments_.clear();
    return begin_period(std::move(moment), length);
  }
  moments_.push_back(std::move(moment));
  if (moments_.size() > kept()) moments_.pop_front();
  const bool remembers_transfers = network_.usage().windows() > 0;  // while a tally is kept, which may be long
  const auto counts_of_links = 3 * static_cast<std::uint64_t>(network_.machine().link_count());
  if (!remembers_transfers && is_worth(words_ + counts_of_links)) begin_period(moments_.back(), 0);
}

void FastForward::begin_period(Moment begin, std::uint64_t length) {
  begin.picture.words = walk_.picture().words;
  period_ = Period{std::move(begin), length, {}};
  for (const auto* job : jobs_) {
    const auto beat = job->beat();
    period_->jobs.push_back({job->marks(), beat ? beat->iteration : 0, job->messages()});
  }
  tally_.begin_note();
  tally();
  tally_.note(walk_.histories());
  words_ += tally_.size();
}

void FastForward::tally() {
  for (auto* job : jobs_) job->tally(tally_);
  network_.tally(tally_);
}

/// How many further periods there are, all over before the next appointment.
std::uint64_t FastForward::repeats(const Period& period, const Moment& end) const {
  const Time last = std::min(Time::latest(), appointment_), length = end.time - period.begin.time;
  const double most = (last - end.time).seconds() / length.seconds();
  auto times = most < 0x1p40 ? static_cast<std::uint64_t>(most) : std::uint64_t{1} << 40U;
  while (times > 0 && !(end.time + Tally::times_of(length, times) + Clock::together < last)) --times;
  for (std::size_t job = 0; job < jobs_.size() && times > 0; ++job)
    times = jobs_[job]->repeats(period.jobs[job].marks, times);
  return times;
}

/// Returns whether there was anything to pass over.
bool FastForward::pass_over(const Period& period, const Moment& end) {
  const auto times = repeats(period, end);
  if (times == 0) return false;
  tally_.begin_trial(times);
  tally();
  if (!tally_.end_trial()) return false;
  const Time by = Tally::times_of(end.time - period.begin.time, times);
  std::vector<RepeatedIterations> iterations;
  for (std::size_t job = 0; job < jobs_.size(); ++job) {
    const auto& begin = period.jobs[job];
    const auto beat = jobs_[job]->beat();
    const auto present = beat ? beat->iteration : begin.iteration;
    iterations.push_back({present, times * (present - begin.iteration), present - begin.iteration,
                          times * (jobs_[job]->messages() - begin.messages)});
  }
  tally_.begin_growth(times, by);
  tally();
  tally_.grow(walk_.histories());
  for (std::size_t job = 0; job < jobs_.size(); ++job) jobs_[job]->begin_move(period.jobs[job].marks, times);
  walk_.begin_move(by);
  walk();
  network_.clock().shift(by);
  for (std::size_t job = 0; job < jobs_.size(); ++job)
    jobs_[job]->end_move(period.jobs[job].marks, times, iterations[job]);
  iteration_ = find_beat().value_or(0);
  return true;
}

}  // namespace toroid::netsim
