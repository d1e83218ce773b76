#include "mapping/costs/link_loads.hpp"

#include <algorithm>

namespace toroid::mapping {

bool Peak::better_than(const Peak& other) const {
  if (seconds != other.seconds) return seconds < other.seconds;
  if (links != other.links) return links < other.links;
  return squares < (1 - 1e-9) * other.squares;
}

LinkLoads::LinkLoads(const TrafficGraph& traffic, const Machine& machine, std::span<const NodeId> slots,
                     Assignment slot_of)
    : machine_(machine),
      slots_(std::vector(slots.begin(), slots.end())),
      placement_(std::move(slot_of)),
      edges_of_(traffic.rank_count()),
      bytes_(machine.link_count()),
      change_(bytes_.size()),
      is_changed_(bytes_.size()) {
  for (const Rank from : traffic.ranks())
    for (const auto& edge : traffic.neighbours(from)) {
      if (edge.sent == 0) continue;
      for (const Rank rank : {from, edge.rank}) edges_of_[rank].push_back(edges_.size());
      edges_.push_back({from, edge.rank, edge.sent});
    }
  for (const auto& edge : edges_) add(edge, 1);
  for (const LinkId link : changed_) {
    bytes_[link] = change_[link];
    by_load_.emplace(seconds(link, bytes_[link]), link);
  }
  for (const auto& [load, link] : by_load_) squares_ += load * load;
  forget_changes();
}

Peak LinkLoads::peak() const {
  if (by_load_.empty()) return {};
  return {by_load_.begin()->first, static_cast<std::int64_t>(most_loaded().size()), squares_};
}

std::vector<LinkId> LinkLoads::most_loaded() const {
  std::vector<LinkId> links;
  for (const auto& [load, link] : by_load_) {
    if (load != by_load_.begin()->first) break;
    links.push_back(link);
  }
  std::sort(links.begin(), links.end());
  return links;
}

/// Adds the bytes of an edge, times `sign`, to the changes of the links it takes as ranks stand now.
void LinkLoads::add(const Edge& edge, double sign) {
  machine_.for_each_link(node(edge.from), node(edge.to), [&](LinkId link) {
    change_[link] += sign * edge.bytes;
    if (!std::exchange(is_changed_[link], true)) changed_.push_back(link);
  });
}

/// The changes if `a` and `b` swapped; both stay where they are.
void LinkLoads::collect_changes(Rank a, Rank b) {
  for (const double sign : {-1.0, 1.0}) {
    for (const Rank rank : {a, b}) {
      if (!edges_of_.has(rank)) continue;  // silent
      for (const std::size_t edge : edges_of_[rank]) {
        const auto& e = edges_[edge];
        const bool between = (e.from == a && e.to == b) || (e.from == b && e.to == a);
        if (!between || rank == a) add(e, sign);
      }
    }
    placement_.swap(a, b);
  }
}

void LinkLoads::forget_changes() {
  for (const LinkId link : changed_) {
    change_[link] = 0;
    is_changed_[link] = false;
  }
  changed_.clear();
}

double LinkLoads::sum_of_changed_squares() const {
  double sum = 0;
  for (const LinkId link : changed_) {
    const double before = seconds(link, bytes_[link]), after = seconds(link, bytes_[link] + change_[link]);
    sum += after * after - before * before;
  }
  return sum;
}

double LinkLoads::change_of_squares(Rank a, Rank b) {
  collect_changes(a, b);
  const double change = sum_of_changed_squares();
  forget_changes();
  return change;
}

Peak LinkLoads::peak_after(Rank a, Rank b) {
  collect_changes(a, b);
  Peak peak{0, 0, squares_ + sum_of_changed_squares()};
  const auto meet = [&](double load) {
    if (load > peak.seconds) peak.links = 0;
    if (load >= peak.seconds && load > 0) ++peak.links;
    peak.seconds = std::max(peak.seconds, load);
  };
  for (const LinkId link : changed_) meet(seconds(link, bytes_[link] + change_[link]));
  for (const auto& [load, link] : by_load_) {
    if (load < peak.seconds) break;
    if (!is_changed_[link]) meet(load);
  }
  forget_changes();
  return peak;
}

void LinkLoads::swap(Rank a, Rank b) {
  collect_changes(a, b);
  placement_.swap(a, b);
  for (const LinkId link : changed_) {
    if (change_[link] == 0) continue;
    const double before = seconds(link, bytes_[link]);
    by_load_.erase({before, link});
    bytes_[link] += change_[link];
    const double after = seconds(link, bytes_[link]);
    if (bytes_[link] > 0) by_load_.emplace(after, link);
    squares_ += after * after - before * before;
  }
  forget_changes();
}

std::vector<Rank> LinkLoads::ranks_across(LinkId link) const {
  std::set<Rank> across;
  for (const auto& edge : edges_)
    machine_.for_each_link(node(edge.from), node(edge.to), [&](LinkId used) {
      if (used == link) across.insert({edge.from, edge.to});
    });
  return {across.begin(), across.end()};
}

std::vector<Rank> LinkLoads::partners(Rank rank) const {
  std::vector<Rank> others;
  for (const std::size_t edge : edges_of_[rank])
    others.push_back(edges_[edge].from == rank ? edges_[edge].to : edges_[edge].from);
  return others;
}

}  // namespace toroid::mapping
