#include "cosim/run_times/epochs.hpp"

#include <cmath>
#include <set>
#include <tuple>

namespace toroid::cosim {
namespace {

using netsim::Simulation;

/// Rounds after which a replay begins anew, all ranks together: ranks that wait for nobody, as those that only send,
/// may come this far ahead of the others.
constexpr std::uint64_t rounds_of_stretch = 1024;
/// Jobs skip ahead if that is at least this many times as long as what was simulated to know their rates. A job that
/// has just begun, or comes back, has its ranks in step for the first rounds, and is quicker than its rate says; that
/// is to weigh little.
constexpr double worth = 2;

netsim::SentMessages times(netsim::SentMessages traffic, double rounds) {
  for (auto* value : {&traffic.messages, &traffic.bytes, &traffic.network_messages, &traffic.network_bytes,
                      &traffic.hops, &traffic.hop_bytes})
    *value = static_cast<std::uint64_t>(static_cast<double>(*value) * rounds);
  return traffic;
}

}  // namespace

Epochs::Epochs(const EpochOptions& options, PlacedPrograms& programs, netsim::Network& network, std::uint64_t seed,
               netsim::LinkUsage* usage)
    : options_(options),
      programs_(programs),
      clock_(network.clock()),
      situations_(options, programs),
      usage_(usage),
      logged_(network.clock()),
      lots_(seed, "epochs"),
      users_(programs.machine().link_count()),
      shared_links_(programs.machine()),
      simulation_(network, netsim::OnFailedJob::go_on) {
  simulation_.on_end([this](Simulation::JobEnd end) { stretch_ended(std::move(end)); });
}

Epochs::~Epochs() {
  if (rating_timer_) clock_.cancel(*rating_timer_);
  for (const auto& running : running_.slots())
    if (running.end) clock_.cancel(*running.end);
}

void Epochs::start(const StartedJob& started, Ended ended) {
  auto program = programs_.place(started);
  if (!program) return logged_.start(started, std::move(ended));
  Running running;
  running.program = std::move(*program);
  running.id = started.id;
  running.rounds = static_cast<std::uint64_t>(std::llround(running.program.rounds));
  running.since = running.booked_at = clock_.now();
  running.limit = started.limit;
  running.ended = std::move(ended);
  running.links = programs_.links_of(running.program);
  if (programs_.options().alone) {
    const double seconds = programs_.alone(running.program, 1).seconds;
    shared_links_.begin(started.id, started.job.id(), running.links, seconds, clock_.now());
  }
  const auto slot = running_.add(std::move(running));
  for (const auto& [link, bytes, pairs] : running_[slot].links) users_[link].push_back(slot);
  touch(slot);
}

void Epochs::kill(JobId job) {
  const auto& all = running_.slots();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& running) { return running.id == job; });
  if (found == all.end()) return logged_.kill(job);
  const auto slot = static_cast<Slot>(found - all.begin());
  auto& running = running_[slot];
  running.limit = clock_.now();
  if (running.replay) simulation_.kill(*running.replay, running.limit);
  if (running.end) set_end(slot);  // if neither, it is still to be rated in this instant
}

std::vector<core::Figure> Epochs::figures() const {
  const double share = rounds_ended_ > 0 ? static_cast<double>(rounds_replayed_) / rounds_ended_ : 0;
  return {{"mixes", static_cast<double>(situations_.asked())},
          {"simulated", static_cast<double>(situations_.simulated())},
          {"replayed", std::min(1.0, share)}};
}

// Neighbours: which jobs share links

void Epochs::leave(Slot slot) {
  if (running_[slot].mix) running_[slot].mix->is_over = true;
  for (const auto& [link, bytes, pairs] : running_[slot].links) {
    auto& users = users_[link];
    std::erase(users, slot);
    for (const auto other : users) touch(other);
  }
}

/// The job's rate may be another from now on. All are rated together, when all is known that changes in this instant.
void Epochs::touch(Slot slot) {
  auto& running = running_[slot];
  if (std::exchange(running.is_dirty, true)) return;
  if (running.mix) running.mix->is_over = true;
  dirty_.push_back(slot);
  if (!rating_timer_) rating_timer_ = clock_.start_timer(Time(), *this, rating);
}

void Epochs::rate_all() {
  rating_timer_.reset();
  for (const auto slot : std::exchange(dirty_, {}))
    if (running_[slot].is_dirty) rate(component(slot));
}

