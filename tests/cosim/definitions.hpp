#pragma once
// What the slow definitions of schedulers in these tests have in common. Times are whole seconds, so that
// sums are exact.

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/cosim/streams.hpp"

namespace toroid::cosim {

constexpr double end_of_time = 1e300;

/// The jobs, and after every tenth of them one that never fits: nobody hears anything of those.
inline std::vector<jobs::Job> with_too_large(const std::vector<jobs::Job>& jobs) {
  std::vector<jobs::Job> all;
  for (const auto& job : jobs) {
    all.push_back(job);
    if (job.number % 10 != 0) continue;
    all.push_back(job);
    all.back().number = -job.number;
    all.back().size = 1'000;
  }
  return all;
}
inline Options rejecting() {
  Options options;
  options.too_large = Options::TooLarge::reject;
  return options;
}

/// The jobs with the estimates that their scheduler goes by.
inline std::vector<jobs::Job> with_estimates(std::vector<jobs::Job> jobs) {
  for (auto& job : jobs) job.estimate = std::max(job.run_time, job.estimate > 0 ? job.estimate : 2 * job.run_time);
  return jobs;
}

/// Of jobs with these estimates: who runs for how long. Some outlast what is expected.
inline Lengths random_lengths(std::uint64_t seed, const std::vector<jobs::Job>& jobs) {
  core::Random random(seed, "tests/lengths");
  Lengths lengths;
  for (const auto& job : jobs)
    lengths[job.number] =
        job.estimate >= 1 && random.below(3) == 0 ? job.estimate + static_cast<double>(random.below(80)) : job.run_time;
  return lengths;
}

/// The jobs with those lengths in place of what was known of them before.
inline std::vector<jobs::Job> as_they_run(std::vector<jobs::Job> jobs, const Lengths& lengths) {
  for (auto& job : jobs) job.run_time = lengths.at(job.number);
  return jobs;
}

/// The place of a job in a queue with that `order=`: the least comes first, those alike in the order of their arrival.
inline double rank(const jobs::Job& job, const std::string& order) {
  if (order == "shortest") return job.estimate;
  if (order == "longest") return -job.estimate;
  if (order == "smallest") return job.size;
  if (order == "largest") return -job.size;
  return 0;
}

/// A job holds so many nodes from `start` to `end`.
struct Plan {
  double start, end;
  std::int32_t nodes;
};

/// For a job the first time from now on at which its nodes are free for as long as its estimate says, beside all plans
/// but its own, on a machine of so many nodes. A job of no length needs its nodes for a moment, before all that begins
/// then.
inline Plan earliest_plan(const std::map<std::int64_t, Plan>& plans, const jobs::Job& job, double now,
                          std::int32_t all) {
  struct Change {
    std::int32_t nodes = 0, moment = 0;  // that others hold from then on, more than before, and for a moment
  };
  std::map<double, Change> changes{{now, {}}};
  for (const auto& [number, other] : plans) {
    if (number == job.number || other.end < now) continue;
    auto& begins = changes[std::max(now, other.start)];
    if (other.start == other.end)
      begins.moment = std::max(begins.moment, other.nodes);
    else
      begins.nodes += other.nodes, changes[other.end].nodes -= other.nodes;
  }
  std::int32_t held = 0;
  for (auto& [time, change] : changes) held = change.nodes += held;
  for (auto start = changes.begin(); start != changes.end(); ++start) {
    bool fits = start->second.nodes + job.size <= all;
    for (auto at = std::next(start); fits && at != changes.end() && at->first < start->first + job.estimate; ++at)
      fits = at->second.nodes + at->second.moment + job.size <= all;
    if (fits) return {start->first, start->first + job.estimate, job.size};
  }
  throw std::logic_error("nothing is held for ever");
}

}  // namespace toroid::cosim
