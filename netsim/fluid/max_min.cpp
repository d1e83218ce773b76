#include "netsim/fluid/max_min.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace toroid::netsim {
namespace {

/// Rates that differ by less than this part are equal, a link with less than this part left is full: far above
/// rounding, far below anything that matters.
constexpr double tolerance = 1e-11;

/// What is left of a link is summed up anew after this many changes, before their rounding errors add up to the
/// tolerance.
constexpr std::uint32_t most_updates = 2048;

}  // namespace

MaxMin::MaxMin(const std::vector<double>& capacities)
    : capacities_(capacities), links_(capacities.size()), members_(capacities.size()) {
  for (std::size_t l = 0; l < capacities.size(); ++l) links_[l].left = capacities[l];
}

MaxMin::ClassId MaxMin::add(std::span<const Link> route) {
  const auto hops = static_cast<std::uint32_t>(route.size());
  const auto block = std::bit_ceil(hops);
  const auto size = static_cast<std::size_t>(std::countr_zero(block));
  if (size >= free_.size()) free_.resize(size + 1);
  if (free_[size].empty()) {
    free_[size].push_back(static_cast<ClassId>(classes_.size()));
    classes_.push_back({.route = static_cast<std::uint32_t>(routes_.size())});
    routes_.resize(routes_.size() + block);
    positions_.resize(routes_.size());
  }
  const auto id = free_[size].back();
  free_[size].pop_back();
  auto& c = classes_[id];
  c = {.route = c.route, .hops = hops};
  for (std::uint32_t hop = 0; hop < hops; ++hop) {
    auto& others = members(route[hop]);
    routes_[c.route + hop] = route[hop];
    positions_[c.route + hop] = static_cast<std::uint32_t>(others.size());
    others.push_back({id, hop});
  }
  return id;
}

void MaxMin::set_weight(ClassId id, std::uint32_t flows) {
  auto& c = classes_[id];
  const double difference = flows - std::exchange(c.weight, flows);
  for (const Link link : route(id)) {
    change_left(link, -difference * c.rate);
    if (difference < 0) relieved_.push_back(link);
  }
  if (flows == 0)
    detach(id);
  else
    changed_.push_back(id);
}

void MaxMin::change_left(Link link, double difference) {
  auto& l = state(link);
  l.left += difference;
  if (++l.updates == most_updates) inexact_.push_back(link);
}

/// Takes the class off its links. The last member of each list moves into its place.
void MaxMin::detach(ClassId id) {
  let_go(id);
  const auto& c = classes_[id];
  for (auto at = c.route; at < c.route + c.hops; ++at) {
    auto& others = members(routes_[at]);
    const auto last = others.back();
    others[positions_[at]] = last;
    positions_[classes_[last.id].route + last.hop] = positions_[at];
    others.pop_back();
    if (others.empty()) state(routes_[at]).left = capacity(routes_[at]);
  }
  free_[static_cast<std::size_t>(std::countr_zero(std::bit_ceil(c.hops)))].push_back(id);
}

/// Its bottleneck no longer holds the class.
void MaxMin::let_go(ClassId id) {
  const Link link = classes_[id].bottleneck;
  if (link != no_link && --state(link).held == 0) state(link).held_level = never;
}

std::span<const MaxMin::ClassId> MaxMin::solve() {
  joined_.clear();
  for (const auto id : changed_)
    if (classes_[id].weight > 0) join(id);
  changed_.clear();
  for (const auto id : joined_) enqueue(id, route(id).front());
  for (const Link link : relieved_)
    if (state(link).held > 0) queue_relief(link);
  relieved_.clear();
  sweep();
  commit();
  return joined_;
}

void MaxMin::join(ClassId id) {
  auto& c = classes_[id];
  if (c.standing != Standing::settled) return;
  c.standing = Standing::rising;
  ++rising_;
  joined_.push_back(id);
  let_go(id);
  const double bandwidth = c.weight * c.rate;
  for (const Link link : route(id)) {
    change_left(link, bandwidth);
    state(link).rising += c.weight;
  }
}

void MaxMin::queue_relief(Link link) {
  events_.push({state(link).held_level, no_class, link});
  ++reliefs_;
}

