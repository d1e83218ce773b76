#include "cosim/run_times/shared_links.hpp"

namespace toroid::cosim {

using platforms::LinkId;

std::vector<LinkBytes> links_of(const platforms::Machine& machine, const workloads::CommunicationMatrix& matrix,
                                const netsim::Mapping& mapping, std::uint64_t envelope) {
  core::IdVector<LinkId, LinkBytes> by_link(machine.link_count());
  for (const auto from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from]) {
      const auto message = cell.bytes / std::max<std::uint64_t>(cell.messages, 1) + envelope;
      const auto all = cell.bytes + cell.messages * (envelope + machine.description().router.headers(message));
      machine.for_each_link(mapping[from], mapping[cell.to], [&](LinkId link) {
        by_link[link].bytes += all;
        ++by_link[link].pairs;
      });
    }
  std::vector<LinkBytes> links;
  for (const auto link : by_link.ids())
    if (by_link[link].bytes > 0) links.push_back({link, by_link[link].bytes, by_link[link].pairs});
  return links;
}

void SharedLinks::begin(JobId job, const std::string& name, std::span<const LinkBytes> links, double seconds,
                        const Time& now) {
  Running running{name, now, {}, {}};
  std::map<JobId, double> meetings;
  for (const auto& [link, bytes, pairs] : links) {
    if (!(seconds > 0)) break;
    const double share = static_cast<double>(bytes) / machine_.link_bandwidth(link) / seconds;
    TOROID_ASSERT(share >= 0);
    for (const auto& [other, others_share] : users_[link]) meetings[other] += share * others_share;
    users_[link].emplace_back(job, share);
    running.uses.push_back({link, share});
  }
  for (const auto& [id, meeting] : meetings) {
    auto& other = running_.at(id);
    running.others[id] = {other.name, meeting, now};
    auto& mine = other.others[job];  // perhaps from an earlier time, if the job lost a node and begins again
    mine = {name, meeting, now, mine.weight};
  }
  const bool is_new = running_.emplace(job, std::move(running)).second;
  TOROID_ASSERT(is_new);
}

std::vector<Loss> SharedLinks::end(JobId job, double alone, const Time& now) {
  auto entry = running_.extract(job);
  TOROID_ASSERT(!entry.empty());
  auto& ended = entry.mapped();
  for (const auto& use : ended.uses)
    std::erase_if(users_[use.link], [&](const auto& user) { return user.first == job; });
  std::vector<Loss> losses;
  double sum = 0;
  for (auto& [id, other] : ended.others) {
    if (other.meeting > 0) {
      auto& mine = running_.at(id).others.at(job);
      mine.add_until(now);
      mine.meeting = 0;
    }
    other.add_until(now);
    losses.push_back({id, other.name, other.weight});
  }
  // By their numbers first, so that sums do not depend on the order of a hash table.
  std::sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) { return a.to < b.to; });
  for (const auto& loss : losses) {
    TOROID_ASSERT(loss.to != job && loss.seconds >= 0);
    sum += loss.seconds;
  }
  const double lost = alone > 0 ? (now - ended.began).seconds() - alone : 0;
  if (!(lost > 0) || !(sum > 0)) return {};
  for (auto& loss : losses) loss.seconds *= lost / sum;
  std::erase_if(losses, [](const Loss& loss) { return !(loss.seconds > 0); });
  std::stable_sort(losses.begin(), losses.end(), [](const Loss& a, const Loss& b) { return a.seconds > b.seconds; });
  return losses;
}

}  // namespace toroid::cosim
