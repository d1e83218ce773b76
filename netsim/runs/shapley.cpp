// The losses of jobs by running them in all combinations. A feature (`--attribution shapley`) that is also the oracle
// of the tests of charges: both need the same runs and the same sum, so this is here and not in tests/.

#include "toroid/netsim/run.hpp"

#include <bit>

#include "core/progress.hpp"

namespace toroid::netsim {
namespace {

/// Some of the jobs, a bit for each.
using Set = std::uint32_t;

bool has(Set set, std::size_t job) {
  return (set >> job & 1U) != 0;
}

/// The mean run times of a round of the jobs of the set, with nobody else there.
std::vector<double> times_of(const Run& run, Set set) {
  auto some = run;
  some.jobs.clear();
  for (std::size_t job = 0; job < run.jobs.size(); ++job)
    if (has(set, job)) some.jobs.push_back(run.jobs[job]);
  const auto result = netsim::run(some);
  std::vector<double> times(run.jobs.size());
  for (std::size_t job = 0, next = 0; job < run.jobs.size(); ++job)
    if (has(set, job)) times[job] = result.jobs[next++].runtime().value();
  return times;
}

/// The part of the orders of `others` in which those of a set of so many come first, and then a certain one.
double part_of_orders(std::size_t others, std::size_t before) {
  double part = 1 / static_cast<double>(others);
  for (std::size_t i = 1; i <= before; ++i) part *= static_cast<double>(i) / static_cast<double>(others - i);
  return part;
}

}  // namespace

void check_for_shapley(const Run& run) {
  const auto refuse = [](bool found, const std::string& what) {
    if (found) core::fail_input("Shapley values: {}", what);
  };
  refuse(run.jobs.size() > most_jobs_for_shapley,
         fmt::format("found {} jobs, expected at most {}, which take {} runs", run.jobs.size(), most_jobs_for_shapley,
                     (1U << most_jobs_for_shapley) - 1));
  for (const auto& job : run.jobs)
    refuse(job.rounds == until_end, fmt::format("job '{}' repeats until the others have ended, but is to run without "
                                                "them, too; expected a number of rounds",
                                                job.name));
  refuse(!run.kills.empty(), "found a job that is killed, expected ones that all have a run time");
  refuse(!run.changes.changes.empty(), "found a machine that changes meanwhile; times alone are of the one at first");
  refuse(run.on_failure == OnFailedJob::go_on,
         "found jobs that may fail while others go on, expected ones that all have a run time");
}

std::uint64_t combinations_for_shapley(const Run& run) {
  const auto jobs = run.jobs.size();
  return (std::uint64_t{1} << jobs) - 1 - (jobs > 1 ? jobs + 1 : jobs);  // those are there: each alone, all together
}

LossTable shapley_losses(const Run& run, const Result& together, core::Progress* bar) {
  check_for_shapley(run);
  const auto count = run.jobs.size();
  const Set all = (Set{1} << count) - 1;
  std::vector<std::vector<double>> times(all + std::size_t{1}, std::vector<double>(count));  // by set, then by job
  for (std::size_t job = 0; job < count; ++job) {
    times[Set{1} << job][job] = together.jobs[job].alone.value();
    times[all][job] = together.jobs[job].runtime().value();
  }
  std::uint64_t runs = 0;
  for (Set set = 1; set < all; ++set) {
    if (std::has_single_bit(set)) continue;
    times[set] = times_of(run, set);
    if (bar != nullptr) bar->update(++runs);
  }
  LossTable losses(count, std::vector<double>(count));
  for (std::size_t victim = 0; victim < count; ++victim) {
    const auto rounds = static_cast<double>(run.jobs[victim].rounds);
    for (Set before = 1; before <= all; ++before)
      for (std::size_t joins = 0; has(before, victim) && joins < count; ++joins) {
        if (has(before, joins)) continue;
        const auto others_before = static_cast<std::size_t>(std::popcount(before)) - 1;
        losses[victim][joins] += rounds * part_of_orders(count - 1, others_before) *
                                 (times[before | Set{1} << joins][victim] - times[before][victim]);
      }
  }
  return losses;
}

}  // namespace toroid::netsim
