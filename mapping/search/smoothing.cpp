#include "mapping/search/smoothing.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace toroid::mapping {
namespace {

/// The correlation of the distances with those of the net above which the former are as smooth.
constexpr double alike = 0.7;

using Net = std::vector<std::vector<std::size_t>>;  ///< neighbours

/// The longest of the distances that are needed to join all locations: the longest edge of a shortest spanning tree
/// (Prim's algorithm).
double joining_distance(const Qap& problem) {
  const std::size_t n = problem.size();
  std::vector<double> to_tree(n, std::numeric_limits<double>::infinity());
  std::vector<char> joined(n, false);
  double longest = -std::numeric_limits<double>::infinity();
  std::size_t last = 0;
  for (std::size_t count = 1; count < n; ++count) {
    joined[last] = true;
    const auto row = problem.distance(Slot(last));
    std::size_t next = n;
    for (std::size_t i = 0; i < n; ++i) {
      if (joined[i]) continue;
      to_tree[i] = std::min(to_tree[i], row[i]);
      if (next == n || to_tree[i] < to_tree[next]) next = i;
    }
    longest = std::max(longest, to_tree[next]);
    last = next;
  }
  return longest;
}

Net net_of(const Qap& problem) {
  const double longest = joining_distance(problem);
  Net net(problem.size());
  for (std::size_t i = 0; i < net.size(); ++i)
    for (std::size_t j = 0; j < net.size(); ++j)
      if (i != j && problem.distance(Slot(i))[j] <= longest) net[i].push_back(j);
  return net;
}

/// Links between each two locations.
Qap::Matrix links_between(const Net& net) {
  const std::size_t n = net.size();
  Qap::Matrix links(n * n, 0);
  for (std::size_t start = 0; start < n; ++start) {
    auto* row = &links[start * n];
    std::vector<char> found(n, false);
    std::vector<std::size_t> order{start};
    found[start] = true;
    for (std::size_t i = 0; i < order.size(); ++i)
      for (const auto next : net[order[i]])
        if (!std::exchange(found[next], true)) {
          row[next] = row[order[i]] + 1;
          order.push_back(next);
        }
  }
  return links;
}

/// Pearson's, over all pairs of locations; 1 where one of both is the same for all.
double correlation(const Qap& problem, const Qap::Matrix& links) {
  const std::size_t n = problem.size();
  double count = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const double a = problem.distance(Slot(i))[j], b = links[i * n + j];
      std::tie(count, x, y, xx, yy, xy) = std::tuple(count + 1, x + a, y + b, xx + a * a, yy + b * b, xy + a * b);
    }
  const double variances = (xx - x * x / count) * (yy - y * y / count);
  return variances > 0 ? (xy - x * y / count) / std::sqrt(variances) : 1;
}

}  // namespace

std::optional<Qap> smoothed(const Qap& problem) {
  const std::size_t n = problem.size();
  if (n < 3 || !problem.symmetric()) return std::nullopt;
  const auto net = net_of(problem);
  std::size_t links = 0, flows = 0;
  Qap::Matrix flow;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = problem.flow(Rank(i));
    links += net[i].size();
    flows += n - static_cast<std::size_t>(std::count(row.begin(), row.end(), 0.0));
    flow.insert(flow.end(), row.begin(), row.end());
  }
  if (flows > 2 * links) return std::nullopt;
  auto distance = links_between(net);
  if (correlation(problem, distance) > alike) return std::nullopt;
  return Qap(n, std::move(flow), std::move(distance));
}

}  // namespace toroid::mapping
