#include "mapping/bisection/bisect.hpp"

#include <cmath>
#include <numeric>
#include <queue>

namespace toroid::mapping {
namespace {

using Part = std::size_t;  ///< index of SlotTree::parts
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
        local_(part_of_.size(), no_vertex),
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
  const SlotPart& slots(Part part) const { return tree_.parts()[part]; }
  /// Whether it is a part of this level that is to be cut.
  bool has(Part part) const { return part >= first_ && part < first_ + members_.size() && slots(part).is_cut(); }
  std::vector<Rank>& members(Part part) { return members_[part - first_]; }

  /// Next is the part that exchanges most with those that are cut. Returns the order.
  std::vector<Part> cut_in_connected_order() {
    std::vector<Part> parts, order;
    for (std::size_t i = 0; i < members_.size(); ++i)
      if (!members_[i].empty()) parts.push_back(first_ + i);
    random_.shuffle(parts);
    std::vector<double> exchanged(members_.size(), 0);
    std::priority_queue<std::pair<double, Part>> waiting;
    const auto take = [&](Part part) {
      order.push_back(part);
      exchanged[part - first_] = -1;
      cut(part);
      for (const Rank rank : members(part))
        for (const auto& edge : traffic_.neighbours(rank)) {
          const Part other = part_of_[edge.rank];
          if (!has(other) || exchanged[other - first_] < 0) continue;
          waiting.emplace(exchanged[other - first_] += edge.bytes(), other);
        }
    };
    for (const Part start : parts) {
      if (exchanged[start - first_] >= 0) take(start);
      while (!waiting.empty()) {
        const auto [bytes, part] = waiting.top();
        waiting.pop();
        if (exchanged[part - first_] == bytes) take(part);
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
    const double up = tree_.distance(lower, upper), down = tree_.distance(upper, lower);
    for (std::size_t i = 0; i < ranks.size(); ++i) local_[ranks[i]] = static_cast<PartVertex>(i);
    PartGraph graph;
    for (const Rank rank : ranks) {
      double bias = 0;
      for (const auto& edge : traffic_.neighbours(rank)) {
        if (const PartVertex other = local_[edge.rank]; other != no_vertex) {
          graph.to.push_back(other);
          graph.weight.push_back(edge.bytes() * (up + down) / 2);
          bias += (edge.received - edge.sent) * (up - down) / 2;
        } else {
          const Part there = part_of_[edge.rank];
          bias += edge.sent * (tree_.distance(upper, there) - tree_.distance(lower, there)) +
                  edge.received * (tree_.distance(there, upper) - tree_.distance(there, lower));
        }
      }
      graph.begin.push_back(graph.to.size());
      graph.size.push_back(1);
      graph.bias.push_back(bias);
    }
    for (const Rank rank : ranks) local_[rank] = no_vertex;
    return graph;
  }

  const TrafficGraph& traffic_;
  const SlotTree& tree_;
  std::size_t first_;  ///< the first of the parts of this level
  std::vector<std::vector<Rank>> members_;
  PartOf part_of_;
  core::IdVector<Rank, PartVertex> local_;  ///< index in the part that is looked at; no_vertex of others
  core::Random& random_;
};

/// Bytes times the distance of the parts.
double cost_of(const TrafficGraph& traffic, const SlotTree& tree, const PartOf& part_of) {
  double sum = 0;
  for (const Rank rank : traffic.ranks())
    for (const auto& edge : traffic.neighbours(rank))
      if (edge.sent > 0 && part_of[rank] != part_of[edge.rank])
        sum += edge.sent * tree.distance(part_of[rank], part_of[edge.rank]);
  return sum;
}

/// Whether each part has as many slots as ranks, or more.
bool no_part_is_too_full(const SlotTree& tree, const PartOf& part_of) {
  std::vector<std::int32_t> ranks(tree.parts().size(), 0);
  for (const Part part : part_of) ++ranks[part];
  for (std::size_t part = 0; part < ranks.size(); ++part)
    if (ranks[part] > tree.parts()[part].size()) return false;
  return true;
}

/// In each part that is not cut, ranks by number on its slots.
Assignment assigned(const SlotTree& tree, const PartOf& part_of) {
  std::vector<std::size_t> next;
  for (const auto& part : tree.parts()) next.push_back(part.begin);
  Assignment slot_of;
  for (const Part part : part_of) {
    auto& place = next[part];
    TOROID_ASSERT(place < tree.parts()[part].end);  // no part has more ranks than slots
    slot_of.add(tree.slot(place++));
  }
  TOROID_ASSERT(slot_of.size() == part_of.size());
  return slot_of;
}

}  // namespace

SlotTree::SlotTree(const SlotHops& hops, std::vector<Slot> slots, HopWeights weights, bool opens_rings,
                   core::Random& random)
    : points_(hops, std::move(slots)), weights_(std::move(weights)), preference_(points_.dimensions), order_(points_) {
  count_rings_from_gaps(hops, random);
  using platforms::Wrap;
  for (std::size_t d = 0; d < points_.dimensions; ++d) {
    const auto wrap = hops.dimension(d).wrap;
    ways_.push_back(wrap == Wrap::ring ? Way::one_way : (wrap == Wrap::torus && !opens_rings ? Way::ring : Way::line));
  }
  std::iota(preference_.begin(), preference_.end(), 0U);
  random.shuffle(preference_);
  parts_.push_back({0, points_.slots.size(), {}});
  const auto box = box_of(parts_.front());
  for (std::size_t d = 0; d < points_.dimensions; ++d) whole_.push_back(box.high[d] - box.low[d]);
  parts_.front().middle = middle_of(parts_.front(), box);
  for (std::size_t begin = 0; begin < parts_.size();) {
    levels_.push_back(begin);
    const std::size_t end = parts_.size();
    for (; begin < end; ++begin) cut(begin);
  }
  levels_.push_back(parts_.size());
}

/// A ring with a gap is cut there; one without, anywhere.
void SlotTree::count_rings_from_gaps(const SlotHops& hops, core::Random& random) {
  cut_at_gaps(points_, hops);
  for (std::size_t d = 0; d < points_.dimensions; ++d) {
    const std::int32_t extent = points_.extents[d];
    const auto shift = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(extent)));
    if (hops.dimension(d).wrap == platforms::Wrap::mesh) continue;
    std::vector<bool> used(static_cast<std::size_t>(extent));
    for (std::size_t i = 0; i < points_.slots.size(); ++i)
      used[static_cast<std::size_t>(points_.coordinate(i, d))] = true;
    if (std::ranges::find(used, false) != used.end()) continue;
    for (std::size_t i = 0; i < points_.slots.size(); ++i) {
      auto& c = points_.coordinates[i * points_.dimensions + d];
      c = (c + shift) % extent;
    }
  }
}

