#pragma once
// What jobs of a mix lose to each other as `schedule` splits it, for comparing the split with charges and with what the
// jobs cost.

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "bench/mixes.hpp"
#include "cosim/shared_links.hpp"
#include "mapping/traffic.hpp"

namespace toroid::bench {

/// The bytes that a round of the job sends over each link.
inline std::vector<cosim::LinkBytes> links_of(const platforms::Machine& machine, const netsim::PlacedJob& job) {
  const mapping::Traffic traffic(job.trace);
  core::IdVector<platforms::LinkId, std::uint64_t> bytes(machine.link_count());
  const auto& rows = traffic.matrix().rows;
  for (const auto from : rows.ids())
    for (const auto& cell : rows[from])
      machine.for_each_link(job.mapping[from], job.mapping[cell.to],
                            [&](platforms::LinkId link) { bytes[link] += cell.bytes; });
  std::vector<cosim::LinkBytes> links;
  for (const auto link : bytes.ids())
    if (bytes[link] > 0) links.push_back({link, bytes[link]});
  return links;
}

/// What each job lost, split over the others by the links that they share. `result` is that of all jobs together, which
/// begin at once.
inline netsim::LossTable split_by_links(const Mix& mix, const netsim::JobsResult& result) {
  const auto request = mix.request();
  const auto count = request.jobs.size();
  cosim::SharedLinks links(request.machine);
  for (std::size_t job = 0; job < count; ++job)
    links.begin(static_cast<cosim::JobId>(job), request.jobs[job].name, links_of(request.machine, request.jobs[job]),
                mix.alone()[job], {});
  std::vector<std::size_t> by_end(count);
  std::iota(by_end.begin(), by_end.end(), std::size_t{0});
  std::sort(by_end.begin(), by_end.end(), [&](auto a, auto b) { return result.jobs[a].end < result.jobs[b].end; });
  netsim::LossTable losses(count, std::vector<double>(count));
  for (const auto job : by_end)
    for (const auto& loss : links.end(static_cast<cosim::JobId>(job), request.jobs[job].rounds * mix.alone()[job],
                                      netsim::Time(result.jobs[job].end)))
      losses[job][static_cast<std::size_t>(loss.to)] = loss.seconds;
  return losses;
}

}  // namespace toroid::bench
