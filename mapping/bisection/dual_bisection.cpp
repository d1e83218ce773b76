#include "mapping/bisection/dual_bisection.hpp"

#include <algorithm>
#include <queue>

#include "mapping/bisection/bisect.hpp"

namespace toroid::mapping {
namespace {

using Part = std::int32_t;  ///< index of SlotTree::parts
using PartOf = core::IdVector<Rank, Part>;

/// Cuts all parts of a level.
class LevelCut {
 public:
  LevelCut(const TrafficGraph& traffic, const SlotTree& tree, std::size_t level, PartOf part_of, core::Random& random)
      : traffic_(traffic),
        tree_(tree),
        first_(tree.levels()[level]),
        members_(tree.levels()[level + 1] - first_),
        part_of_(std::move(part_of)),
        local_(part_of_.size(), -1),
        random_(random) {
    for (const Rank rank : traffic.ranks())
      if (const Part part = part_of_[rank]; has(part)) members(part).push_back(rank);
  }

  PartOf run() {
    const auto order = cut_in_connected_order();
    for (const Part part : order) cut_again(part);
    return std::move(part_of_);
  }

 private:
  const SlotPart& slots(Part part) const { return tree_.parts()[static_cast<std::size_t>(part)]; }
  /// Whether it is a part of this level that is to be cut.
  bool has(Part part) const {
    return static_cast<std::size_t>(part) >= first_ && static_cast<std::size_t>(part) < first_ + members_.size() &&
           slots(part).is_cut();
  }
  std::vector<Rank>& members(Part part) { return members_[static_cast<std::size_t>(part) - first_]; }
  double distance(Part from, Part to) const {
    return tree_.distance(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
  }

  /// Next is the part that exchanges most with those that are cut. Returns the order.
  std::vector<Part> cut_in_connected_order() {
    std::vector<Part> parts, order;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (!members_[i].empty()) parts.push_back(static_cast<Part>(first_ + i));
    random_.shuffle(parts);
    std::vector<double> exchanged(members_.size(), 0);
    std::priority_queue<std::pair<double, Part>> waiting;
    const auto take = [&](Part part) {
      order.push_back(part);
      exchanged[static_cast<std::size_t>(part) - first_] = -1;
      cut(part);
      for (const Rank rank : members(part))
        for (const auto& edge : traffic_.neighbours(rank)) {
          const Part other = part_of_[edge.rank];
          if (!has(other) || exchanged[static_cast<std::size_t>(other) - first_] < 0) continue;
          waiting.emplace(exchanged[static_cast<std::size_t>(other) - first_] += edge.bytes(), other);
        }
    };
    for (const Part start : parts) {
      if (exchanged[static_cast<std::size_t>(start) - first_] >= 0) take(start);
      while (!waiting.empty()) {
        const auto [bytes, part] = waiting.top();
        waiting.pop();
        if (exchanged[static_cast<std::size_t>(part) - first_] == bytes) take(part);
      }
    }
    return order;
  }

  Bounds bounds_of(Part part) {
    const auto ranks = static_cast<std::int32_t>(members(part).size());
    const auto& halves = slots(part);
    return {std::max(0, ranks - slots(halves.upper).size()), std::min(ranks, slots(halves.lower).size())};
  }

  void cut(Part part) {
    const auto graph = graph_of(part);
    put(part, bisect(graph, bounds_of(part), random_));
  }

  /// Keeps what there was unless there is something better, now that it is known where all others are.
  void cut_again(Part part) {
    Sides before;
    for (const Rank rank : members(part)) before.push_back(part_of_[rank] == slots(part).lower ? 0 : 1);
    for (const Rank rank : members(part)) part_of_[rank] = part;
    const auto graph = graph_of(part);
    auto refined = before, anew = bisect(graph, bounds_of(part), random_);
    refine(graph, bounds_of(part), refined);
    put(part, cost_of(graph, anew) < cost_of(graph, refined) * (1 - 1e-12) ? anew : refined);
  }

  void put(Part part, const Sides& sides) {
    const auto& ranks = members(part);
    for (std::size_t i = 0; i < ranks.size(); ++i)
      part_of_[ranks[i]] = sides[i] == 0 ? slots(part).lower : slots(part).upper;
  }

  /// The graph of what a part's ranks exchange with each other and, as biases, with others. Where distances differ
  /// there and back, so does what an edge costs that is cut one way or the other: the difference is a bias, too.
  PartGraph graph_of(Part part) {
    const auto& ranks = members(part);
    const Part lower = slots(part).lower, upper = slots(part).upper;
    const double up = distance(lower, upper), down = distance(upper, lower);
    for (std::size_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = static_cast<std::int32_t>(i);
    PartGraph graph;
    for (const Rank rank : ranks) {
      double bias = 0;
      for (const auto& edge : traffic_.neighbours(rank)) {
        if (const std::int32_t other = local_[edge.rank]; other >= 0) {
          graph.to.push_back(other);
          graph.weight.push_back(edge.bytes() * (up + down) / 2);
          bias += (edge.received - edge.sent) * (up - down) / 2;
        } else {
          const Part there = part_of_[edge.rank];
          bias += edge.sent * (distance(upper, there) - distance(lower, there)) +
                  edge.received * (distance(there, upper) - distance(there, lower));
        }
      }
      graph.begin.push_back(static_cast<std::int32_t>(graph.to.size()));
      graph.size.push_back(1);
      graph.bias.push_back(bias);
    }
    for (const Rank rank : ranks) local_[rank] = -1;
    return graph;
  }

  const TrafficGraph& traffic_;
  const SlotTree& tree_;
  std::size_t first_;  ///< of the parts of this level
  std::vector<std::vector<Rank>> members_;
  PartOf part_of_;
  core::IdVector<Rank, std::int32_t> local_;  ///< index in the part that is looked at; -1 of others
  core::Random& random_;
};

/// Bytes times the distance of the parts.
double cost_of(const TrafficGraph& traffic, const SlotTree& tree, const PartOf& part_of) {
  double sum = 0;
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank))
      if (edge.sent > 0 && part_of[rank] != part_of[edge.rank])
        sum += edge.sent *
               tree.distance(static_cast<std::size_t>(part_of[rank]), static_cast<std::size_t>(part_of[edge.rank]));
  return sum;
}

/// In each part that is not cut, ranks by number on its slots.
Assignment assigned(const SlotTree& tree, const PartOf& part_of) {
  std::vector<std::size_t> next;
  for (const auto& part : tree.parts()) next.push_back(part.begin);
  Assignment slot_of;
  for (const Part part : part_of) slot_of.add(tree.slot(next[static_cast<std::size_t>(part)]++));
  return slot_of;
}

}  // namespace

Assignment dual_bisection(const TrafficGraph& traffic, const SlotTree& tree, core::Random& random) {
  constexpr std::size_t few_parts = 64;
  PartOf part_of(traffic.rank_count(), 0);
  for (std::size_t level = 0; level + 2 < tree.levels().size(); ++level) {
    auto next = LevelCut(traffic, tree, level, part_of, random).run();
    if (tree.levels()[level + 1] - tree.levels()[level] <= few_parts) {
      auto other = LevelCut(traffic, tree, level, std::move(part_of), random).run();
      if (cost_of(traffic, tree, other) < cost_of(traffic, tree, next)) next = std::move(other);
    }
    part_of = std::move(next);
  }
  return assigned(tree, part_of);
}

}  // namespace toroid::mapping
