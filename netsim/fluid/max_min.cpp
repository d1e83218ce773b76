#include "netsim/fluid/max_min.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace toroid::netsim {
namespace {

/// Rates that differ by less than this part are equal, a link with less than this part left is full: far above
/// rounding, far below anything that matters.
constexpr double tolerance = 1e-11;

/// The load of a link is summed up anew after this many changes, before their rounding errors add up to the tolerance.
constexpr std::uint32_t most_updates = 4096;

bool clearly_less(double a, double b) {
  return a < b * (1 - tolerance);
}

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacities) : links_(capacities.size()), rooms_(capacities.size()) {
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
    auto& members = state(route[hop]).members;
    c.positions.push_back(static_cast<std::uint32_t>(members.size()));
    members.push_back({id, hop});
  }
  return id;
}

void MaxMin::set_weight(ClassId id, std::uint32_t flows) {
  auto& c = classes_[id];
  const double difference = flows - std::exchange(c.weight, flows);
  for (const Link link : c.route) {
    if (difference < 0) relieve(link);
    change_load(state(link), difference * c.rate);
  }
  if (flows == 0)
    detach(id);
  else
    changed_.push_back(id);
}

void MaxMin::relieve(Link link) {
  if (std::exchange(state(link).relieved, true)) return;
  relieved_.push_back(link);
}

void MaxMin::change_load(LinkState& link, double difference) {
  link.load += difference;
  if (++link.updates < most_updates) return;
  link.updates = 0;
  link.load = 0;
  for (const auto& member : link.members) link.load += classes_[member.id].weight * classes_[member.id].rate;
}

/// Takes the class off its links. The last member of each list moves into its place.
void MaxMin::detach(ClassId id) {
  auto& c = classes_[id];
  if (c.bottleneck != no_link) --state(c.bottleneck).held;
  for (std::size_t hop = 0; hop < c.route.size(); ++hop) {
    auto& members = state(c.route[hop]).members;
    const auto last = members.back();
    members[c.positions[hop]] = last;
    classes_[last.id].positions[last.hop] = c.positions[hop];
    members.pop_back();
    if (members.empty()) state(c.route[hop]).load = 0;
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
    state(link).relieved = false;
    if (state(link).held == 0) continue;
    for (const auto& member : state(link).members)
      if (classes_[member.id].bottleneck == link) join(member.id);
  }
  changed_.clear();
  relieved_.clear();
  if (a_.empty()) return {};
  order_.clear();
  for (std::size_t settled = 0; settled < a_.size();) {
    const auto joined = std::span(a_).subspan(settled);
    settled = a_.size();
    take_in(joined);
    fill();
    for (std::size_t i = 0; i < unsettled_.size(); ++i) check(unsettled_[i]);
  }
  commit();
  return a_;
}

/// Makes room for the classes that joined: those that froze at a level that they may change rise again.
void MaxMin::take_in(std::span<const ClassId> joined) {
  ++round_;
  unsettled_.clear();
  rising_.assign(joined.begin(), joined.end());
  // A class that was a fixed load and rises now changes a link at levels from the lower of its old rate and the link's
  // own.
  double changed = std::numeric_limits<double>::infinity();
  for (const auto id : joined) {
    const auto& c = classes_[id];
    changed = std::min(changed, c.rate);
    for (const Link link : c.route) {
      const auto& l = state(link);
      if (l.touched_in == solve_ && l.next_level >= 0) changed = std::min(changed, l.next_level);
    }
  }
  for (; !order_.empty() && classes_[order_.back()].next_rate >= changed; order_.pop_back()) rise_again(order_.back());
  for (const auto id : joined) touch_links(id);
}

void MaxMin::rise_again(ClassId id) {
  auto& c = classes_[id];
  c.frozen = false;
  rising_.push_back(id);
  state(c.next_bottleneck).next_level = -1;
  for (const Link link : c.route) {
    room(link).left += c.weight * c.next_rate;
    room(link).rising += c.weight;
    unsettle(link);
  }
}

void MaxMin::unsettle(Link link) {
  if (std::exchange(state(link).unsettled_in, round_) != round_) unsettled_.push_back(link);
}

