#include "cosim/schedulers/kept_nodes.hpp"

#include <utility>

namespace toroid::cosim {

bool KeptNodes::update(const QueueScheduler::Waiting& first, const Time& earliest,
                       const QueueScheduler::RunningJobs& by_end, Outlook& outlook) {
  const bool is_new = !are_for(first.id);
  const bool seeks = std::exchange(seek_again_, false) || is_new;
  if (!seeks || (!is_new && !(earliest < reservation_.from))) return false;
  std::vector<Time> times{earliest};
  std::vector<std::vector<JobId>> steps(1);
  for (const auto& job : by_end) {
    if (times.back() < job.expected_end) {
      if (!is_new && !(job.expected_end < reservation_.from)) break;
      times.push_back(job.expected_end);
      steps.emplace_back();
    }
    steps.back().push_back(job.id);
  }
  if (outlook.is_known())
    if (auto found = outlook.first_nodes(first.id, steps)) {
      nodes_ = std::move(found->nodes);
      reservation_ = {first.id, times[found->step], Reservation::unlimited, nodes_};
      return true;
    }
  if (is_new) reservation_ = {first.id, times.back(), 0, {}};
  return false;
}

}  // namespace toroid::cosim
