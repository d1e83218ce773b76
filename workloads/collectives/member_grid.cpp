#include "workloads/collectives/member_grid.hpp"

#include <deque>
#include <numeric>

#include <fmt/ranges.h>

namespace toroid::workloads {
namespace {

using Order = std::vector<std::size_t>;

/// From each axis on, to ever shorter ones and from the shortest to the longest. In this direction the shares of axes
/// that carry alike keep all of them busy all the time; to ever longer ones they leave some idle for a while.
std::vector<Order> turns(const std::vector<RingAxis>& axes) {
  std::vector<Order> all;
  Order order(axes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t axis) { return axes[axis].extent; });
  for (std::size_t i = 0; i < axes.size(); ++i) {
    all.push_back(order);
    std::ranges::rotate(order, order.begin() + 1);
  }
  return all;
}

std::vector<Order> all_orders(std::size_t axes) {
  std::vector<Order> all;
  Order order(axes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do all.push_back(order);
  while (std::ranges::next_permutation(order).found);
  return all;
}

/// Seconds of each axis if all the data goes in that order, over those of all the data once round the slowest axis.
std::vector<double> loads(const std::vector<RingAxis>& axes, const Order& order) {
  std::vector<double> load(axes.size());
  double members = 1, blocks = 1;
  for (const auto& axis : axes) members *= axis.extent;
  const double slowest = std::ranges::max(axes, {}, &RingAxis::cost).cost;
  for (const auto a : order) {
    load[a] = blocks * (axes[a].extent - 1) / members * (axes[a].cost / slowest);
    blocks *= axes[a].extent;
  }
  return load;
}

/// The amounts y >= 0 with the largest sum of which no row exceeds 1: columns . y <= 1, where entries are positive, and
/// 1 at most. Amounts below 10^-9 are left by rounding, and count as 0. The simplex algorithm begins at y = 0, and
/// never comes back to where it was (Bland's rule).
std::vector<double> largest_amounts(const std::vector<std::vector<double>>& columns) {
  TOROID_ASSERT(!columns.empty());
  const auto n = columns.size(), rows = columns[0].size();
  // Each row: the columns, then the rows' slacks, then the right side. The last row is the objective.
  std::vector<std::vector<double>> table(rows + 1, std::vector<double>(n + rows + 1));
  std::vector<std::size_t> basis(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < n; ++c) table[r][c] = columns[c][r];
    table[r][n + r] = table[r].back() = 1;
    basis[r] = n + r;
  }
  std::fill_n(table[rows].begin(), n, -1.0);
  constexpr double rounding = 1e-12;
  for (;;) {
    const auto& objective = table[rows];
    const auto entering = static_cast<std::size_t>(
        std::find_if(objective.begin(), objective.end() - 1, [](double x) { return x < -rounding; }) -
        objective.begin());
    if (entering == n + rows) break;
    auto leaving = rows;
    for (std::size_t r = 0; r < rows; ++r) {
      if (table[r][entering] <= rounding) continue;
      const auto ratio = [&](std::size_t row) { return table[row].back() / table[row][entering]; };
      if (leaving == rows || ratio(r) < ratio(leaving) || (ratio(r) == ratio(leaving) && basis[r] < basis[leaving]))
        leaving = r;
    }
    TOROID_ASSERT(leaving < rows);  // else the sum had no bound
    basis[leaving] = entering;
    const auto pivot = table[leaving][entering];
    for (auto& x : table[leaving]) x /= pivot;
    for (std::size_t r = 0; r <= rows; ++r) {
      if (r == leaving) continue;
      const auto factor = table[r][entering];
      for (std::size_t c = 0; c <= n + rows; ++c) table[r][c] -= factor * table[leaving][c];
    }
  }
  std::vector<double> amounts(n);
  for (std::size_t r = 0; r < rows; ++r)
    if (basis[r] < n && table[r].back() > 1e-9) amounts[basis[r]] = table[r].back();
  return amounts;
}

/// How many blocks of those that a member is to have come along the first axes of an order, by the rounds that takes.
std::vector<std::uint64_t> further(const std::vector<std::uint64_t>& before, const RingAxis& axis, CommRank in_step) {
  std::vector<std::uint64_t> after(before.size() + static_cast<std::size_t>(std::max(axis.reach(), in_step)));
  for (std::size_t rounds = 0; rounds < before.size(); ++rounds)
    for (CommRank steps = 0; steps < axis.extent; ++steps)
      after[rounds + static_cast<std::size_t>(in_step > 0 ? in_step : axis.rounds(steps))] += before[rounds];
  return after;
}

/// Adds the messages of a part. What has come along the axes before in a round goes round the next one from then on.
void add_messages(const std::vector<RingAxis>& axes, const Order& order, CommRank in_step, std::size_t part,
                  std::vector<RingMessage>& messages) {
  std::vector<std::vector<std::uint64_t>> come{{1}};
  for (const auto a : order) come.push_back(further(come.back(), axes[a], in_step));
  std::uint64_t halves = 2;
  for (CommRank round = 1; round < static_cast<CommRank>(come.back().size()); ++round)
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
      TOROID_ASSERT_HEAVY(order[turn] < axes.size());
      const auto& axis = axes[order[turn]];
      const auto& before = come[turn];  // what goes so many steps in this round has come in one of these
      std::uint64_t sent = 0;
      for (auto steps = std::max(1, round - static_cast<CommRank>(before.size()) + 1);
           steps <= std::min(axis.reach(), round); ++steps)
        sent += before[static_cast<std::size_t>(round - steps)] * (axis.is_opposite(steps) ? 1U : 2U);
      for (const CommRank way : {1, -1}) {
        if (sent == 0 || (way < 0 && axis.goes_one_way())) continue;
        messages.push_back({round, part, turn, way, halves, halves + sent});
        halves += sent;
      }
    }
}

