// MC (Mache, Lo, Windisch 1997) and MC1x1 (Bender et al. 2008; Walker, Bunde, Leung 2010, Section I).

#include "alloc/centres/greedy.hpp"
#include "core/vector_width.hpp"

namespace toroid::alloc {
namespace {

const core::Parameter<bool> greedy{
    "last",
    "the last nodes: the first in their shell, or from there on outwards one at a time what adds the fewest hops",
    core::one_of<bool>({{"greedy", true}, {"first", false}}), "greedy"};

constexpr std::int32_t hopeless = 1 << 30;  ///< above any score of a line

struct AddedShell {
  std::int32_t least;         ///< the lowest score that is still possible, if smaller radii have no more nodes
  std::int32_t most_missing;  ///< nodes beyond this radius, of candidates that score `most` or less so far
};

/// Adds to the scores of a line what the nodes beyond some radius cost, within which there are so many. There are
/// `smaller` radii to come, which cost at least `cramped`.
TOROID_FOR_EACH_VECTOR_WIDTH AddedShell add_missing(std::span<const std::int32_t> counts,
                                                    std::span<std::int32_t> scores, std::int32_t nodes,
                                                    std::int32_t smaller, std::int32_t cramped, std::int32_t most) {
  std::int32_t least = hopeless, most_missing = 0;
  for (std::size_t x = 0; x < scores.size(); ++x) {
    const std::int32_t missing = std::max(nodes - counts[x], 0), score = scores[x] += missing;
    least = std::min(least, score + std::max(smaller * missing, cramped));
    most_missing = std::max(most_missing, score <= most ? missing : 0);
  }
  return {least, most_missing};
}

/// A box at each router with a free node is a candidate: shell 0; around it are shells, one router thick. A candidate
/// offers the nodes in the innermost shells, or (see Greedy) all but the last few of those; its score is the sum of
/// their shells' numbers. The lowest score wins, of several the candidate with the lowest number. Nodes that are in a
/// box beyond the end of a mesh do not exist.
///
/// F(r) are the free nodes up to shell r. The k innermost cost the sum of k - F(r) over all r with F(r) < k: each node
/// that is not within r costs 1 there. So a score takes a few sums over boxes; and as no F(r) is larger than the next,
/// those for some of the r bound it from below. What a greedy choice takes from farther out comes on top.
class Mc : public LocalAllocator {
 public:
  Mc(const Site& site, bool is_greedy)
      : LocalAllocator(site),
        sums_(site.free),
        greedy_(site.free, sums_),
        is_greedy_(is_greedy),
        dimensions_(machine().grid().dimension_count()),
        counts_(static_cast<std::size_t>(machine().grid().dimension(0).extent)),
        scores_(counts_.size()) {}

 private:
  static constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

  struct Candidate {
    std::size_t shape = 0;  ///< the first, second, ... of those of the job
    RouterId router = 0;
    auto operator<=>(const Candidate&) const = default;
  };
  struct Best {
    std::int64_t score = any;
    Candidate candidate;
    std::int32_t radius = 0;   ///< the radius of the shell in which the innermost nodes end
    std::int32_t missing = 0;  ///< how many of them are in that shell
    /// The highest score with which another would be the best instead.
    std::int64_t most_for(const Candidate& other) const { return other < candidate ? score : score - 1; }
  };

  virtual std::vector<Shape> shapes(const Request& request) const = 0;

  std::optional<Allocation> find(const Request& request) override {
    shapes_ = shapes(request);
    measure_boxes(request.nodes);
    Best best;
    search(request.nodes, best, false);
    if (!is_greedy_) return innermost(best, request.nodes);
    // No greedy choice costs less than the innermost nodes: where one costs no more, it is the best.
    const auto beyond = greedy_.beyond(last_of(best), any);
    best.score += beyond;
    if (beyond > 0) search(request.nodes, best, true);
    return with_greedy_last(best);
  }

  Box box_at(const Candidate& candidate, std::int32_t radius) const {
    Box box{machine().grid().coordinates(candidate.router), shapes_[candidate.shape]};
    widen(box, dimensions_, radius);
    return box;
  }

  /// Looks for a better candidate than the best, of those with greedy choices or of those with the innermost nodes.
  void search(std::int32_t nodes, Best& best, bool greedily) {
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape) search(shape, nodes, best, greedily);
  }

  void search(std::size_t shape, std::int32_t nodes, Best& best, bool greedily) {
    const auto& grid = machine().grid();
    // A few from all over the machine first: the better the best so far, the less there is to do.
    const std::int32_t stride = 1 + grid.size() / 16;
    for (std::int32_t router = stride / 2; router < grid.size() && !greedily; router += stride)
      consider({shape, RouterId(router)}, nodes, best, greedily);
    std::int64_t shells = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) shells = std::max<std::int64_t>(shells, grid.dimension(d).extent + 1);
    const bool are_sums_small = shells * nodes < hopeless;
    const auto line = are_sums_small ? static_cast<std::int32_t>(counts_.size()) : 1;
    for (std::int32_t router = 0; router < grid.size(); router += line) {
      if (are_sums_small)
        consider_line({shape, RouterId(router)}, nodes, best, greedily);
      else
        consider({shape, RouterId(router)}, nodes, best, greedily);
    }
  }

