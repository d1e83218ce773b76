#include "study/job_observers.hpp"

#include "study/documents/fields.hpp"

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

namespace {

/// What a proxy tells of the slowdowns of jobs, and of their stretches.
struct ToldProxy {
  std::string_view metric;
  std::optional<double> slowdown_pearson, slowdown_spearman, stretch_pearson, stretch_spearman;
};

const core::Object<ToldProxy> proxy_object{
    "slowdown correlation",
    {{"metric", "text", "the proxy", &ToldProxy::metric},
     {"slowdown_pearson", "number or null", "of values, with the run time over that alone on the same nodes",
      &ToldProxy::slowdown_pearson},
     {"slowdown_spearman", "number or null", "of ranks, with the same", &ToldProxy::slowdown_spearman},
     {"stretch_pearson", "number or null",
      "of values, with the run time over the program's shortest alone: the cost of nodes and neighbours",
      &ToldProxy::stretch_pearson},
     {"stretch_spearman", "number or null", "of ranks, with the same", &ToldProxy::stretch_spearman}}};

/// Jobs that are programs, and what proxies tell of them.
struct ToldJobs {
  std::size_t jobs;
  Json lines;
  std::string program = {};
};

const core::Object<ToldJobs> program_object{
    "program correlations",
    {{"program", "text", "its name", &ToldJobs::program},
     {"jobs", "count", "that run it", &ToldJobs::jobs},
     {"lines", "list of slowdown correlation", "over these jobs", &ToldJobs::lines}}};

struct ToldCorrelations : ToldJobs {
  std::vector<ToldJobs> programs;
};

const core::Object<ToldCorrelations> correlations_object{
    "slowdown correlations",
    {{"jobs", "count", "that are programs", &ToldCorrelations::jobs},
     {"all", "list of slowdown correlation", "over all of them", &ToldCorrelations::lines},
     {"programs", "list of program correlations", "each with ten jobs or more",
      [](auto& told) { return program_object.list(told.programs); }}}};

}  // namespace

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
    all.push_back(proxy_object({proxies_of_jobs[p].name, pearson(proxy, slowdown), spearman(proxy, slowdown),
                                pearson(proxy, stretch), spearman(proxy, stretch)}));
  }
  return all;
}

Json JobCorrelations::json() const {
  std::map<std::string, std::vector<Job>> by_program;
  for (const auto& job : jobs_) by_program[*job.program].push_back(job);
  ToldCorrelations told{{jobs_.size(), lines(jobs_)}, {}};
  for (const auto& [program, jobs] : by_program)
    if (jobs.size() >= enough) told.programs.push_back({jobs.size(), lines(jobs), program});
  return correlations_object(told);
}

std::vector<core::ObjectText> JobCorrelations::objects() {
  return {correlations_object, program_object, proxy_object};
}

}  // namespace toroid::study
