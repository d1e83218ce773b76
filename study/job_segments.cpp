#include "study/job_segments.hpp"

#include <algorithm>
#include <utility>

#include "cosim/totals.hpp"

namespace toroid::study {

using core::Json;

Sample JobSegments::*JobSegments::sums_of(const std::string& field) {
  if (field == "avg_sum_pairwise_hops") return &JobSegments::sum_pairwise_hops;
  if (field == "mean_wait_s") return &JobSegments::wait;
  if (field == "mean_response_s") return &JobSegments::response;
  if (field == "mean_bounded_slowdown") return &JobSegments::slowdown;
  if (field == "mean_run_time_s") return &JobSegments::run_time;
  return nullptr;
}

Json JobSegments::json() const {
  return {{"jobs", jobs},           {"sum_pairwise_hops", sum_pairwise_hops}, {"wait_s", wait},
          {"response_s", response}, {"bounded_slowdown", slowdown},           {"run_time_s", run_time}};
}

JobSegments JobSegments::of(const Json& json) {
  return {json.at("jobs"),       json.at("sum_pairwise_hops"), json.at("wait_s"),
          json.at("response_s"), json.at("bounded_slowdown"),  json.at("run_time_s")};
}

SegmentRecorder::SegmentRecorder(const cosim::Machine& machine, std::size_t jobs) : measure_(machine), jobs_(jobs) {
  segments_.jobs.resize(JobSegments::most);
  for (auto* sums :
       {&segments_.sum_pairwise_hops, &segments_.wait, &segments_.response, &segments_.slowdown, &segments_.run_time})
    sums->resize(JobSegments::most);
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
  segments_.sum_pairwise_hops[segment] += measure_.sum_pairwise_hops(record.nodes);
  segments_.wait[segment] += record.wait();
  segments_.response[segment] += record.response();
  segments_.slowdown[segment] += cosim::bounded_slowdown(record);
  segments_.run_time[segment] += record.run_time();
}

}  // namespace toroid::study