/// Lets the level rise until nothing rises with it and no link is left that was relieved.
void MaxMin::sweep() {
  level_ = 0;
  while (rising_ > 0 || reliefs_ > 0) {
    const Event next = events_.top();
    if (next.id == no_class) {
      events_.pop();
      --reliefs_;
      if (state(next.link).held > 0) attend(next.link);
    } else if (classes_[next.id].standing == Standing::lowered || rising_ == 0) {
      events_.pop();
    } else if (due_level(state(next.link)) <= next.level) {
      events_.pop();
      attend(next.link);
      if (classes_[next.id].standing != Standing::lowered) enqueue(next.id, next.link);
    } else if (const auto later = next_event(next.id, next.link); later.link != no_link) {
      events_.replace_top(later);
    } else {
      events_.pop();
    }
  }
  events_.clear();
}

/// The level at which the rising classes of the link meet its limit, or those that it holds.
double MaxMin::due_level(const LinkState& link) const {
  return link.rising > 0 ? std::min(link.left / link.rising, link.held_level) : never;
}

/// The lowest level at which a link of the route with rising classes is due. It is found faster if the guess is good.
MaxMin::Event MaxMin::next_event(ClassId id, Link guess) const {
  Event next{due_level(state(guess)), id, guess};
  for (const Link link : route(id)) {
    const auto& l = state(link);
    // One branch that is rarely taken, and a division only there.
    const bool is_less = (l.left < next.level * l.rising) | (l.held_level < next.level);
    if (is_less && l.rising > 0) next = {due_level(l), id, link};
  }
  if (next.level == never) next.link = no_link;
  return next;
}

void MaxMin::enqueue(ClassId id, Link guess) {
  const auto next = next_event(id, guess);
  if (next.link != no_link) events_.push(next);
}

/// The level has come to that of the link: who is in the way or is released joins, or the link is full.
void MaxMin::attend(Link link) {
  const auto& l = state(link);
  const auto before = joined_.size();
  if (l.rising > 0 && l.left <= l.held_level * l.rising * (1 + tolerance)) {
    const double level = water_level(link);
    for (const auto& member : members(link))
      if (in_the_way(member.id, level)) join(member.id);
    if (joined_.size() == before) settle(link, level);
  } else if (l.held > 0 && (l.rising > 0 || l.left > tolerance * capacity(link))) {
    for (const auto& member : members(link))
      if (classes_[member.id].bottleneck == link) join(member.id);
  }
  for (auto i = before; i < joined_.size(); ++i) enqueue(joined_[i], link);
}

bool MaxMin::in_the_way(ClassId id, double level) const {
  return classes_[id].standing == Standing::settled && classes_[id].rate > level * (1 + tolerance);
}

/// The level at which the link is full if all settled classes of larger rates rise too. Newton's method: what is left
/// at a level is a convex, falling, piecewise linear function of it, so that the steps never go too far and end after
/// as many as there are pieces at most.
double MaxMin::water_level(Link link) {
  double level = -1;
  for (double next = std::max(0.0, state(link).left / state(link).rising); next > level;) {
    level = next;
    double left = state(link).left, rising = state(link).rising;
    for (const auto& member : members(link)) {
      if (!in_the_way(member.id, level)) continue;
      left += classes_[member.id].weight * classes_[member.id].rate;
      rising += classes_[member.id].weight;
    }
    next = left / rising;
  }
  return level;
}

/// The link is full: its rising classes settle at this level.
void MaxMin::settle(Link link, double level) {
  level_ = std::max(level_, level);  // ascending in spite of rounding
  for (const auto& member : members(link)) {
    auto& c = classes_[member.id];
    if (c.standing != Standing::rising) continue;
    c.standing = level_ > c.rate ? Standing::raised : Standing::lowered;
    c.rate = level_;
    c.bottleneck = link;
    --rising_;
    const double bandwidth = c.weight * level_;
    for (const Link other : route(member.id)) {
      auto& o = state(other);
      o.left -= bandwidth;
      o.rising -= c.weight;
      if ((o.rising == 0) & (o.held > 0)) queue_relief(other);
    }
  }
}

/// The links hold the classes that settled.
void MaxMin::commit() {
  for (const auto id : joined_) {
    auto& c = classes_[id];
    c.standing = Standing::settled;
    ++state(c.bottleneck).held;
    state(c.bottleneck).held_level = c.rate;
  }
  for (const Link link : inexact_) {
    auto& l = state(link);
    l.updates = 0;
    l.left = capacity(link);
    for (const auto& member : members(link)) l.left -= classes_[member.id].weight * classes_[member.id].rate;
  }
  inexact_.clear();
}

}  // namespace toroid::netsim
