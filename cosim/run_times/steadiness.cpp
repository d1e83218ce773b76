#include "cosim/run_times/steadiness.hpp"

#include <cmath>

#include "netsim/simulation.hpp"

namespace toroid::cosim {
namespace {

constexpr std::size_t parts = 8;
/// The quantile of Student's t with three degrees of freedom: the mean of four parts is at most this many of its
/// standard errors from the true mean in 95 of 100 cases.
constexpr double student = 3.182;

double square(double x) {
  return x * x;
}

/// The most bytes of keys that are kept; beyond that all situations are forgotten.
constexpr std::size_t bytes_kept = 256U << 20U;

Pace in_order(const Pace& pace, const std::vector<std::size_t>& order) {
  Pace other{std::vector<double>(order.size()), pace.span};
  for (std::size_t i = 0; i < order.size(); ++i) other.seconds[order[i]] = pace.seconds[i];
  return other;
}

}  // namespace

CountedRounds::CountedRounds(const LoadedTrace& loaded, std::uint64_t rounds, std::function<void()> over)
    : ranks_(loaded.busy_ranks),
      tell_(std::move(over)),
      trace_(*loaded.trace, rounds, [this](workloads::Rank, std::uint64_t round) { begun(round); }) {}

/// A rank has begun a round: when all have, the one before is over.
void CountedRounds::begun(std::uint64_t round) {
  if (round == 0) return;
  if (ranks_through_.size() < round) ranks_through_.resize(round);
  ++ranks_through_[round - 1];
  while (over_ < ranks_through_.size() && ranks_through_[over_] == ranks_) {
    ++over_;
    tell_();
  }
}

double Steadiness::Seen::seconds(std::size_t from, std::size_t to) const {
  return (marks[to].time - marks[from].time).seconds() / static_cast<double>(marks[to].rounds - marks[from].rounds);
}

Steadiness::Steadiness(std::size_t jobs, const Time& now, const EpochOptions& options)
    : options_(options), began_(now), jobs_(jobs), missing_(jobs) {
  for (auto& job : jobs_) {
    job.now.time = now;
    job.marks.push_back(job.now);
  }
}

bool Steadiness::round_over(std::size_t job, const Time& now) {
  auto& seen = jobs_[job];
  seen.now = {seen.now.rounds + 1, now};
  return seen.now.rounds == seen.wanted && --missing_ == 0 && cut();
}

/// All have ended rounds enough for a mark.
bool Steadiness::cut() {
  for (auto& seen : jobs_) seen.marks.push_back(seen.now);
  const auto marks = jobs_.front().marks.size();
  bool is_known = (marks - 1) * part_ >= static_cast<std::uint64_t>(options_.rounds);
  if (marks > parts) {
    const bool was_steady = std::exchange(was_steady_, is_steady());
    is_known = is_known || (was_steady && was_steady_);
    part_ *= 2;
    for (auto& seen : jobs_) {
      for (std::size_t i = 1; i <= parts / 2; ++i) seen.marks[i] = seen.marks[2 * i];
      seen.marks.resize(parts / 2 + 1);
    }
  }
  for (auto& seen : jobs_) seen.wanted = seen.now.rounds + part_;
  missing_ = jobs_.size();
  return is_known;
}

/// On average over the jobs.
bool Steadiness::is_steady() const {
  double change = 0, scatter = 0;
  for (const auto& seen : jobs_) {
    const double mean = seen.seconds(4, 8);
    if (!(mean > 0)) continue;
    change += square(seen.seconds(2, 4) / mean - 1);
    for (std::size_t part = 4; part < 8; ++part) scatter += square(seen.seconds(part, part + 1) / mean - 1) / 3;
  }
  const auto jobs = static_cast<double>(jobs_.size());
  return std::sqrt(change / jobs) <= options_.error && student * std::sqrt(scatter / 4 / jobs) <= options_.error;
}

std::vector<double> Steadiness::seconds_per_round() const {
  std::vector<double> seconds;
  for (const auto& seen : jobs_) seconds.push_back(seen.seconds((seen.marks.size() - 1) / 2, seen.marks.size() - 1));
  return seconds;
}

Symmetry::Form Situations::form(Mix mix) const {
  std::vector<Symmetry::Placed> placed;
  for (const auto* program : mix) placed.push_back(program->placed("round"));
  return programs_.symmetry().form(placed);
}

Situations::Known& Situations::known(const std::string& key) {
  if (kept_ > bytes_kept) {
    known_.clear();
    solos_.clear();
    kept_ = 0;
  }
  const auto [found, is_new] = known_.try_emplace(key);
  if (is_new) kept_ += key.size();
  return found->second;
}

std::optional<Pace> Situations::recall(Mix mix) {
  ++asked_;
  const auto here = form(mix);
  const auto& known = this->known(here.key);
  if (known.samples < (mix.size() > 1 ? options_.samples : 1)) return std::nullopt;
  return in_order(known.pace, here.order);
}

Pace Situations::remember(Mix mix, const Pace& sample) {
  ++simulated_;
  const auto here = form(mix);
  auto& [samples, pace] = known(here.key);
  pace.seconds.resize(mix.size());
  ++samples;
  pace.span += (sample.span - pace.span) / samples;
  for (std::size_t i = 0; i < mix.size(); ++i)
    pace.seconds[i] += (sample.seconds[here.order[i]] - pace.seconds[i]) / samples;
  return in_order(pace, here.order);
}

Situations::Solo Situations::measure(const PlacedProgram& program) const {
  netsim::Clock clock;
  const auto network = programs_.engine().make(programs_.machine(), clock);
  netsim::Simulation simulation(*network, netsim::OnFailedJob::go_on);
  Solo solo;
  simulation.on_end([&](const netsim::Simulation::JobEnd& end) { solo.complaint = end.complaint; });
  Steadiness steadiness(1, clock.now(), options_);
  CountedRounds rounds(*program.loaded, static_cast<std::uint64_t>(options_.rounds), [&] {
    ++solo.rounds;
    if (steadiness.round_over(0, clock.now())) clock.stop();
  });
  simulation.add({&rounds.trace(), program.mapping, programs_.options().replay, clock.now()});
  simulation.run();
  solo.seconds = clock.now().seconds();
  if (solo.complaint.empty()) solo.per_round = steadiness.seconds_per_round()[0];
  return solo;
}

Alone Situations::alone(const PlacedProgram& program, std::uint64_t rounds) {
  if (rounds <= static_cast<std::uint64_t>(options_.rounds)) return programs_.alone(program, rounds);
  auto alone = programs_.alone(program, 1);
  if (!alone.complaint.empty()) return alone;
  const PlacedProgram* const mix[]{&program};
  const auto [known, is_new] = solos_.try_emplace(form(mix).key);
  if (is_new) {
    kept_ += known->first.size();
    known->second = measure(program);
  }
  const auto& solo = known->second;
  alone.complaint = solo.complaint;
  alone.seconds = solo.seconds + solo.per_round * static_cast<double>(rounds - solo.rounds);
  alone.max_link_load *= rounds;
  return alone;
}

}  // namespace toroid::cosim
