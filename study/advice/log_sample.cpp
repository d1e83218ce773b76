#include "study/advice/log_sample.hpp"

#include <cmath>
#include <unordered_set>

#include "cosim/placed_jobs.hpp"
#include "jobs/formats/log.hpp"

namespace toroid::study {
namespace {

constexpr double sampled_week = 7 * 86400.0;
constexpr double most_seconds = 50, seconds_of_job = 60e-6, seconds_of_node = 5e-6;  ///< measured on four logs

/// Goes through the weeks of a log that have jobs.
class BusyWeeks {
 public:
  /// Whether the first job of a week comes; jobs come in the order in which they were submitted.
  bool begins_with(const jobs::Job& job) {
    if (count_ == 0) first_ = job.submitted;
    const double week = std::floor((job.submitted - first_) / sampled_week);
    if (count_ > 0 && week == week_) return false;
    week_ = week;
    ++count_;
    return true;
  }
  std::size_t count() const { return count_; }
  /// The present week of the calendar, from that of the first job on.
  double week() const { return week_; }

 private:
  std::size_t count_ = 0;
  double first_ = 0, week_ = 0;
};

}  // namespace

std::size_t busy_weeks(const jobs::Jobs& jobs) {
  BusyWeeks weeks;
  jobs::Job job;
  for (const auto stream = jobs.open(); stream->next(job);) weeks.begins_with(job);
  return weeks.count();
}

std::size_t weeks_to_one(const SweepSpec& spec, const jobs::JobSummary& log, std::size_t weeks, std::size_t runs) {
  const double each = seconds_of_job + seconds_of_node * log.mean_size;
  const double seconds = static_cast<double>(runs * spec.repeats) * static_cast<double>(log.jobs) * each;
  if (seconds <= most_seconds || weeks < 6 || !spec.options.failures.outages.empty()) return 1;
  const auto machine = spec.platforms.at(0).machine();
  if (std::ranges::any_of(spec.schedulers, [](const auto& choice) { return choice.name() == "as-logged"; }) ||
      std::ranges::any_of(spec.allocators,
                          [&](const auto& choice) { return cosim::traits_of(choice, machine).uses_logged_nodes; }))
    return 1;
  return std::min(static_cast<std::size_t>(std::ceil(seconds / most_seconds)), (weeks - 2) / 2);
}

jobs::JobsSource sampled(const jobs::JobsSource& log, std::size_t every, jobs::Reading reading, std::uint64_t seed) {
  const auto all = log.open(reading, seed);
  std::vector<jobs::Job> kept;
  std::unordered_set<std::int64_t> numbers;
  jobs::Job job;
  BusyWeeks weeks;
  for (const auto stream = all->open(); stream->next(job);) {
    if (weeks.begins_with(job)) numbers.clear();
    if ((weeks.count() - 1) % every != 0) continue;
    job.submitted -= (weeks.week() - static_cast<double>((weeks.count() - 1) / every)) * sampled_week;
    if (job.after >= 0 && !numbers.contains(job.after)) job.after = -1;
    numbers.insert(job.number);
    kept.push_back(job);
  }
  return {log.text(), [kept, header = all->header()](jobs::Reading) {
            return std::make_unique<jobs::HeldJobs>("", kept, jobs::JobCounts(), header);
          }};
}

}  // namespace toroid::study
