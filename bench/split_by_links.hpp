#pragma once
// What jobs of a mix lose to each other as `schedule` splits it, for comparing the split with charges and with what the
// jobs cost.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/mixes.hpp"
#include "cosim/run_times/shared_links.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::bench {

/// What each job lost, split over the others by the links that they share. `result` is that of all jobs together, which
/// begin at once.
inline std::vector<std::vector<double>> split_by_links(const Mix& mix, const netsim::Result& result) {
  const auto request = mix.request();
  const auto count = request.jobs.size();
  cosim::SharedLinks links(request.machine);
  for (std::size_t number = 0; number < count; ++number) {
    const auto& job = request.jobs[number];
    const mapping::Traffic traffic(job.trace);
    links.begin(static_cast<cosim::JobId>(number), job.name,
                cosim::links_of(request.machine, traffic.matrix(), job.mapping, job.options.envelope),
                mix.alone()[number], {});
  }
  std::vector<std::size_t> by_end(count);
  std::iota(by_end.begin(), by_end.end(), std::size_t{0});
  std::sort(by_end.begin(), by_end.end(), [&](auto a, auto b) { return result.jobs[a].end < result.jobs[b].end; });
  std::vector<std::vector<double>> losses(count, std::vector<double>(count));
  for (const auto job : by_end)
    for (const auto& loss : links.end(static_cast<cosim::JobId>(job), request.jobs[job].rounds * mix.alone()[job],
                                      netsim::Time(result.jobs[job].end)))
      losses[job][static_cast<std::size_t>(loss.to)] = loss.seconds;
  return losses;
}

}  // namespace toroid::bench
