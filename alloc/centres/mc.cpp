// MC (Mache, Lo, Windisch 1997) and MC1x1 (Bender et al. 2008; Walker, Bunde, Leung 2010, Section I).

#include <limits>

#include "alloc/allocators.hpp"
#include "alloc/centres/shells.hpp"
#include "alloc/geometry/shapes.hpp"

namespace toroid::alloc {
namespace {

const core::Parameter<bool> greedy{
    "last", "of the last shell: the first that are found, or one at a time the node that adds the fewest hops",
    core::one_of<bool>({{"greedy", true}, {"first", false}}), "greedy"};
const core::Parameter<bool> rotate{"rotate", "whether the job's shape may be turned", core::yes_or_no(), "yes"};

/// A box at each router with a free node is a candidate: shell 0; around it are shells, one router thick. A candidate
/// offers the nodes in the innermost shells; its score is the sum of their shells' numbers. The lowest score wins, of
/// several the candidate with the lowest number. Nodes that are in a box beyond the end of a mesh do not exist.
///
/// With F(r) the free nodes up to shell r, k nodes cost the sum of k - F(r) over all r with F(r) < k: each node that is
/// not within r costs 1 there. So a score takes a few sums over boxes; and as no F(r) is larger than the next, those
/// for some of the r bound it from below.
class Mc : public LocalAllocator {
 public:
  Mc(const Site& site, bool is_greedy)
      : LocalAllocator(site),
        sums_(site.free),
        is_greedy_(is_greedy),
        dimensions_(machine().grid().dimension_count()),
        counts_(static_cast<std::size_t>(machine().grid().dimension(0).extent)),
        scores_(counts_.size()) {}

 private:
  static constexpr std::int32_t hopeless = 1 << 30;  ///< above any score of a line

  struct Best {
    std::int64_t score = std::numeric_limits<std::int64_t>::max();
    RouterId router = 0;
    std::int32_t radius = 0;  ///< of the last shell
    Shape shape{};
  };

  virtual std::vector<Shape> shapes(const Request& request) const = 0;

  std::optional<Allocation> find(const Request& request) override {
    Best best;
    for (const Shape& shape : shapes(request)) {
      Best here = best;
      here.router = RouterId::none();  // of two shapes that are as good, the first
      search(shape, request.nodes, here);
      if (here.router != RouterId::none()) best = here;
    }
    return collect(best, static_cast<std::size_t>(request.nodes));
  }

  Box box_at(RouterId router, const Shape& shape, std::int32_t radius) const {
    Box box{machine().grid().coordinates(router), shape};
    widen(box, dimensions_, radius);
    return box;
  }

  void search(const Shape& shape, std::int32_t nodes, Best& best) {
    const auto& grid = machine().grid();
    // A few from all over the machine first: the better the best so far, the less there is to do.
    const std::int32_t stride = 1 + grid.size() / 16;
    for (std::int32_t router = stride / 2; router < grid.size(); router += stride)
      consider(RouterId(router), shape, nodes, best);
    std::int64_t shells = 1;
    for (std::size_t d = 0; d < dimensions_; ++d) shells = std::max<std::int64_t>(shells, grid.dimension(d).extent + 1);
    const bool are_sums_small = shells * nodes < hopeless;
    const auto line = are_sums_small ? static_cast<std::int32_t>(counts_.size()) : 1;
    for (std::int32_t router = 0; router < grid.size(); router += line) {
      if (are_sums_small)
        consider_line(RouterId(router), shape, nodes, best);
      else
        consider(RouterId(router), shape, nodes, best);
    }
  }

  /// The highest score with which a candidate would still be the best.
  static std::int64_t most_for(RouterId router, const Best& best) {
    return router < best.router ? best.score : best.score - 1;
  }

