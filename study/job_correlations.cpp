#include "study/job_correlations.hpp"

#include <algorithm>
#include <array>

#include "study/statistics.hpp"

namespace toroid::study {

using core::Json;

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

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

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
