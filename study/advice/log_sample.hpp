#pragma once
// Weeks of a long log that stand for all of it.

#include "toroid/study/sweep.hpp"

namespace toroid::study {

/// The number of weeks of a log in which jobs were submitted.
std::size_t busy_weeks(const jobs::Jobs& jobs);

/// The number of those `weeks` of which one has to be judged so that so many runs of the jobs take about a minute of a
/// core: 1 where all can be, and at most so many that three are left. Outages at times of the whole log have all weeks
/// judged, and likewise a scheduler or an allocator that repeats what the log says.
std::size_t weeks_to_one(const SweepSpec& spec, const jobs::JobSummary& log, std::size_t weeks, std::size_t runs);

/// The jobs of the first of each `every` weeks with jobs, one week after the other: queues go on from each to the next.
/// A job that waits for one in another week is submitted when its log says.
jobs::JobsSource sampled(const jobs::JobsSource& log, std::size_t every, jobs::Reading reading, std::uint64_t seed);

}  // namespace toroid::study
