#include "study/job_segments.hpp"

#include <algorithm>
#include <utility>

namespace toroid::study {

using core::Json;

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
  JobSegments segments{json.at("jobs"), {}};
  bool are_whole = segments.jobs.size() == most;
  for_each_mean_over_jobs([&](const auto& metric) {
    are_whole = segments.sums.emplace(metric.name, json.at(metric.name)).first->second.size() == most && are_whole;
  });
  if (!are_whole) core::fail_input("found other than {} segments of jobs", most);
  return segments;
}

SegmentRecorder::SegmentRecorder(const cosim::Machine& machine, std::size_t jobs) : measure_(machine), jobs_(jobs) {
  segments_.jobs.resize(JobSegments::most);
  for_each_mean_over_jobs([&](const auto& metric) { segments_.sums.emplace(metric.name, Sample(JobSegments::most)); });
}

void SegmentRecorder::submitted(const jobs::Job&, cosim::JobId id, const cosim::Time&) {
  const auto again = std::exchange(again_, std::nullopt);
  positions_.emplace(id, again ? *again : seen_++);
}

void SegmentRecorder::ended(const cosim::Record& record) {
  const auto position = positions_.extract(record.id).mapped();
  if (record.again) again_ = position;
  if (record.end == cosim::End::rejected || record.end == cosim::End::interrupted) return;
  const auto segment = std::min(position * JobSegments::most / jobs_, JobSegments::most - 1);
  ++segments_.jobs[segment];
  const double pairwise_hops = measure_.sum_pairwise_hops(record.nodes);
  for_each_mean_over_jobs([&](const auto& metric) {
    segments_.sums.find(metric.name)->second[segment] += metric.of_job(record, pairwise_hops);
  });
}

}  // namespace toroid::study
