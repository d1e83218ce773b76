#include "cosim/run_times/shared_links.hpp"

namespace toroid::cosim {

namespace {

/// What crosses each link.
class LinkSums {
 public:
  explicit LinkSums(const platforms::Machine& machine) : by_link_(machine.link_count()) {}

  void add(LinkId link, std::uint64_t bytes, std::uint32_t pairs) {
    by_link_[link].bytes += bytes;
    by_link_[link].pairs += pairs;
  }
  std::vector<LinkBytes> links() const {
    std::vector<LinkBytes> links;
    for (const auto link : by_link_.ids())
      if (by_link_[link].bytes > 0) links.push_back({link, by_link_[link].bytes, by_link_[link].pairs});
    return links;
  }

 private:
  core::IdVector<LinkId, LinkBytes> by_link_;
};

/// The bytes of a cell's messages with envelopes and headers.
std::uint64_t bytes_with_headers(const platforms::Machine& machine, const workloads::CommunicationMatrix::Cell& cell,
                                 std::uint64_t envelope) {
  const auto message = cell.bytes / std::max<std::uint64_t>(cell.messages, 1) + envelope;
  return cell.bytes + cell.messages * (envelope + machine.description().router.headers(message));
}

/// Pairs of ranks, each with each other, by the links that their messages cross. Where a message enters a line along a
/// dimension follows from the places of its sender along the dimensions to come, and of its receiver along those that
/// are done: messages for which these are the same differ by their ends on the line alone.
class AllPairs {
 public:
  AllPairs(const platforms::Machine& machine, const netsim::Mapping& mapping)
      : machine_(machine), grid_(machine.grid()) {
    std::map<platforms::NodeId, std::uint32_t> ranks;
    for (const auto node : mapping.elements()) ++ranks[node];
    for (const auto& [node, count] : ranks) places_.push_back({node, grid_.coordinates(machine.router(node)), count});
    total_ = static_cast<std::uint32_t>(mapping.elements().size());
  }

  /// Calls visit(link, pairs), for some links several times.
  template <class Visit>
  void for_each_link(const Visit& visit) {
    for (const auto& [node, at, ranks] : places_) {
      if (machine_.limits_injection()) visit(machine_.injection_link(node), ranks * (total_ - ranks));
      if (machine_.limits_ejection()) visit(machine_.ejection_link(node), ranks * (total_ - ranks));
    }
    std::array<bool, platforms::max_dimensions> is_done{};
    for (const auto d : grid_.order()) {
      const auto receivers = lines(d, is_done, true), senders = lines(d, is_done, false);
      is_done[d] = true;
      for (const auto& [from, there] : senders)
        for (const auto& [to, here] : receivers) along(d, from + to, there, here, visit);
    }
  }

 private:
  struct Place {
    platforms::NodeId node;
    platforms::Coordinates at;
    std::uint32_t ranks;
  };
  using Counts = std::vector<std::uint32_t>;  ///< ranks by their coordinates along a dimension

  /// The ranks along d by what their coordinates along the dimensions that are done, or not, add to a router's number.
  std::map<std::int32_t, Counts> lines(std::size_t d, const std::array<bool, platforms::max_dimensions>& is_done,
                                       bool done) const {
    std::map<std::int32_t, Counts> lines;
    for (const auto& [node, at, ranks] : places_) {
      platforms::Coordinates others{};
      for (std::size_t e = 0; e < grid_.dimension_count(); ++e)
        if (e != d && is_done[e] == done) others[e] = at[e];
      auto& counts = lines[grid_.router_at(others).value()];
      counts.resize(static_cast<std::size_t>(grid_.dimension(d).extent));
      counts[static_cast<std::size_t>(at[d])] += ranks;
    }
    return lines;
  }

  /// The pairs of senders and receivers on a line along d, of which `first` is the number of the first router.
  template <class Visit>
  void along(std::size_t d, std::int32_t first, const Counts& senders, const Counts& receivers, const Visit& visit) {
    const auto extent = grid_.dimension(d).extent;
    for (auto& way : more_) way.assign(static_cast<std::size_t>(2 * extent + 1), 0);
    std::uint32_t all = 0;
    for (std::int32_t from = 0; from < extent; ++from)
      for (std::int32_t to = 0; senders[static_cast<std::size_t>(from)] > 0 && to < extent; ++to) {
        const auto pairs = senders[static_cast<std::size_t>(from)] * receivers[static_cast<std::size_t>(to)];
        if (pairs == 0 || from == to) continue;
        all += pairs;
        const auto steps = grid_.steps(d, from, to);
        auto& more = more_[steps > 0 ? 0 : 1];
        const auto begin = static_cast<std::size_t>(steps > 0 ? from : from + steps + 1 + extent);
        more[begin] += pairs;
        more[begin + static_cast<std::size_t>(std::abs(steps))] -= pairs;
      }
    if (all == 0) return;
    if (grid_.dimension(d).shared) return visit(grid_.shared_link(platforms::RouterId(first), d), all);
    auto at = grid_.coordinates(platforms::RouterId(first));
    for (std::size_t way = 0; way < more_.size(); ++way) {
      std::uint32_t pairs = 0;
      for (std::int32_t c = 0; c < 2 * extent; ++c) {
        pairs += more_[way][static_cast<std::size_t>(c)];
        at[d] = c % extent;
        if (pairs > 0) visit(grid_.link(grid_.router_at(at), d, way == 0), pairs);
      }
    }
  }

  const platforms::Machine& machine_;
  const platforms::Grid& grid_;
  std::vector<Place> places_;
  std::uint32_t total_ = 0;
  /// The pairs that cross the link of a place, less those of the place before, forward and backward. Places along the
  /// line come twice, as ways may go over its end.
  std::array<Counts, 2> more_;
};

}  // namespace

std::vector<LinkBytes> links_of(const platforms::Machine& machine, const workloads::CommunicationMatrix& matrix,
                                const netsim::Mapping& mapping, std::uint64_t envelope) {
  LinkSums sums(machine);
  for (const auto from : matrix.rows.ids())
    for (const auto& cell : matrix.rows[from]) {
      const auto bytes = bytes_with_headers(machine, cell, envelope);
      machine.for_each_link(mapping[from], mapping[cell.to], [&](LinkId link) { sums.add(link, bytes, 1); });
    }
  return sums.links();
}

std::vector<LinkBytes> links_of_uniform(const platforms::Machine& machine, const workloads::CommunicationMatrix& matrix,
                                        const netsim::Mapping& mapping, std::uint64_t envelope) {
  if (!machine.separable() || matrix.rows.size() < 2) return links_of(machine, matrix, mapping, envelope);
  LinkSums sums(machine);
  const auto bytes = bytes_with_headers(machine, matrix.rows[workloads::Rank(0)].front(), envelope);
  AllPairs(machine, mapping).for_each_link([&](LinkId link, std::uint32_t pairs) {
    sums.add(link, pairs * bytes, pairs);
  });
  return sums.links();
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