/// Progressive filling of the rising classes over what the others leave: again and again the link with the lowest level
/// is full. It is found through the classes, which are far fewer than their links: the lowest level of all is the
/// lowest that some class sees on its route. Levels only rise while others freeze, so what a class saw before is a
/// lower bound.
void MaxMin::fill() {
  heap_.clear();
  for (const auto id : rising_) heap_.push_back(lowest_level(id));
  const auto higher = [](const Candidate& x, const Candidate& y) {
    return x.level > y.level || (x.level == y.level && x.id > y.id);
  };
  std::make_heap(heap_.begin(), heap_.end(), higher);
  double last = order_.empty() ? 0 : classes_[order_.back()].next_rate;
  while (!heap_.empty()) {
    const auto seen = heap_.front();
    std::pop_heap(heap_.begin(), heap_.end(), higher);
    heap_.pop_back();
    if (classes_[seen.id].frozen) continue;
    const auto now = lowest_level(seen.id);
    if (now.level > seen.level && !heap_.empty() && now.level > heap_.front().level) {
      heap_.push_back(now);
      std::push_heap(heap_.begin(), heap_.end(), higher);
    } else {
      last = std::max(last, now.level);  // ascending in spite of rounding
      freeze(now.link, last);
    }
  }
}

MaxMin::Candidate MaxMin::lowest_level(ClassId id) {
  Candidate lowest{std::numeric_limits<double>::infinity(), id, no_link};
  for (const Link link : classes_[id].route) {
    const auto& candidate = room(link);
    if (candidate.left < lowest.level * candidate.rising) lowest = {candidate.left / candidate.rising, id, link};
  }
  lowest.level = std::max(0.0, lowest.level);
  return lowest;
}

/// Adds a class that joined to its links; a link that is new to A begins with what the others leave.
void MaxMin::touch_links(ClassId id) {
  const auto& c = classes_[id];
  for (const Link id_of_link : c.route) {
    auto& link = state(id_of_link);
    auto& space = room(id_of_link);
    if (std::exchange(link.touched_in, solve_) != solve_) {
      space = {link.capacity - link.load, 0};
      link.fastest = 0;
      link.next_level = -1;
      link.held_fixed = link.held;
    }
    space.left += c.weight * c.rate;
    space.rising += c.weight;
    unsettle(id_of_link);
  }
  if (c.bottleneck != no_link) --state(c.bottleneck).held_fixed;
}

/// The link is full: its classes that still rise stay at this level.
void MaxMin::freeze(Link id, double level) {
  state(id).next_level = level;
  for (const auto& member : state(id).members) {
    auto& c = classes_[member.id];
    if (!in_a(c) || c.frozen) continue;
    c.frozen = true;
    c.next_rate = level;
    c.next_bottleneck = id;
    order_.push_back(member.id);
    for (const Link other : c.route) {
      room(other).left -= c.weight * level;
      room(other).rising -= c.weight;
      state(other).fastest = level;  // levels come in ascending order
    }
  }
}

/// Lets the classes of the link join whose rates can no longer stay.
void MaxMin::check(Link id) {
  const auto& link = state(id);
  const bool is_full = room(id).left <= tolerance * link.capacity;
  const bool lose = link.held_fixed > 0 && (!is_full || clearly_less(link.level, link.fastest));
  if (!lose && link.next_level < 0) return;
  double fastest_fixed = 0;
  if (link.next_level >= 0)
    for (const auto& member : link.members)
      if (!in_a(classes_[member.id])) fastest_fixed = std::max(fastest_fixed, classes_[member.id].rate);
  const bool blocked = link.next_level >= 0 && clearly_less(link.next_level, fastest_fixed);
  if (!lose && !blocked) return;
  const double level = blocked ? water_level(link, id) : 0;
  for (const auto& member : link.members) {
    const auto& c = classes_[member.id];
    if (in_a(c)) continue;
    const bool in_the_way = blocked && (clearly_less(level, c.rate) || c.rate == fastest_fixed);
    if ((lose && c.bottleneck == id) || in_the_way) join(member.id);
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
    const bool has_next = in_a(c) && c.frozen;
    if (!(has_next && c.next_bottleneck == id)) demands_.emplace_back(has_next ? c.next_rate : c.rate, c.weight);
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

/// The next rates become the rates.
void MaxMin::commit() {
  for (const auto id : a_) {
    auto& c = classes_[id];
    if (c.bottleneck != no_link) --state(c.bottleneck).held;
    ++state(c.next_bottleneck).held;
    state(c.next_bottleneck).level = c.next_rate;
    c.bottleneck = c.next_bottleneck;
    const double difference = c.weight * (c.next_rate - c.rate);
    c.rate = c.next_rate;
    if (difference != 0)
      for (const Link link : c.route) change_load(state(link), difference);
  }
}

}  // namespace toroid::netsim
