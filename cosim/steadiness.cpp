#include "cosim/steadiness.hpp"

#include <cmath>
#include <utility>

namespace toroid::cosim {
namespace {

constexpr std::size_t parts = 8;
/// The quantile of Student's t with three degrees of freedom: the mean of four parts is at most this many of its
/// standard errors from the true mean in 95 of 100 cases.
constexpr double student = 3.182;

double square(double x) {
  return x * x;
}

}  // namespace

CountedRounds::CountedRounds(const LoadedTrace& loaded, std::uint64_t rounds, std::function<void()> over)
    : ranks_(loaded.busy_ranks),
      rounds_(rounds),
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

}  // namespace toroid::cosim
