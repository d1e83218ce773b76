#include "netsim/fluid/max_min.hpp"

#include <bit>
#include <cmath>

namespace toroid::netsim {
namespace {

/// What all the changes between two sums may leave of a link that is full: rounding and tolerances add up.
constexpr double slack = 1e-9;

/// No rate is larger.
constexpr float no_guard = std::numeric_limits<float>::infinity();

/// After this many joins, and at least so many for each link, what is left of all links is summed up anew: each may
/// have changed it twice, and their rounding errors must not add up.
constexpr std::size_t most_joins = 32768, most_joins_per_link = 8;

}  // namespace

MaxMin::MaxMin(const core::IdVector<Link, double>& capacities, double tolerance)
    : capacities_(capacities),
      tolerance_(tolerance),
      rooms_(capacities.size()),
      holds_(capacities.size()),
      is_holding_(capacities.size()),
      guards_(tolerance > 0 ? capacities.size() : 0, no_guard),
      is_paid_(tolerance > 0 ? capacities.size() : 0),
      members_(capacities.size()) {
  for (const Link link : capacities.ids()) {
    TOROID_ASSERT_HEAVY(capacities[link] > 0);
    rooms_[link].left = most(link);
  }
}

MaxMin::ClassId MaxMin::add(std::span<const Link> route) {
  TOROID_ASSERT(!route.empty());
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
    auto& others = members_[route[hop]];
    TOROID_ASSERT_HEAVY(others.empty() || others.back().id != id);  // no link stands in a route twice
    routes_[c.route + hop] = route[hop];
    positions_[c.route + hop] = static_cast<std::uint32_t>(others.size());
    others.push_back({id, hop});
  }
  return id;
}

void MaxMin::set_weight(ClassId id, std::uint32_t flows) {
  auto& c = classes_[id];
  TOROID_ASSERT_HEAVY(std::ranges::find(free_[static_cast<std::size_t>(std::countr_zero(std::bit_ceil(c.hops)))], id) ==
                      free_[static_cast<std::size_t>(std::countr_zero(std::bit_ceil(c.hops)))].end());
  const double difference = static_cast<double>(flows) - std::exchange(c.weight, flows);
  for (const Link link : route(id)) {
    rooms_[link].left -= difference * c.rate;
    if (difference < 0) relieved_.push_back(link);
  }
  if (flows == 0)
    detach(id);
  else
    changed_.push_back(id);
}

double MaxMin::level(Link link) const {
  if (rooms_[link].left > (2 * tolerance_ + slack) * capacities_[link]) return never;
  double most = 0;
  for (const auto& member : members_[link]) most = std::max(most, classes_[member.id].rate);
  return most > 0 ? most : never;
}

/// The classes that the link holds are released by joining, whether there is more room now or less.
void MaxMin::set_capacity(Link link, double capacity) {
  TOROID_ASSERT(capacity > 0);
  if (capacity == capacities_[link]) return;
  const double before = most(link);
  capacities_[link] = capacity;
  rooms_[link].left += most(link) - before;
  if (members_[link].empty()) rooms_[link].left = most(link);
  for (const auto& member : members_[link]) changed_.push_back(member.id);
}

/// Takes the class off its links. The last member of each list moves into its place.
void MaxMin::detach(ClassId id) {
  let_go(id);
  const auto& c = classes_[id];
  for (auto at = c.route; at < c.route + c.hops; ++at) {
    auto& others = members_[routes_[at]];
    const auto last = others.back();
    others[positions_[at]] = last;
    positions_[classes_[last.id].route + last.hop] = positions_[at];
    others.pop_back();
    if (others.empty()) rooms_[routes_[at]].left = most(routes_[at]);
  }
  free_[static_cast<std::size_t>(std::countr_zero(std::bit_ceil(c.hops)))].push_back(id);
}

/// The bottleneck of the class no longer holds it.
void MaxMin::let_go(ClassId id) {
  const Link link = classes_[id].bottleneck;
  if (link == no_link) return;
  TOROID_ASSERT_HEAVY(holds_[link].classes > 0);
  is_holding_[link] = --holds_[link].classes > 0;
  if (tolerance_ > 0 && is_holding_[link] == 0) guards_[link] = no_guard;
}

std::span<const MaxMin::ClassId> MaxMin::solve() {
  joined_.clear();
  for (const auto id : changed_)
    if (classes_[id].weight > 0) join(id);
  changed_.clear();
  for (const auto id : joined_) enqueue(id, route(id).front());
  for (const Link link : relieved_) queue_relief(link);
  relieved_.clear();
  sweep();
  commit();
  TOROID_ASSERT_HEAVY(std::all_of(joined_.begin(), joined_.end(), [this](ClassId id) { return is_fair(id); }));
  TOROID_ASSERT_HEAVY(all_are_fair());
  return joined_;
}