/// The shares of orders with which the busiest axis is busy for the shortest time.
std::vector<double> best_shares(const std::vector<RingAxis>& axes, const std::vector<Order>& orders) {
  std::vector<std::vector<double>> columns;
  for (const auto& order : orders) columns.push_back(loads(axes, order));
  return largest_amounts(columns);
}

RingParts parts_of(const std::vector<RingAxis>& axes, const std::vector<Order>& orders,
                   const std::vector<double>& shares, CommRank in_step, int pieces) {
  const auto sum = std::accumulate(shares.begin(), shares.end(), 0.0);
  RingParts all;
  all.rounds_in_step = in_step;
  double end = 0;
  for (int piece = 0; piece < pieces; ++piece)
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (shares[i] == 0) continue;
      if (in_step == 0 || all.lanes.empty()) all.lanes.emplace_back();
      add_messages(axes, orders[i], in_step, all.parts.size(), all.lanes.back());
      const auto begin = std::exchange(end, end + shares[i] / sum / pieces);
      all.parts.push_back({orders[i], begin, end});
    }
  TOROID_ASSERT(!all.parts.empty() && std::abs(all.parts.back().last - 1) < 1e-9);  // the parts cover the vector
  all.parts.back().last = 1;
  for (auto& lane : all.lanes) {
    std::ranges::stable_sort(lane, {}, &RingMessage::round);
    all.messages += lane.size();
  }
  all.cost = gather_cost(all, axes);
  return all;
}

/// Adds parts that take clearly less for long results than those added before. Parts of fewer messages stay for shorter
/// results, as if links carried nothing while cores see to messages.
void add_if_sooner(std::vector<RingParts>& all, RingParts parts, double message_seconds) {
  constexpr double clearly_less = 0.98;
  if (parts.cost >= all.back().cost * clearly_less) return;
  for (; !all.empty(); all.pop_back()) {
    const auto& before = all.back();
    const auto more = static_cast<double>(parts.messages) - static_cast<double>(before.messages);
    parts.least_bytes = std::max(0.0, more * message_seconds / (before.cost - parts.cost));
    if (parts.least_bytes > before.least_bytes) break;
  }
  all.push_back(std::move(parts));
}

}  // namespace