/// All jobs that share links with it, or with those, itself included.
std::vector<Epochs::Slot> Epochs::component(Slot slot) {
  std::vector<Slot> found{slot};
  std::set<Slot> seen{slot};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& [link, bytes, pairs] : running_[found[i]].links)
      for (const auto user : users_[link])
        if (seen.insert(user).second) found.push_back(user);
  return found;
}

void Epochs::rate(const std::vector<Slot>& component) {
  for (const auto slot : component) {
    auto& running = running_[slot];
    running.is_dirty = false;
    if (running.mix) running.mix->is_over = true;
    if (running.end) go_on(running);
    book(running);
  }
  // Where one of them ends in this instant the others are rated when it has.
  const auto ends_now = [&](Slot slot) {
    return running_[slot].end && running_[slot].ends <= clock_.now() + netsim::Clock::together;
  };
  if (std::any_of(component.begin(), component.end(), ends_now)) return;
  if (const auto pace = situations_.recall(programs_of(component)); pace && pays(component, *pace))
    return skip(component, *pace);
  const auto mix = std::make_shared<Mix>(Mix{component, {component.size(), clock_.now(), options_}});
  for (std::size_t i = 0; i < component.size(); ++i) {
    auto& running = running_[component[i]];
    running.mix = mix;
    running.place = i;
    running.came_back.reset();
    if (!running.replay) replay(component[i]);
  }
}

std::vector<const PlacedProgram*> Epochs::programs_of(const std::vector<Slot>& jobs) const {
  std::vector<const PlacedProgram*> programs;
  for (const auto slot : jobs) programs.push_back(&running_[slot].program);
  return programs;
}

/// Whether their next end is far enough beside the time that it takes to find out how fast they go.
bool Epochs::pays(const std::vector<Slot>& jobs, const Pace& pace) const {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& running = running_[jobs[i]];
    if (!(pace.seconds[i] > 0)) continue;  // its rounds take no time
    const Time left(running.left() * pace.seconds[i]);
    if (std::min(clock_.now() + left, running.limit) <= clock_.now() + Time(worth * pace.span)) return false;
  }
  return true;
}

// Jobs that are replayed

/// Replays a job from where it is: its beginning, or any phase of a round if the job skipped until now. Less than a
/// round at its end is skipped.
void Epochs::replay(Slot slot) {
  auto& running = running_[slot];
  if (!running.end) return add_stretch(slot, clock_.now());
  running.came_back.emplace(running.done, clock_.now());
  const double phase = lots_.unit();
  if (running.left() - phase < 1) return;
  clock_.cancel(*std::exchange(running.end, {}));
  running.done += phase;
  running.since = clock_.now() + Time(phase / running.rate);
  add_stretch(slot, running.since);
}

void Epochs::add_stretch(Slot slot, const Time& start) {
  auto& running = running_[slot];
  const auto rounds = std::min(rounds_of_stretch, static_cast<std::uint64_t>(running.left()));
  auto stretch = std::make_unique<Stretch>(Stretch{slot, start, running.done + static_cast<double>(rounds), {}});
  stretch->rounds =
      std::make_unique<CountedRounds>(*running.program.loaded, rounds, [this, at = stretch.get()] { round_over(*at); });
  const auto& trace = stretch->rounds->trace();
  const auto id = simulation_.add({&trace, running.program.mapping, programs_.options().replay, start});
  if (running.limit < Time::never()) simulation_.kill(id, running.limit);
  running.replay = id;
  stretches_.emplace(id, std::move(stretch));
}

void Epochs::round_over(const Stretch& stretch) {
  if (stretch.is_left) return;
  auto& running = running_[stretch.slot];
  running.done += 1;
  running.since = clock_.now();
  ++rounds_replayed_;
  auto& mix = *running.mix;
  if (!mix.is_over && mix.steadiness.round_over(running.place, clock_.now())) settle(mix);
}

/// The jobs of a mix skip ahead, now that their rates are known, if that pays.
void Epochs::settle(Mix& mix) {
  Pace pace{mix.steadiness.seconds_per_round(), (clock_.now() - mix.steadiness.began()).seconds()};
  if (!std::exchange(mix.is_known, true)) pace = situations_.remember(programs_of(mix.jobs), pace);
  if (!pays(mix.jobs, pace)) return;
  mix.is_over = true;
  skip(mix.jobs, pace);
}

void Epochs::stretch_ended(Simulation::JobEnd end) {
  const auto stretch = std::move(stretches_.extract(end.job).mapped());
  if (stretch->is_left) return;
  auto& running = running_[stretch->slot];
  running.replay.reset();
  if (end.how != netsim::ReplayOutcome::done)
    return finish(stretch->slot, end.how == netsim::ReplayOutcome::killed ? End::killed : End::failed, &end);
  running.done = stretch->done;
  running.since = clock_.now();
  const bool takes_time = stretch->start < clock_.now();
  if (!takes_time || !(running.left() > 0)) return finish(stretch->slot, End::done, &end);
  if (running.left() < 1) return set_end(stretch->slot);
  add_stretch(stretch->slot, clock_.now());
}

