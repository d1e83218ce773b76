#pragma once
// What each of a few jobs costs each other one, exactly: by running them in all combinations. The charges of a single
// run are held to these values.

#include <bit>

#include "toroid/netsim/run.hpp"

namespace toroid::test {

/// Lost seconds by the job that lost them, then by the job that it lost them to.
using LossTable = std::vector<std::vector<double>>;
using netsim::Result;
using netsim::Run;

/// Some of the jobs, a bit for each.
using Set = std::uint32_t;

inline bool has(Set set, std::size_t job) {
  return (set >> job & 1U) != 0;
}

/// The mean run times of a round of the jobs of the set, with nobody else there.
inline std::vector<double> times_of(const Run& run, Set set) {
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
inline double part_of_orders(std::size_t others, std::size_t before) {
  double part = 1 / static_cast<double>(others);
  for (std::size_t i = 1; i <= before; ++i) part *= static_cast<double>(i) / static_cast<double>(others - i);
  return part;
}

/// The seconds that each other job adds to the run time of a job's rounds, by Shapley values: what it adds when it
/// joins, as the mean over all orders in which the others may join one after the other. The sum of a row is therefore
/// the time beside all others minus that alone. `together` is the run of all jobs, with the times alone. Every job
/// needs a run time in every combination of jobs, of which there are 2^jobs.
inline LossTable shapley_losses(const Run& run, const Result& together) {
  const auto count = run.jobs.size();
  const Set all = (Set{1} << count) - 1;
  std::vector<std::vector<double>> times(all + std::size_t{1}, std::vector<double>(count));  // by set, then by job
  for (std::size_t job = 0; job < count; ++job) {
    times[Set{1} << job][job] = together.jobs[job].alone.value();
    times[all][job] = together.jobs[job].runtime().value();
  }
  for (Set set = 1; set < all; ++set)
    if (!std::has_single_bit(set)) times[set] = times_of(run, set);
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

}  // namespace toroid::test
