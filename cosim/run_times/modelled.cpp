#include "cosim/run_times/modelled.hpp"

#include <cmath>

#include "core/random.hpp"

namespace toroid::cosim {
namespace {

// Paces are known to so much, or after so many iterations.
constexpr double tolerance = 1e-3;
/// A job's neighbours notice so much more of its messages on a link, as a share of the time.
constexpr double noticed = 0.01;
constexpr int most_iterations = 20;

/// The share of a job: evenly distributed around the mean, as far to both sides as shares go.
double drawn_share(double mean, std::uint64_t seed, JobId id) {
  core::Random random(seed, fmt::format("communication of job {}", id));
  return mean + std::min(mean, 1 - mean) * (2 * random.unit() - 1);
}

}  // namespace

void Modelled::Crowd::add(const Use& use, double sign) {
  mean = std::max(0.0, mean + sign * use.pairs * use.presence);
  variance = std::max(0.0, variance + sign * use.pairs * use.pairs * use.presence * (1 - use.presence));
}

Modelled::Modelled(PlacedPrograms& programs, netsim::Clock& clock, std::uint64_t seed)
    : programs_(programs),
      machine_(&programs.machine()),
      clock_(clock),
      seed_(seed),
      logged_(clock),
      users_(programs.machine().link_count()),
      crowds_(programs.machine().link_count()) {}

std::optional<Modelled::Running> Modelled::running_on(const StartedJob& started) {
  if (started.nodes.size() == 1) return std::nullopt;
  const auto exchange = programs_.exchange_on(started.nodes, started);
  const double reference = programs_.exchange_on(programs_.reference_nodes(started.job.size), started)->seconds;
  if (!(exchange->seconds > 0) || !(reference > 0)) return std::nullopt;
  const double share = drawn_share(programs_.options().communication, seed_, started.id);
  Running running{.id = started.id,
                  .exchange = exchange,
                  .run_time = started.job.run_time,
                  .scale = share / reference,
                  .computing = 1 - share,
                  .alone = 1 - share + share * exchange->seconds / reference,
                  .left = started.job.run_time,
                  .since = clock_.now(),
                  .limit = started.limit,
                  .ended = {},
                  .uses = {}};
  running.uses = uses_now(running);
  return running;
}

std::vector<Modelled::Use> Modelled::uses_now(const Running& running) const {
  std::vector<Use> uses;
  for (auto link : machine_ == &programs_.machine() ? running.exchange->links
                                                    : programs_.link_times(running.exchange->placed, *machine_)) {
    link.seconds *= running.scale;
    uses.push_back({link});
  }
  return uses;
}

void Modelled::change(const Machine& machine) {
  machine_ = &machine;
  std::vector<Slot> due;
  for (Slot slot = 0; slot < running_.slots().size(); ++slot) {
    if (running_.slots()[slot].id == 0) continue;  // no job is there any more
    auto& running = running_[slot];
    leave_links(slot);
    running.uses = uses_now(running);
    for (const auto& use : running.uses) users_[use.link].push_back(slot);
    due.push_back(slot);
  }
  settle(std::move(due));
}

double Modelled::cost(const StartedJob& started) {
  const auto running = running_on(started);
  if (!running) return 1;
  double most = 0;
  for (const auto& use : running->uses) most = std::max(most, use.seconds * crowds_[use.link].stretch(use.pairs));
  return running->computing + most;
}

void Modelled::start(const StartedJob& started, Ended ended) {
  auto running = running_on(started);
  if (!running) return logged_.start(started, std::move(ended));
  running->ended = std::move(ended);
  const auto slot = running_.add(*std::move(running));
  for (const auto& use : running_[slot].uses) users_[use.link].push_back(slot);
  running_[slot].end = clock_.start_timer(Time(), *this, slot);
  settle({slot});
}

void Modelled::kill(JobId job) {
  const auto& all = running_.slots();
  const auto found = std::ranges::find(all, job, &Running::id);
  if (found == all.end()) return logged_.kill(job);
  clock_.cancel(found->end);
  finish(static_cast<Slot>(found - all.begin()), End::killed);
}

void Modelled::timer_ended(std::uint32_t payload) {
  finish(payload, running_[payload].is_cut ? End::killed : End::done);
}

/// Finds its pace, and how long it has messages on its links, from what the others have there now. Returns whether
/// others will notice.
bool Modelled::renew(Running& running) {
  double most = 0;
  for (auto& use : running.uses) {
    auto& crowd = crowds_[use.link];
    crowd.add(use, -1);
    use.beside = use.seconds * crowd.stretch(use.pairs);
    most = std::max(most, use.beside);
  }
  const double pace = running.computing + most;
  bool is_noticed = std::abs(pace - running.pace) > tolerance * running.pace;
  for (auto& use : running.uses) {
    const double presence = use.beside / pace;
    is_noticed |= std::abs(presence - use.presence) > noticed;
    use.presence = presence;
    crowds_[use.link].add(use, 1);
  }
  running.left -= (clock_.now() - running.since).seconds() / running.pace;
  running.since = clock_.now();
  running.pace = pace;
  return is_noticed;
}

void Modelled::set_end(Slot slot) {
  auto& running = running_[slot];
  const Time span(std::max(0.0, running.left * running.pace));
  const Time left = std::max(Time(), running.limit - clock_.now());
  running.is_cut = left < span;
  clock_.cancel(running.end);
  running.end = clock_.start_timer(running.is_cut ? left : span, *this, slot);
}

/// Adds the jobs that share links with it, but for itself and for those that are there.
void Modelled::add_neighbours(const Running& running, std::vector<Slot>& found) {
  found_.assign(running_.slots().size(), false);
  for (const auto slot : found) found_[slot] = true;
  for (const auto& use : running.uses)
    for (const auto slot : users_[use.link])
      if (!found_[slot] && &running_[slot] != &running) {
        found_[slot] = true;
        found.push_back(slot);
      }
}

/// Finds the paces of these jobs anew, and of those whose paces depend on them.
void Modelled::settle(std::vector<Slot> due) {
  std::vector<Slot> changed;
  for (int i = 0; i < most_iterations && !due.empty(); ++i) {
    std::vector<Slot> next;
    for (const auto slot : due) {
      changed.push_back(slot);
      if (renew(running_[slot])) add_neighbours(running_[slot], next);
    }
    std::ranges::sort(next);
    due = std::move(next);
  }
  std::ranges::sort(changed);
  changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  for (const auto slot : changed) set_end(slot);
}

void Modelled::leave_links(Slot slot) {
  auto& running = running_[slot];
  for (const auto& use : running.uses) {
    std::erase(users_[use.link], slot);
    crowds_[use.link].add(use, -1);
    if (users_[use.link].empty()) crowds_[use.link] = {};
  }
}

void Modelled::finish(Slot slot, End end) {
  auto& here = running_[slot];
  std::vector<Slot> due;
  add_neighbours(here, due);
  std::ranges::sort(due);
  leave_links(slot);
  const auto running = std::exchange(here, {});
  running_.remove(slot);
  settle(std::move(due));
  Work work;
  work.program = running.exchange->placed.loaded->text;
  if (end == End::done) work.alone = running.alone * running.run_time;
  running.ended(end, std::move(work));
}

}  // namespace toroid::cosim
