#include "cosim/schedulers/kept_nodes.hpp"

namespace toroid::cosim {
namespace {

/// Jobs, by their estimates, and reservations that end from a time on until before `limit`, in order of these ends.
std::vector<Outlook::Step> steps_of(const Time& from, const Time& limit, const QueueScheduler::RunningJobs& by_end,
                                    const std::vector<Reserved>& reservations) {
  std::map<Time, std::vector<HolderId>> by_time{{from, {}}};
  for (const auto& job : by_end) {
    if (from < job.expected_end && !(job.expected_end < limit)) break;
    by_time[std::max(from, job.expected_end)].push_back(job.id);
  }
  for (const auto& reserved : reservations)
    if (from < reserved.until && reserved.until < limit) by_time[reserved.until];
  std::vector<Outlook::Step> steps;
  for (auto& [time, ending] : by_time) steps.push_back({time, std::move(ending)});
  TOROID_ASSERT(!steps.empty() && steps.front().time == from);
  return steps;
}

}  // namespace

bool KeptNodes::update(const QueueScheduler::Waiting& first, const Time& earliest,
                       const QueueScheduler::RunningJobs& by_end, const std::vector<Reserved>& reservations,
                       Outlook& outlook) {
  const bool is_new = !are_for(first.id);
  const bool seeks = std::exchange(seek_again_, false) || is_new;
  if (!seeks || (!is_new && !(earliest < reservation_.from))) return false;
  const auto steps = steps_of(earliest, is_new ? Time::never() : reservation_.from, by_end, reservations);
  if (outlook.is_known())
    if (auto found = outlook.first_nodes(first.id, steps)) {
      TOROID_ASSERT(found->step < steps.size() && found->spare >= 0);
      nodes_ = std::move(found->nodes);
      reserved_from_ = found->reserved_from;
      reservation_ = {first.id, steps[found->step].time, found->spare, nodes_};
      return !nodes_.empty();
    }
  if (is_new) {
    reservation_ = {first.id, steps.back().time, 0, {}};
    reserved_from_ = Time::never();
  }
  return false;
}

}  // namespace toroid::cosim