/// Whether the rates are max-min fair but for the tolerance, those included that no change has moved: no link carries
/// more than it may, and every class has a full bottleneck. Only a few classes are looked at, as each solve looks at
/// all of them.
bool MaxMin::all_are_fair() const {
  constexpr std::size_t few = 64;
  for (ClassId id = 0; id < classes_.size() && classes_.size() <= few; ++id)
    if (classes_[id].weight > 0 && !is_fair(id)) return false;
  return true;
}

/// Whether no link of the class carries more than it may, and its bottleneck is full, with no larger rate on it.
bool MaxMin::is_fair(ClassId id) const {
  const auto& c = classes_[id];
  const auto links = route(id);
  return level(c.bottleneck) <= c.rate * (1 + slack) && std::all_of(links.begin(), links.end(), [this](Link link) {
           return rooms_[link].left >= -slack * capacities_[link];
         });
}

void MaxMin::join(ClassId id) {
  auto& c = classes_[id];
  if (c.standing != Standing::settled) return;
  c.standing = Standing::rising;
  ++rising_;
  joined_.push_back(id);
  let_go(id);
  visits_ += c.hops;
  const double weight = c.weight, bandwidth = weight * c.rate;
  for (const Link link : route(id)) {
    auto& r = rooms_[link];
    r.left += bandwidth;
    r.rising += weight;
    if (tolerance_ > 0 && c.rate > static_cast<double>(guards_[link])) queue_relief(link);
  }
}

void MaxMin::queue_relief(Link link) {
  if (is_holding_[link] == 0) return;
  const auto& r = rooms_[link];
  if (tolerance_ > 0 && r.rising == 0 && r.left <= 2 * debt(link)) return;  // the link keeps what it holds
  events_.push({holds_[link].level, no_class, link});
  ++reliefs_;
}

/// Lets the level rise until nothing rises with it and no link is left that was relieved.
void MaxMin::sweep() {
  level_ = 0;
  while (rising_ > 0 || reliefs_ > 0) {
    TOROID_ASSERT_HEAVY(!events_.empty());  // whatever rises has a link that will be full
    const Event next = events_.top();
    if (next.id == no_class) {
      events_.pop();
      --reliefs_;
      relieve(next.link);
    } else if (classes_[next.id].standing == Standing::lowered || rising_ == 0) {
      events_.pop();
    } else if (level_of(rooms_[next.link]) <= next.level) {
      events_.pop();
      fill(next.link);
      if (classes_[next.id].standing != Standing::lowered) enqueue(next.id, next.link);
    } else if (const auto later = next_event(next.id, next.link); later.link != no_link) {
      events_.replace_top(later);
    } else {
      events_.pop();
    }
  }
  events_.clear();
}

/// The lowest level of a link of the route on which classes rise. It is found faster if the guess is good.
MaxMin::Event MaxMin::next_event(ClassId id, Link guess) {
  visits_ += classes_[id].hops;
  Event next{level_of(rooms_[guess]), id, guess};
  for (const Link link : route(id)) {
    const auto& r = rooms_[link];
    if (r.left < next.level * r.rising && r.rising > 0) next = {r.left / r.rising, id, link};
  }
  if (next.level == never) next.link = no_link;
  return next;
}

void MaxMin::enqueue(ClassId id, Link guess) {
  const auto next = next_event(id, guess);
  if (next.link != no_link) events_.push(next);
}

/// The level has come to that of the link: who is in the way joins, or the link is full.
void MaxMin::fill(Link link) {
  const double due = std::max(tolerance_ > 0 ? level_ : 0, level_of(rooms_[link]));
  const double level = find_in_the_way(link, due);
  if (in_the_way_.empty()) return settle(link, tolerance_ > 0 ? std::min(due, lowest_level(link)) : level);
  if (pay(link)) find_in_the_way(link, due);
  const auto before = joined_.size();
  for (const auto id : in_the_way_) join(id);
  for (auto i = before; i < joined_.size(); ++i) enqueue(joined_[i], link);
}

/// What the link owes is paid. Returns whether it was not before.
bool MaxMin::pay(Link link) {
  if (tolerance_ == 0 || std::exchange(is_paid_[link], 1) != 0) return false;
  rooms_[link].left -= debt(link);
  guards_[link] = no_guard;  // all that it holds join now
  paid_.push_back(link);
  return true;
}

/// The lowest level at which the rising classes of the link can settle, if nobody is in their way.
double MaxMin::lowest_level(Link link) const {
  const auto& r = rooms_[link];
  double level = std::max(level_, (r.left - (is_paid_[link] != 0 ? 0 : debt(link))) / r.rising);
  for (const auto& member : members_[link]) {
    const auto& c = classes_[member.id];
    if (c.standing != Standing::rising) level = std::max(level, c.rate);
  }
  return level;
}