double gather_cost(const RingParts& parts, const std::vector<RingAxis>& rings) {
  // All members do the same at the same time, so the links of one stand for all: two for each axis.
  struct Sent {
    double left;
    std::size_t lane;
  };
  double members = 1;
  for (const auto& ring : rings) members *= ring.extent;
  const auto seconds = [&](std::size_t link, double bytes) {
    const auto& ring = rings[link / 2];
    return bytes * ring.cost * (ring.goes_one_way() ? 1 : 2);
  };
  std::vector<std::deque<Sent>> links(2 * rings.size());
  std::vector<std::size_t> next(parts.lanes.size()), under_way(parts.lanes.size());  // messages by lane
  const auto begin_round = [&](std::size_t lane) {
    const auto& all = parts.lanes[lane];
    auto& at = next[lane];
    for (const auto first = at; at < all.size() && all[at].round == all[first].round; ++at, ++under_way[lane]) {
      const auto& message = all[at];
      const auto& [axes, begin, end] = parts.parts[message.part];
      const auto link = 2 * axes[message.turn] + (message.way > 0 ? 0 : 1);
      const auto bytes = (end - begin) * static_cast<double>(message.last - message.first) / (2 * members);
      links[link].push_back({seconds(link, bytes), lane});
    }
  };
  for (std::size_t lane = 0; lane < next.size(); ++lane) begin_round(lane);
  for (double now = 0;;) {
    double step = std::numeric_limits<double>::infinity();
    for (const auto& link : links)
      if (!link.empty()) step = std::min(step, link.front().left);
    if (step == std::numeric_limits<double>::infinity()) return now;
    now += step;
    constexpr double rounding = 1e-9;
    std::vector<std::size_t> ended;
    for (auto& link : links) {
      if (link.empty() || (link.front().left -= step * (1 + rounding)) > 0) continue;
      if (--under_way[link.front().lane] == 0) ended.push_back(link.front().lane);
      link.pop_front();
    }
    for (const auto lane : ended) begin_round(lane);
  }
}

std::vector<RingParts> ring_parts(const std::vector<RingAxis>& axes, double message_seconds) {
  if (axes.empty()) return {{{{{}, 0, 1}}, {{}}}};
  const auto longest = std::ranges::max(axes, {}, &RingAxis::reach).reach();
  const auto by_turns = turns(axes);
  std::vector all{parts_of(axes, by_turns, std::vector<double>(axes.size(), 1.0), longest, 1)};
  if (std::ranges::all_of(axes, [&](const RingAxis& axis) { return axis == axes[0]; })) return all;
  constexpr std::size_t most_axes = 4;  // four axes have 24 orders
  std::vector orders(1, by_turns);
  if (axes.size() > 2 && axes.size() <= most_axes) orders.push_back(all_orders(axes.size()));
  for (const int pieces : {1, 2, 4, 8})  // while one waits for its messages, the others keep the links busy
    for (const auto& some : orders)
      add_if_sooner(all, parts_of(axes, some, best_shares(axes, some), 0, pieces), message_seconds);
  return all;
}

MemberGrid::MemberGrid(std::vector<CommRank> extents) : extents_(std::move(extents)) {
  for (const auto extent : extents_) {
    TOROID_ASSERT(extent > 1);
    strides_.push_back(size_);
    size_ *= extent;
    rings_.push_back({extent});
  }
  parts_ = ring_parts(rings_);
}

void MemberGrid::set_rings(std::vector<RingAxis> rings, double message_seconds) {
  TOROID_ASSERT(rings.size() == axes());
  rings_ = std::move(rings);
  parts_ = ring_parts(rings_, message_seconds);
}

MemberGrid MemberGrid::ring(CommRank size) {
  return MemberGrid(size > 1 ? std::vector{size} : std::vector<CommRank>{});
}

MemberGrid::MemberGrid(std::vector<CommRank> extents, std::vector<CommRank> members) : MemberGrid(std::move(extents)) {
  TOROID_ASSERT(members.size() == static_cast<std::size_t>(size_));
  members_ = std::move(members);
  places_.resize(members_.size());
  for (CommRank place = 0; place < size_; ++place) places_[static_cast<std::size_t>(member(place))] = place;
  TOROID_ASSERT_HEAVY(std::ranges::all_of(members_, [&](CommRank m) { return member(this->place(m)) == m; }));
}

std::string MemberGrid::text() const {
  return extents_.empty() ? "1" : fmt::format("{}", fmt::join(extents_, "x"));
}

}  // namespace toroid::workloads