  /// All candidates of a line along dimension 0 at once, until none can be the best any more. First what lies beyond
  /// the shell that all but the last few of the best one's nodes are in, then beyond those below it, then above it.
  void consider_line(RouterId first, const Shape& shape, std::int32_t nodes, Best& best) {
    const auto most = static_cast<std::int32_t>(std::min<std::int64_t>(most_for(first, best), hopeless - 1));
    const std::int32_t middle = std::max(best.radius - 1, 0);
    for (std::size_t x = 0; x < scores_.size(); ++x)
      scores_[x] = free().free_on(first + static_cast<std::int32_t>(x)) > 0 ? 0 : hopeless;
    const Box outer = box_at(first, shape, middle);
    bool is_short = false;  // any that may be the best needs nodes beyond
    Box box = outer;
    for (std::int32_t radius = middle; radius >= 0; --radius, widen(box, dimensions_, -1)) {
      const auto [least, most_missing] = add_shell(box, nodes, radius, most);
      if (least > most) return;
      if (radius == middle) is_short = most_missing > 0;
    }
    box = outer;
    while (is_short) {
      widen(box, dimensions_, 1);
      is_short = add_shell(box, nodes, 0, most).most_missing > 0;
    }
    for (std::size_t x = 0; x < scores_.size(); ++x)
      if (scores_[x] <= most) consider(first + static_cast<std::int32_t>(x), shape, nodes, best);
  }

  struct AddedShell {
    std::int32_t least;         ///< the lowest score that is still possible, if smaller radii have no more nodes
    std::int32_t most_missing;  ///< nodes beyond this radius, of candidates that score `most` or less so far
  };
  /// Adds to the scores of a line what the nodes beyond some radius cost, which that of `box` is for the line's first
  /// candidate. There are `smaller` radii to come.
  AddedShell add_shell(const Box& box, std::int32_t nodes, std::int32_t smaller, std::int32_t most) {
    sums_.count_along_line(box, counts_);
    AddedShell added{hopeless, 0};
    for (std::size_t x = 0; x < scores_.size(); ++x) {
      const std::int32_t missing = std::max(nodes - counts_[x], 0);
      scores_[x] += missing;
      added.least = std::min(added.least, scores_[x] + smaller * missing);
      added.most_missing = std::max(added.most_missing, scores_[x] <= most ? missing : 0);
    }
    return added;
  }

  void consider(RouterId router, const Shape& shape, std::int32_t nodes, Best& best) {
    if (free().free_on(router) == 0) return;
    const std::int64_t most = most_for(router, best);
    std::int64_t score = 0;
    Box box = box_at(router, shape, 0);
    for (std::int32_t radius = 0; score <= most; ++radius, widen(box, dimensions_, 1)) {
      const std::int32_t within = sums_.count(box);
      if (within >= nodes) {
        best = {score, router, radius, shape};
        return;
      }
      score += nodes - within;
    }
  }

  Allocation collect(const Best& best, std::size_t nodes) const {
    const auto all = free_in_shells(free(), box_at(best.router, best.shape, 0), best.radius);
    Allocation allocation;
    std::vector<NodeId> last;
    for (const auto& [shell, node] : all) (shell < best.radius ? allocation : last).push_back(node);
    if (is_greedy_)
      choose_nearest(machine(), allocation, last, nodes - allocation.size(), best.router);
    else
      allocation.insert(allocation.end(), last.begin(),
                        last.begin() + static_cast<std::ptrdiff_t>(nodes - allocation.size()));
    return allocation;
  }

  FreeSums sums_;
  bool is_greedy_;
  std::size_t dimensions_;
  std::vector<std::int32_t> counts_, scores_;  ///< room for a line
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
      : Mc(site, arguments[greedy]), rotates_(arguments[rotate]) {}

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
          {greedy, rotate}};
}

core::Entry<MakeAllocator> mc1x1_allocator() {
  return {"mc1x1", "shells around a node, those with the most free nodes", make<Mc1x1>, {greedy}};
}

}  // namespace toroid::alloc
