#include "study/advice/log_sample.hpp"

#include <cmath>
#include <unordered_set>
#include <utility>

#include "jobs/formats/log.hpp"

namespace toroid::study {
namespace {

constexpr double sampled_week = 7 * 86400.0;
constexpr double most_seconds = 50, seconds_of_job = 60e-6, seconds_of_node = 5e-6;  ///< measured on four logs

}  // namespace

std::size_t weeks_to_one(const SweepSpec& spec, const jobs::JobSummary& log, std::size_t runs) {
  const auto is_as_logged = [](const auto& choice) { return choice.text().starts_with("as-logged"); };
  if (!spec.options.failures.outages.empty() || std::ranges::any_of(spec.schedulers, is_as_logged) ||
      std::ranges::any_of(spec.allocators, is_as_logged))
    return 1;
  const double each = seconds_of_job + seconds_of_node * log.mean_size;
  const double seconds = static_cast<double>(runs * spec.repeats) * static_cast<double>(log.jobs) * each;
  const double most = std::floor(((log.last - log.first) / sampled_week - 1) / 2);  // three weeks are left
  return static_cast<std::size_t>(std::max(1.0, std::min(std::ceil(seconds / most_seconds), most)));
}

jobs::JobsSource sampled(const jobs::JobsSource& log, std::size_t every, jobs::Reading reading, std::uint64_t seed) {
  const auto all = log.open(reading, seed);
  std::vector<jobs::Job> kept;
  std::unordered_set<std::int64_t> numbers;
  jobs::Job job;
  const double first = jobs::summarize(*all).first, period = static_cast<double>(every);
  double last_passed = 0;
  for (const auto stream = all->open(); stream->next(job);) {
    const double passed = std::floor((job.submitted - first) / sampled_week), round = std::floor(passed / period);
    if (passed != round * period) continue;
    job.submitted -= (passed - round) * sampled_week;
    if (passed != std::exchange(last_passed, passed)) numbers.clear();
    if (job.after >= 0 && !numbers.contains(job.after)) job.after = -1;
    numbers.insert(job.number);
    kept.push_back(job);
  }
  return {log.text(), [kept, header = all->header()](jobs::Reading) {
            return std::make_unique<jobs::HeldJobs>("", kept, jobs::JobCounts(), header);
          }};
}

}  // namespace toroid::study
