#include "study/job_segments.hpp"

#include "study/documents/fields.hpp"

namespace toroid::study {

namespace {

/// Calls `use` with each metric that is a mean over jobs.
template <class Use>
void for_each_mean_over_jobs(Use use) {
  for (const auto& metric : cosim::schedule_metrics())
    if (metric.of_job != nullptr) use(metric);
}

}  // namespace

Json JobSegments::json() const {
  Json json{{"jobs", jobs}};
  for_each_mean_over_jobs([&](const auto& metric) { json[metric.name] = sums_of(metric); });
  return json;
}

JobSegments JobSegments::of(const Json& json) {
  const auto& counts = json.at("jobs");
  if (!std::ranges::all_of(counts, [](const Json& count) { return count.is_number_unsigned(); }))
    core::fail_input("found a segment of no whole number of jobs");
  JobSegments segments{counts, {}};
  bool are_whole = segments.jobs.size() == most;
  for_each_mean_over_jobs([&](const auto& metric) {
    are_whole = segments.sums.emplace(metric.name, json.at(metric.name)).first->second.size() == most && are_whole;
  });
  if (!are_whole) core::fail_input("found other than {} segments of jobs", most);
  return segments;
}

SegmentRecorder::SegmentRecorder(const cosim::Machine& machine, const jobs::Jobs& jobs, bool by_day)
    : measure_(machine), jobs_(jobs.counts().jobs) {
  if (by_day) {
    midnight_ = jobs::first_midnight(jobs, "days");
    days_ = day_of(jobs::summarize(jobs).last) + 1;
  }
  segments_.jobs.resize(JobSegments::most);
  for_each_mean_over_jobs([&](const auto& metric) { segments_.sums.emplace(metric.name, Sample(JobSegments::most)); });
}

std::size_t SegmentRecorder::day_of(double submitted) const {
  constexpr double day = 86400;
  return static_cast<std::size_t>((submitted - *midnight_) / day);
}

std::size_t SegmentRecorder::segment_of(const jobs::Job& job) {
  const auto position = seen_++;
  if (!midnight_) return std::min(position * JobSegments::most / jobs_, JobSegments::most - 1);
  const auto day = day_of(job.submitted);
  return days_ <= JobSegments::most ? day : day * JobSegments::most / days_;
}

void SegmentRecorder::submitted(const jobs::Job& job, cosim::JobId id, const cosim::Time&) {
  const auto again = std::exchange(again_, std::nullopt);
  segment_of_.emplace(id, again ? *again : segment_of(job));
}

void SegmentRecorder::ended(const cosim::Record& record) {
  const auto segment = segment_of_.extract(record.id).mapped();
  if (record.again) again_ = segment;
  if (record.end == cosim::End::rejected || record.end == cosim::End::interrupted) return;
  ++segments_.jobs[segment];
  const double pairwise_hops = measure_.sum_pairwise_hops(record.nodes);
  for_each_mean_over_jobs([&](const auto& metric) {
    segments_.sums.find(metric.name)->second[segment] += metric.of_job(record, pairwise_hops);
  });
}

}  // namespace toroid::study