SlotTree::Box SlotTree::box_of(const SlotPart& part) const {
  Box box{points_.extents, std::vector<std::int32_t>(points_.dimensions, 0)};
  for (std::size_t i = part.begin; i < part.end; ++i)
    for (std::size_t d = 0; d < points_.dimensions; ++d) {
      const std::int32_t c = points_.coordinate(order_[i], d);
      box.low[d] = std::min(box.low[d], c);
      box.high[d] = std::max(box.high[d], c);
    }
  return box;
}

/// Along a ring that is not cut yet there is no middle: all such parts have the same one.
Middle SlotTree::middle_of(const SlotPart& part, const Box& box) const {
  Middle middle(points_.dimensions, 0);
  for (std::size_t i = part.begin; i < part.end; ++i)
    for (std::size_t d = 0; d < middle.size(); ++d) middle[d] += points_.coordinate(order_[i], d);
  for (std::size_t d = 0; d < middle.size(); ++d) {
    middle[d] /= std::max(1, part.size());
    if (ways_[d] != Way::line && box.high[d] - box.low[d] == whole_[d]) middle[d] = (box.high[d] + box.low[d]) / 2.0;
  }
  return middle;
}

double SlotTree::distance(std::size_t from, std::size_t to) const {
  const auto &a = parts_[from].middle, &b = parts_[to].middle;
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double straight = b[d] - a[d], extent = points_.extents[d];
    double hops = std::abs(straight);
    if (ways_[d] == Way::ring) hops = std::min(hops, extent - hops);
    if (ways_[d] == Way::one_way && straight < 0) hops = extent - hops;
    sum += weights_[d] * hops;
  }
  return sum;
}

/// A ring of 4 that is not cut yet is shorter than a line of 4; slots side by side on a one-way ring are a whole ring
/// apart one way or the other.
std::int32_t SlotTree::most_hops(const Box& box, std::size_t d) const {
  const std::int32_t straight = box.high[d] - box.low[d];
  if (ways_[d] == Way::ring) return std::min(straight, points_.extents[d] / 2);
  if (ways_[d] == Way::one_way && straight > 0) return points_.extents[d] - 1;
  return straight;
}

void SlotTree::cut(std::size_t index) {
  const auto part = parts_[index];
  if (part.size() < 2) return;
  const auto box = box_of(part);
  const auto length = [&](std::size_t d) { return weights_[d] * most_hops(box, d); };
  std::size_t longest = points_.dimensions;
  for (const std::size_t d : preference_)
    if (longest == points_.dimensions || length(d) > length(longest) * (1 + 1e-9)) longest = d;
  if (longest == points_.dimensions || length(longest) == 0) return;
  const std::size_t middle = plane_near_middle(longest, part);
  TOROID_ASSERT(part.begin < middle && middle < part.end);
  order_.split(longest, false, part.begin, middle, part.end);
  parts_[index].lower = parts_.size();
  parts_[index].upper = parts_[index].lower + 1;
  for (const auto& [begin, end] : {std::pair(part.begin, middle), std::pair(middle, part.end)}) {
    SlotPart half{begin, end, {}};
    half.middle = middle_of(half, box_of(half));
    parts_.push_back(std::move(half));
  }
}

/// Between two planes, if the parts are then no more uneven than by a sixth of the whole either way; else in the
/// middle.
std::size_t SlotTree::plane_near_middle(std::size_t d, const SlotPart& part) const {
  const auto size = static_cast<std::int64_t>(part.end - part.begin);
  std::vector<std::int64_t> on_plane(static_cast<std::size_t>(points_.extents[d]), 0);
  for (std::size_t i = part.begin; i < part.end; ++i)
    ++on_plane[static_cast<std::size_t>(points_.coordinate(order_[i], d))];
  std::int64_t below = 0, best = 0;
  for (const std::int64_t plane : on_plane) {
    below += plane;
    if (std::abs(2 * below - size) < std::abs(2 * best - size)) best = below;
  }
  if (std::abs(2 * best - size) > size / 3) best = (size + 1) / 2;
  TOROID_ASSERT(below == size && std::abs(2 * best - size) <= std::max<std::int64_t>(1, size / 3));
  return part.begin + static_cast<std::size_t>(best);
}

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
    TOROID_ASSERT(no_part_is_too_full(tree, part_of));
  }
  return assigned(tree, part_of);
}

}  // namespace toroid::mapping
