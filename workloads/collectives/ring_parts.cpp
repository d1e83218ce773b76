#include "workloads/collectives/ring_parts.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

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

/// Seconds of each axis for a byte of the result if all the data goes in that order.
std::vector<double> loads(const std::vector<RingAxis>& axes, const Order& order) {
  std::vector<double> load(axes.size());
  double members = 1, blocks = 1;
  for (const auto& axis : axes) members *= axis.extent;
  for (const auto a : order) {
    load[a] = blocks * (axes[a].extent - 1) / members * axes[a].cost;
    blocks *= axes[a].extent;
  }
  return load;
}

/// The amounts y >= 0 with the largest sum of which no row exceeds 1: columns . y <= 1, where all entries are positive.
/// The simplex algorithm from y = 0, by Bland's rule, which never comes back to where it was.
std::vector<double> largest_amounts(const std::vector<std::vector<double>>& columns) {
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
    if (basis[r] < n) amounts[basis[r]] = std::max(table[r].back(), 0.0);
  return amounts;
}

/// How many blocks of those that a member is to have come along the first axes of an order, by the rounds that takes.
std::vector<std::uint64_t> further(const std::vector<std::uint64_t>& before, const RingAxis& axis, bool in_step) {
  std::vector<std::uint64_t> after(before.size() + static_cast<std::size_t>(axis.reach()));
  for (std::size_t rounds = 0; rounds < before.size(); ++rounds)
    for (CommRank steps = 0; steps < axis.extent; ++steps)
      after[rounds + static_cast<std::size_t>(in_step ? axis.reach() : axis.rounds(steps))] += before[rounds];
  return after;
}

/// The messages of a part. What has come along the axes before in a round goes round the next one from then on.
std::vector<RingMessage> messages_of(const std::vector<RingAxis>& axes, const Order& order, bool in_step) {
  std::vector<std::vector<std::uint64_t>> come{{1}};
  for (const auto a : order) come.push_back(further(come.back(), axes[a], in_step));
  std::vector<RingMessage> messages;
  std::uint64_t halves = 2;
  for (CommRank round = 1; round < static_cast<CommRank>(come.back().size()); ++round)
    for (std::size_t turn = 0; turn < order.size(); ++turn) {
      const auto& axis = axes[order[turn]];
      std::uint64_t sent = 0;
      for (CommRank steps = 1; steps <= std::min(axis.reach(), round); ++steps)
        if (const auto rounds = static_cast<std::size_t>(round - steps); rounds < come[turn].size())
          sent += come[turn][rounds] * (axis.is_opposite(steps) ? 1U : 2U);
      if (sent == 0) continue;
      messages.push_back({round, turn, 1, halves, halves + sent});
      halves += sent;
      if (axis.goes_one_way()) continue;
      messages.push_back({round, turn, -1, halves, halves + sent});
      halves += sent;
    }
  return messages;
}

}  // namespace

namespace {

/// Parts in these orders with the shares that keep the busiest axis busy for the shortest time.
RingParts parts_in(const std::vector<RingAxis>& axes, const std::vector<Order>& orders, bool in_step) {
  std::vector<std::vector<double>> columns;
  for (const auto& order : orders) columns.push_back(loads(axes, order));
  const auto amounts = in_step ? std::vector<double>(orders.size(), 1.0) : largest_amounts(columns);
  const auto sum = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  RingParts all;
  all.in_step = in_step;
  std::vector<double> busy(axes.size());
  double end = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (amounts[i] == 0) continue;
    const auto begin = std::exchange(end, end + amounts[i] / sum);
    all.parts.push_back({orders[i], begin, end, messages_of(axes, orders[i], in_step)});
    for (std::size_t axis = 0; axis < axes.size(); ++axis) busy[axis] += amounts[i] / sum * columns[i][axis];
  }
  all.parts.back().last = 1;
  all.cost = std::ranges::max(busy);
  return all;
}

}  // namespace

RingParts ring_parts(const std::vector<RingAxis>& axes) {
  if (axes.empty()) return {{{{}, 0, 1}}};
  const bool alike = std::ranges::all_of(axes, [&](const RingAxis& axis) { return axis == axes[0]; });
  auto by_turns = parts_in(axes, turns(axes), alike);
  constexpr std::size_t most_axes = 4;  // of which there are 24 orders
  if (alike || axes.size() > most_axes) return by_turns;
  auto of_all = parts_in(axes, all_orders(axes.size()), false);
  constexpr double worth_more_orders = 1.01;
  return by_turns.cost <= of_all.cost * worth_more_orders ? std::move(by_turns) : std::move(of_all);
}

}  // namespace toroid::workloads