  /// All candidates of a line along dimension 0 at once, until none can be the best any more. First what lies beyond
  /// the shell that all but the last few of the best one's nodes are in, then beyond those below it, then above it.
  void consider_line(const Candidate& first, std::int32_t nodes, Best& best, bool greedily) {
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(best.most_for(first), hopeless - 1));
    const std::int32_t middle = std::max(best.radius - 1, 0);
    for (std::size_t x = 0; x < scores_.size(); ++x)
      scores_[x] = free().free_on(first.router + static_cast<std::int32_t>(x)) > 0 ? 0 : hopeless;
    const Box outer = box_at(first, middle);
    bool is_short = false;  // any that may be the best needs nodes beyond
    Box box = outer;
    for (std::int32_t radius = middle; radius >= 0; --radius, widen(box, dimensions_, -1)) {
      const auto [least, most_missing] =
          add_shell(box, nodes, radius, cramped_[first.shape][static_cast<std::size_t>(radius)], most);
      if (least > most) return;
      if (radius == middle) is_short = most_missing > 0;
    }
    box = outer;
    while (is_short) {
      widen(box, dimensions_, 1);
      is_short = add_shell(box, nodes, 0, 0, most).most_missing > 0;
    }
    for (std::size_t x = 0; x < scores_.size(); ++x)
      if (scores_[x] <= most)
        consider({first.shape, first.router + static_cast<std::int32_t>(x)}, nodes, best, greedily);
  }

  /// The radius is that of `box` for the line's first candidate.
  AddedShell add_shell(const Box& box, std::int32_t nodes, std::int32_t smaller, std::int32_t cramped,
                       std::int32_t most) {
    sums_.count_along_line(box, counts_);
    return add_missing(counts_, scores_, nodes, smaller, cramped, most);
  }

  /// For each radius what those nodes cost for which all smaller ones have no room.
  void measure_boxes(std::int32_t nodes) {
    const auto& grid = machine().grid();
    std::int32_t radii = 0;
    for (std::size_t d = 0; d < dimensions_; ++d) radii = std::max(radii, grid.dimension(d).extent);
    cramped_.assign(shapes_.size(), {0});
    for (std::size_t shape = 0; shape < shapes_.size(); ++shape)
      for (std::int32_t radius = 0; radius < radii; ++radius) {
        std::int64_t room = machine().description().nodes_per_router;
        for (std::size_t d = 0; d < dimensions_; ++d)
          room *= std::min(shapes_[shape][d] + 2 * radius, grid.dimension(d).extent);
        const auto cost = cramped_[shape].back() + std::max<std::int64_t>(nodes - room, 0);
        cramped_[shape].push_back(static_cast<std::int32_t>(std::min<std::int64_t>(cost, hopeless)));
      }
  }

  void consider(const Candidate& candidate, std::int32_t nodes, Best& best, bool greedily) {
    if (free().free_on(candidate.router) == 0) return;
    const std::int64_t most = best.most_for(candidate);
    Best here{0, candidate, 0, nodes};
    Box box = box_at(candidate, 0);
    for (; here.score <= most; ++here.radius, widen(box, dimensions_, 1)) {
      const std::int32_t within = sums_.count(box);
      if (within >= nodes) {
        if (greedily) here.score += greedy_.beyond(last_of(here), most - here.score);
        if (here.score <= most) best = here;
        return;
      }
      here.missing = nodes - within;
      here.score += here.missing;
    }
  }

  Greedy::Task last_of(const Best& best) const {
    return {box_at(best.candidate, 0), best.candidate.router, best.radius, best.missing};
  }

  Allocation innermost(const Best& best, std::int32_t nodes) const {
    auto all = free_in_shells(free(), box_at(best.candidate, 0), best.radius);
    all.resize(static_cast<std::size_t>(nodes));
    return all;
  }

  Allocation with_greedy_last(const Best& best) {
    Allocation all;
    if (best.radius > 0) all = free_in_shells(free(), box_at(best.candidate, 0), best.radius - 1);
    const auto& last = greedy_.choose(last_of(best));
    all.insert(all.end(), last.begin(), last.end());
    return all;
  }

  FreeSums sums_;
  Greedy greedy_;
  bool is_greedy_;
  std::size_t dimensions_;
  std::vector<Shape> shapes_;                       ///< the shapes of the job
  std::vector<std::vector<std::int32_t>> cramped_;  ///< cramped nodes by shape and radius, see measure_boxes()
  std::vector<std::int32_t> counts_, scores_;       ///< room for a line
};

class Mc1x1 final : public Mc {
 public:
  Mc1x1(const Site& site, const core::Arguments& arguments) : Mc(site, arguments[greedy]) {}

 private:
  std::vector<Shape> shapes(const Request&) const override {
    Shape one;
    one.fill(1);
    return {one};
  }
};

class McWithShapes final : public Mc {
 public:
  McWithShapes(const Site& site, const core::Arguments& arguments)
      : Mc(site, arguments[greedy]), rotates_(arguments[rotate_parameter]) {}

 private:
  std::vector<Shape> shapes(const Request& request) const override {
    Shape shape = shape_of(request, machine());
    std::vector<Shape> all;
    if (rotates_) all = orientations(shape, machine().grid());
    if (!all.empty()) return all;
    for (std::size_t d = 0; d < machine().grid().dimension_count(); ++d)
      shape[d] = std::min(shape[d], machine().grid().dimension(d).extent);
    return {shape};
  }

  bool rotates_;
};

}  // namespace

core::Entry<MakeAllocator> mc_allocator() {
  return {"mc",
          "shells around a box of the job's shape, those with the most free nodes",
          make<McWithShapes>,
          {greedy, rotate_parameter}};
}

core::Entry<MakeAllocator> mc1x1_allocator() {
  return {"mc1x1", "shells around a node, those with the most free nodes", make<Mc1x1>, {greedy}};
}

}  // namespace toroid::alloc