// Jobs that skip ahead

void Epochs::skip(const std::vector<Slot>& jobs, const Pace& pace) {
  for (std::size_t i = 0; i < jobs.size(); ++i) skip(jobs[i], pace.seconds[i]);
}

void Epochs::skip(Slot slot, double seconds_per_round) {
  auto& running = running_[slot];
  const bool takes_time = seconds_per_round > 0;
  const auto rounds = static_cast<double>(running.rounds);
  if (running.replay) {
    stretches_.at(*running.replay)->is_left = true;
    simulation_.kill(*std::exchange(running.replay, {}), clock_.now());
    // Of one that came back, ranks in step and in some phase, it counts how fast it went when all was steady.
    if (running.came_back) std::tie(running.done, running.since) = *running.came_back;
    const double since = takes_time ? (clock_.now() - running.since).seconds() / seconds_per_round : 0;
    running.done += running.came_back ? since : std::min(1.0, since);
  }
  running.done = takes_time ? std::min(rounds, running.done) : rounds;
  running.rate = takes_time ? 1 / seconds_per_round : 1;
  running.since = clock_.now();
  running.has_skipped = true;
  set_end(slot);
}

/// Brings the rounds that a skipping job has done up to now, at its rate.
void Epochs::go_on(Running& running) const {
  running.done = std::min(static_cast<double>(running.rounds),
                          running.done + running.rate * (clock_.now() - running.since).seconds());
  running.since = clock_.now();
}

void Epochs::set_end(Slot slot) {
  auto& running = running_[slot];
  go_on(running);
  if (running.end) clock_.cancel(*running.end);
  const Time end = clock_.now() + Time(running.left() / running.rate);
  running.is_cut = running.limit < end;
  running.ends = std::max(clock_.now(), std::min(end, running.limit));
  running.end = clock_.start_timer_at(running.ends, *this, slot);
}

void Epochs::timer_ended(std::uint32_t payload) {
  if (payload == rating) return rate_all();
  auto& running = running_[payload];
  running.end.reset();
  go_on(running);
  finish(payload, running.is_cut ? End::killed : End::done);
}

// Ends

/// Books what a job sent since its last change, spread evenly over that time.
void Epochs::book(Running& running) {
  const auto carried = [](std::uint64_t bytes, double rounds) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(bytes) * rounds));
  };
  const double done = std::max(running.booked, std::min(running.done, static_cast<double>(running.rounds)));
  if (usage_ != nullptr)
    for (const auto& [link, bytes, pairs] : running.links)
      usage_->add(link, carried(bytes, done) - carried(bytes, running.booked), running.booked_at, clock_.now());
  running.booked = done;
  running.booked_at = clock_.now();
}

/// A job ends. `replay` is the replay of its last rounds, if these were replayed.
void Epochs::finish(Slot slot, End end, const netsim::ReplayEnd* replay) {
  auto& here = running_[slot];
  if (end == End::done) here.done = static_cast<double>(here.rounds);
  book(here);
  leave(slot);
  std::erase(dirty_, slot);
  const auto running = std::move(here);
  running_.remove(slot);
  rounds_ended_ += running.done;
  Work work;
  work.program = running.program.loaded->text;
  work.complaint = running.program.complaint;
  if (end == End::failed) work.complaint = replay->complaint;
  const bool is_whole = end == End::done && !running.has_skipped && running.rounds <= rounds_of_stretch;
  if (is_whole) {
    work.traffic = replay->report;
    work.critical_path = replay->report.critical_path;
  } else {
    const auto& round = programs_.alone(running.program, 1);
    work.traffic = times(round.traffic, running.done);
    if (end == End::done && work.complaint.empty()) work.complaint = round.complaint;  // as it would at its end
  }
  if (end == End::done && !work.complaint.empty()) end = End::failed;
  if (end == End::done) work.left_out = running.program.left_out();
  if (end == End::done && programs_.options().alone) {
    const auto alone = situations_.alone(running.program, running.rounds);
    work.alone = alone.seconds;
    work.max_link_load = alone.max_link_load;
  }
  if (programs_.options().alone) work.losses = shared_links_.end(running.id, work.alone, clock_.now());
  running.ended(end, std::move(work));
}

}  // namespace toroid::cosim
