#include "netsim/fluid/max_min.hpp"

#include <algorithm>

namespace toroid::netsim {
namespace {

/// Rates that differ by less than this part are equal, a link with less than this part left is full: far above
/// rounding, far below anything that matters.
constexpr double tolerance = 1e-11;

bool clearly_less(double a, double b) {
  return a < b * (1 - tolerance);
}

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacities) : links_(capacities.size()) {
  for (std::size_t l = 0; l < capacities.size(); ++l) links_[l].capacity = capacities[l];
}

MaxMin::ClassId MaxMin::add(std::span<const Link> route) {
  if (free_.empty()) {
    free_.push_back(static_cast<ClassId>(classes_.size()));
    classes_.emplace_back();
  }
  const auto id = free_.back();
  free_.pop_back();
  auto& c = classes_[id];
  c.route.assign(route.begin(), route.end());
  c.positions.clear();
  c.weight = c.rate = 0;
  c.bottleneck = no_link;
  c.solved_in = 0;
  for (std::uint32_t hop = 0; hop < route.size(); ++hop) {
    auto& members = links_[static_cast<std::size_t>(route[hop])].members;
    c.positions.push_back(static_cast<std::uint32_t>(members.size()));
    members.push_back({id, hop});
  }
  return id;
}

void MaxMin::set_weight(ClassId id, std::uint32_t flows) {
  auto& c = classes_[id];
  if (flows < c.weight) {
    for (const Link link : c.route) {
      auto& state = links_[static_cast<std::size_t>(link)];
      if (!state.relieved) relieved_.push_back(link);
      state.relieved = true;
    }
  }
  c.weight = flows;
  if (flows == 0)
    detach(id);
  else
    changed_.push_back(id);
}

/// Takes the class off its links. The last member of each list moves into its place.
void MaxMin::detach(ClassId id) {
  auto& c = classes_[id];
  for (std::size_t hop = 0; hop < c.route.size(); ++hop) {
    auto& members = links_[static_cast<std::size_t>(c.route[hop])].members;
    const auto last = members.back();
    members[c.positions[hop]] = last;
    classes_[last.id].positions[last.hop] = c.positions[hop];
    members.pop_back();
  }
  c.route.clear();
  free_.push_back(id);
}

void MaxMin::join(ClassId id) {
  auto& c = classes_[id];
  if (in_a(c) || c.route.empty()) return;
  c.solved_in = solve_;
  c.frozen = false;
  a_.push_back(id);
}

std::span<const MaxMin::ClassId> MaxMin::solve() {
  ++solve_;
  a_.clear();
  for (const auto id : changed_) join(id);
  for (const Link link : relieved_) {
    auto& state = links_[static_cast<std::size_t>(link)];
    state.relieved = false;
    for (const auto& member : state.members)
      if (classes_[member.id].bottleneck == link) join(member.id);
  }
  changed_.clear();
  relieved_.clear();
  if (a_.empty()) return {};
  do fill();
  while (grow());
  return a_;
}

/// Progressive filling of A over what the other classes leave.
void MaxMin::fill() {
  ++filling_;
  touched_.clear();
  heap_.clear();
  for (const auto id : a_) {
    auto& c = classes_[id];
    c.frozen = false;
    for (const Link link : c.route) touch(link);
  }
  const auto higher = [](const Candidate& x, const Candidate& y) {
    return x.level > y.level || (x.level == y.level && x.link > y.link);
  };
  std::make_heap(heap_.begin(), heap_.end(), higher);
  // The level of a link only rises while others freeze, so a candidate that is out of date goes back with its new
  // level.
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), higher);
    auto candidate = heap_.back();
    heap_.pop_back();
    const auto& link = links_[static_cast<std::size_t>(candidate.link)];
    if (link.rising == 0) continue;
    const double level = std::max(0.0, link.left / link.rising);
    if (level > candidate.level) {
      heap_.push_back({level, candidate.link});
      std::push_heap(heap_.begin(), heap_.end(), higher);
    } else {
      freeze(candidate.link, candidate.level);
    }
  }
}

void MaxMin::touch(Link id) {
  auto& link = links_[static_cast<std::size_t>(id)];
  if (link.touched_in == filling_) return;
  link.touched_in = filling_;
  link.left = link.capacity;
  link.rising = 0;
  for (const auto& member : link.members) {
    const auto& c = classes_[member.id];
    if (in_a(c))
      link.rising += c.weight;
    else
      link.left -= c.weight * c.rate;
  }
  touched_.push_back(id);
  heap_.push_back({std::max(0.0, link.left / link.rising), id});
}

/// The link is full: its classes that still rise stay at this level.
void MaxMin::freeze(Link id, double level) {
  for (const auto& member : links_[static_cast<std::size_t>(id)].members) {
    auto& c = classes_[member.id];
    if (!in_a(c) || c.frozen) continue;
    c.frozen = true;
    c.rate = level;
    c.bottleneck = id;
    for (const Link other : c.route) {
      auto& link = links_[static_cast<std::size_t>(other)];
      link.left -= c.weight * level;
      link.rising -= c.weight;
    }
  }
}

/// Lets the classes join whose rates can no longer stay; false if there are none.
bool MaxMin::grow() {
  const auto before = a_.size();
  for (const Link link : touched_) check(link);
  return a_.size() > before;
}

void MaxMin::check(Link id) {
  const auto& link = links_[static_cast<std::size_t>(id)];
  double load = 0, fastest_in_a = 0, slowest_held = -1, fastest_fixed = 0;
  for (const auto& member : link.members) {
    const auto& c = classes_[member.id];
    load += c.weight * c.rate;
    if (!in_a(c)) {
      fastest_fixed = std::max(fastest_fixed, c.rate);
    } else if (c.frozen) {  // else it has joined in this round: its rate is an old one
      fastest_in_a = std::max(fastest_in_a, c.rate);
      if (c.bottleneck == id) slowest_held = c.rate;
    }
  }
  const bool is_full = !clearly_less(load, link.capacity);
  const bool blocked = slowest_held >= 0 && clearly_less(slowest_held, fastest_fixed);
  const double level = blocked ? water_level(link, id) : 0;
  for (const auto& member : link.members) {
    const auto& c = classes_[member.id];
    if (in_a(c)) continue;
    const bool lost_bottleneck = c.bottleneck == id && (!is_full || clearly_less(c.rate, fastest_in_a));
    const bool in_the_way = blocked && (clearly_less(level, c.rate) || c.rate == fastest_fixed);
    if (lost_bottleneck || in_the_way) join(member.id);
  }
}

/// The rate at which the link would be full if the classes it holds back took what they can, the others at most what
/// they have now.
double MaxMin::water_level(const LinkState& link, Link id) {
  demands_.clear();
  double rising = 0;
  for (const auto& member : link.members) {
    const auto& c = classes_[member.id];
    rising += c.weight;
    if (!(in_a(c) && c.bottleneck == id)) demands_.emplace_back(c.rate, c.weight);
  }
  std::sort(demands_.begin(), demands_.end());
  double left = link.capacity;
  for (const auto& [rate, weight] : demands_) {
    if (rate * rising >= left) break;
    left -= rate * weight;
    rising -= weight;
  }
  return left / rising;
}

}  // namespace toroid::netsim