/// The level, at least the one given, at which the link is full if all settled classes of larger rates rise too; those
/// are then in_the_way_. Newton's method: what is left at a level is a convex, falling, piecewise linear function of
/// it, so that the steps never go too far and end after as many as there are pieces at most. A class that is not in the
/// way at a level is not at a higher one, so only the first step looks at all classes of the link. What it costs is
/// counted as if each did.
double MaxMin::find_in_the_way(Link link, double level) {
  const auto& members = members_[link];
  in_the_way_.resize(members.size());
  std::size_t count = 0;
  for (const auto& member : members) {  // without a branch, as no processor could predict it
    in_the_way_[count] = member.id;
    count += static_cast<std::size_t>(in_the_way(classes_[member.id], level));
  }
  std::size_t steps = 1;
  for (double next = level; count > 0; ++steps) {
    level = next;
    double left = rooms_[link].left, rising = rooms_[link].rising;
    const auto before = std::exchange(count, 0);
    for (std::size_t i = 0; i < before; ++i) {
      const auto& c = classes_[in_the_way_[i]];
      if (!in_the_way(c, level)) continue;
      in_the_way_[count++] = in_the_way_[i];
      left += c.weight * c.rate;
      rising += c.weight;
    }
    next = left / rising;
    if (!(next > level)) break;
  }
  in_the_way_.resize(count);
  visits_ += (1 + steps) * members.size();
  return level;
}

/// The level has come to that at which the link holds classes. It releases them if there is room for more. If not, and
/// the tolerance may have left some, no other passes them.
void MaxMin::relieve(Link link) {
  const auto& r = rooms_[link];
  const auto& hold = holds_[link];
  if (hold.classes == 0) return;
  if (r.left <= hold.level * r.rising + alike * capacities_[link] + 2 * debt(link)) {
    if (tolerance_ > 0 && r.rising > 0) settle(link, hold.level);
    return;
  }
  pay(link);
  const auto before = joined_.size();
  visits_ += members_[link].size();
  for (const auto& member : members_[link])
    if (classes_[member.id].bottleneck == link) join(member.id);
  for (auto i = before; i < joined_.size(); ++i) enqueue(joined_[i], link);
}

/// The link is full: its rising classes settle at this level.
void MaxMin::settle(Link link, double level) {
  TOROID_ASSERT_HEAVY((tolerance_ > 0 || level >= level_ * (1 - slack)) && level < never);
  level_ = std::max(level_, level);  // ascending in spite of rounding
  visits_ += members_[link].size();
  for (const auto& member : members_[link]) {
    auto& c = classes_[member.id];
    if (c.standing != Standing::rising) continue;
    c.standing = level_ > c.rate ? Standing::raised : Standing::lowered;
    c.rate = level_;
    c.bottleneck = link;
    --rising_;
    visits_ += c.hops;
    const double weight = c.weight, bandwidth = weight * level_;
    for (const Link other : route(member.id)) {
      auto& r = rooms_[other];
      r.left -= bandwidth;
      r.rising -= weight;
    }
    if (c.standing == Standing::lowered)
      for (const Link other : route(member.id)) queue_relief(other);
  }
}

/// The links hold the classes that settled.
void MaxMin::commit() {
  for (const auto id : joined_) {
    auto& c = classes_[id];
    TOROID_ASSERT_HEAVY(c.bottleneck != no_link && c.standing != Standing::rising && c.rate > 0);
    c.standing = Standing::settled;
    ++holds_[c.bottleneck].classes;
    is_holding_[c.bottleneck] = 1;
    holds_[c.bottleneck].level = c.rate;
    if (tolerance_ > 0) guards_[c.bottleneck] = static_cast<float>((c.rate - 2 * debt(c.bottleneck)) * (1 - 1e-6));
  }
  for (const Link link : paid_) {
    rooms_[link].left += debt(link);
    is_paid_[link] = 0;
  }
  paid_.clear();
  joins_ += joined_.size();
  if (joins_ > most_joins && joins_ > most_joins_per_link * rooms_.size()) sum_up();
}

void MaxMin::sum_up() {
  joins_ = 0;
  for (const Link link : capacities_.ids()) {
    const double before = std::exchange(rooms_[link].left, most(link));
    for (const auto& [id, hop] : members_[link]) rooms_[link].left -= classes_[id].weight * classes_[id].rate;
    // Links without a limit have infinite capacities, and room.
    TOROID_ASSERT_HEAVY(!(std::abs(rooms_[link].left - before) > slack * capacities_[link]));
  }
}

}  // namespace toroid::netsim
