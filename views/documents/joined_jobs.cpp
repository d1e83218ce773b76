#include "views/documents/joined_jobs.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/assert.hpp"

namespace toroid::views {
namespace {

using netsim::JobResult;
using workloads::Rank;

class Joining {
 public:
  Joining(const netsim::JobsRequest& request, const netsim::JobsResult& from) : from_(from) {
    auto& to = joined_.result;
    to.runtime = from.runtime;
    to.links = from.links;
    to.link_windows = from.link_windows;
    to.utilization_window = from.utilization_window;
    to.engine_settings = from.engine_settings;
    joined_.first_rank.push_back(0);
    for (const auto& job : request.jobs)
      joined_.first_rank.push_back(joined_.first_rank.back() + static_cast<std::uint32_t>(job.mapping.size()));
  }

  void add(std::size_t job, const netsim::Mapping& mapping, const workloads::CommunicationMatrix& matrix) {
    const auto& result = from_.jobs[job];
    for (const auto rank : mapping.ids()) {
      joined_.mapping.add(mapping[rank]);
      // A job that never began has no reports.
      joined_.result.ranks.add(result.ranks.has(rank) ? result.ranks[rank] : netsim::RankReport{mapping[rank]});
    }
    for (const auto& row : matrix.rows) {
      const auto sender = joined_.matrix.rows.add();
      for (const auto& [to, bytes, messages] : row)
        joined_.matrix.rows[sender].push_back({number(job, to), bytes, messages});
    }
    add_traffic(result);
    add_activity(result.activity);
    if (result.last_round) add_round(job, from_.last_round(job));
  }

  JoinedJobs finish() {
    for (const auto& [key, alike] : classes_) joined_.result.message_classes.push_back(alike);
    auto& activity = joined_.result.activity;
    for (auto& [algorithm, seconds] : in_collectives_) {
      seconds.resize(activity.seconds.size() / netsim::doings);
      activity.collectives.push_back({algorithm, std::move(seconds)});
    }
    return std::move(joined_);
  }

 private:
  Rank number(std::size_t job, Rank rank) const {
    return Rank(static_cast<std::int32_t>(joined_.first_rank[job]) + rank.value());
  }

  void add_traffic(const netsim::SentMessages& traffic) {
    auto& to = joined_.result;
    to.network_messages += traffic.network_messages;
    to.network_bytes += traffic.network_bytes;
    to.hop_bytes += traffic.hop_bytes;
  }

  /// The windows of all jobs are those of the run.
  void add_activity(const netsim::Activity& activity) {
    auto& to = joined_.result.activity;
    to.window = activity.window;
    to.windows = activity.windows;
    for (const auto& waits : activity.collectives) {
      auto& all = in_collectives_[waits.algorithm];
      all.resize(to.seconds.size() / netsim::doings);  // the jobs before did not wait in these
      all.insert(all.end(), waits.seconds.begin(), waits.seconds.end());
    }
    to.seconds.insert(to.seconds.end(), activity.seconds.begin(), activity.seconds.end());
  }

  void add_round(std::size_t job, const netsim::Result& round) {
    auto& to = joined_.result;
    to.critical_path.add(round.critical_path, 1);
    const auto steps_before = to.critical_steps.size();
    for (auto step : round.critical_steps) {
      step.rank = number(job, step.rank);
      step.receiver = number(job, step.receiver);
      to.critical_steps.push_back(step);
    }
    for (auto obstacle : round.obstacles) {
      obstacle.step += steps_before;
      obstacle.from = number(obstacle.job, obstacle.from);
      obstacle.to = number(obstacle.job, obstacle.to);
      to.obstacles.push_back(obstacle);
    }
    for (const auto& alike : round.message_classes) {
      auto& all = classes_[{alike.size, alike.hops}];
      all.size = alike.size;
      all.hops = alike.hops;
      all.messages += alike.messages;
      all.bytes += alike.bytes;
    }
    to.collectives.insert(to.collectives.end(), round.collectives.begin(), round.collectives.end());
  }

  const netsim::JobsResult& from_;
  JoinedJobs joined_;
  std::map<std::pair<std::uint32_t, std::int32_t>, netsim::MessageClass> classes_;  ///< classes by size and hops
  std::map<std::size_t, std::vector<float>> in_collectives_;                        ///< CollectiveWaits by algorithm
};

}  // namespace

std::uint32_t JoinedJobs::job_of(Rank rank) const {
  TOROID_ASSERT(rank.index() < first_rank.back());
  const auto next = std::ranges::upper_bound(first_rank, static_cast<std::uint32_t>(rank.value()));
  return static_cast<std::uint32_t>(next - first_rank.begin() - 1);
}

JoinedJobs joined(const netsim::JobsRequest& request, const netsim::JobsResult& result,
                  const std::vector<workloads::CommunicationMatrix>& matrices) {
  TOROID_ASSERT(result.jobs.size() == request.jobs.size() && matrices.size() == request.jobs.size());
  Joining joining(request, result);
  for (std::size_t job = 0; job < request.jobs.size(); ++job)
    joining.add(job, request.jobs[job].mapping, matrices[job]);
  return joining.finish();
}

}  // namespace toroid::views
