#include "study/job_observers.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "study/json.hpp"
#include "study/statistics/statistics.hpp"

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
  const auto& counts = json.at("jobs");
  if (!std::ranges::all_of(counts, [](const Json& jobs) { return jobs.is_number_unsigned(); }))
    core::fail_input("found a segment of no whole number of jobs");
  JobSegments segments{counts, {}};
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

namespace {

/// A number that is known of a job without the times of its neighbours.
struct Proxy {
  const char* name;
  double (*of)(const alloc::AllocationMetrics&, const cosim::Work&);
};

constexpr std::array proxies_of_jobs{
    Proxy{"sum_pairwise_hops", [](const auto& nodes, const auto&) { return nodes.sum_pairwise_hops; }},
    Proxy{"mean_pairwise_hops", [](const auto& nodes, const auto&) { return nodes.mean_pairwise_hops; }},
    Proxy{"components", [](const auto& nodes, const auto&) { return static_cast<double>(nodes.components); }},
    Proxy{"box_routers", [](const auto& nodes, const auto&) { return static_cast<double>(nodes.box_routers); }},
    Proxy{"hop_bytes", [](const auto&, const auto& work) { return static_cast<double>(work.traffic.hop_bytes); }},
    Proxy{"max_link_load_bytes",
          [](const auto&, const auto& work) { return static_cast<double>(work.max_link_load); }}};
constexpr std::size_t enough = 10;  ///< jobs of a program

}  // namespace

void JobCorrelations::ended(const cosim::Record& record) {
  if (record.work == nullptr || record.work->alone <= 0) return;
  const auto& work = *record.work;
  const auto [program, is_new] = shortest_.try_emplace(work.program, work.alone);
  program->second = std::min(program->second, work.alone);
  const auto metrics = measure_.all(record.nodes);
  Job job{{}, work.slowdown(record.run_time()), record.run_time(), &program->first};
  for (const auto& proxy : proxies_of_jobs) job.proxies.push_back(proxy.of(metrics, work));
  jobs_.push_back(std::move(job));
}

Json JobCorrelations::lines(const std::vector<Job>& jobs) const {
  Sample slowdown, stretch;
  for (const auto& job : jobs) {
    slowdown.push_back(job.slowdown);
    stretch.push_back(job.run_time / shortest_.at(*job.program));
  }
  Json all = Json::array();
  for (std::size_t p = 0; p < proxies_of_jobs.size(); ++p) {
    Sample proxy;
    for (const auto& job : jobs) proxy.push_back(job.proxies[p]);
    all.push_back({{"metric", proxies_of_jobs[p].name},
                   {"slowdown_pearson", or_null(pearson(proxy, slowdown))},
                   {"slowdown_spearman", or_null(spearman(proxy, slowdown))},
                   {"stretch_pearson", or_null(pearson(proxy, stretch))},
                   {"stretch_spearman", or_null(spearman(proxy, stretch))}});
  }
  return all;
}

Json JobCorrelations::json() const {
  std::map<std::string, std::vector<Job>> by_program;
  for (const auto& job : jobs_) by_program[*job.program].push_back(job);
  Json json{{"jobs", jobs_.size()}, {"all", lines(jobs_)}, {"programs", Json::array()}};
  for (const auto& [program, jobs] : by_program)
    if (jobs.size() >= enough)
      json["programs"].push_back({{"program", program}, {"jobs", jobs.size()}, {"lines", lines(jobs)}});
  return json;
}

}  // namespace toroid::study
