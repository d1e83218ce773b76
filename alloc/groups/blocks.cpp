// Boxes of routers, such as the cabinets and cages of BigBen, used up one after the other (Weisser, Nystrom, Vizino,
// Brown, Urbanic: Optimizing Job Placement on the Cray XT3, 2006, Section 4.2).

#include <numeric>
#include <queue>
#include <set>

#include "alloc/groups/grouped.hpp"

namespace toroid::alloc {
namespace {

using Places = std::vector<BlockList::Place>;
using Extents = std::vector<std::int32_t>;

enum class Rule : std::uint8_t { all, lists, clusters };

const core::OptionalParameter<Extents> box{"box", "routers of a block, such as 1x4x8; divides the machine",
                                           core::extents(platforms::max_dimensions, platforms::most_routers),
                                           "the whole machine"};
const core::Parameter<BlockOrder> block_order{
    "order", "of the blocks: line by line along the first dimension, or back and forth",
    core::one_of<BlockOrder>({{"row", BlockOrder::row}, {"snake", BlockOrder::snake}}), "snake"};
const core::Parameter<Rule> rule{
    "rule",
    "all: blocks in their order; lists, clusters: of the eligible blocks that follow each other, or are joined by "
    "links, the smallest set with room for the job, or all in their order if there is none",
    core::one_of<Rule>({{"all", Rule::all}, {"lists", Rule::lists}, {"clusters", Rule::clusters}}), "all"};
const core::Parameter<std::int32_t> threshold{"threshold", "free nodes that make a block eligible",
                                              core::whole(1, std::numeric_limits<std::int32_t>::max()), "1"};

Extents box_of(const platforms::Grid& grid, const core::Arguments& arguments) {
  Extents whole;
  for (std::size_t d = 0; d < grid.dimension_count(); ++d) whole.push_back(grid.dimension(d).extent);
  const auto extents = arguments[box].value_or(whole);
  bool divides = extents.size() == whole.size();
  for (std::size_t d = 0; divides && d < whole.size(); ++d) divides = whole[d] % extents[d] == 0;
  if (!divides)
    core::fail_input("'{}': box={}: expected extents that divide the machine's, {}", arguments.spec().text(),
                     fmt::join(extents, "x"), fmt::join(whole, "x"));
  return extents;
}

class BlockAllocator final : public GroupedAllocator {
 public:
  BlockAllocator(const Site& site, const core::Arguments& arguments)
      : GroupedAllocator(site, arguments),
        rule_(arguments[rule]),
        threshold_(arguments[threshold]),
        blocks_(site.free, box_of(machine().grid(), arguments), arguments[block_order]) {}

 private:
  std::vector<Group> groups(const Request& request) override {
    std::vector<Group> groups;
    for (const auto block : chosen(request.nodes)) {
      if (blocks_.free(block) == 0) continue;
      auto& group = groups.emplace_back();
      for (const NodeId node : blocks_.nodes(block))
        if (free().is_free(node)) group.push_back(node);
    }
    return groups;
  }

  Places chosen(std::int32_t nodes) const {
    Places best(blocks_.size());
    std::iota(best.begin(), best.end(), BlockList::Place{0});
    if (rule_ == Rule::all) return best;
    std::int32_t least = std::numeric_limits<std::int32_t>::max();
    for (const auto& set : rule_ == Rule::lists ? lists() : clusters()) {
      const auto room = std::accumulate(set.begin(), set.end(), 0,
                                        [&](std::int32_t sum, auto block) { return sum + blocks_.free(block); });
      if (room < nodes || room >= least) continue;
      least = room;
      best = set;
    }
    return best;
  }

  bool is_eligible(BlockList::Place block) const { return blocks_.free(block) >= threshold_; }

  /// Eligible blocks that follow each other, as many as do.
  std::vector<Places> lists() const {
    std::vector<Places> all;
    for (BlockList::Place block = 0; block < blocks_.size(); ++block) {
      if (!is_eligible(block)) continue;
      if (block == 0 || !is_eligible(block - 1)) all.emplace_back();
      all.back().push_back(block);
    }
    return all;
  }

  /// Eligible blocks that hang together.
  std::vector<Places> clusters() const {
    std::vector<Places> all;
    std::set<BlockList::Place> left;
    for (BlockList::Place block = 0; block < blocks_.size(); ++block)
      if (is_eligible(block)) left.insert(left.end(), block);
    while (!left.empty()) all.push_back(cluster(left));
    return all;
  }

  /// The cluster of the first that is left: from that one on, always the block with the most cables to those before.
  Places cluster(std::set<BlockList::Place>& left) const {
    using Candidate = std::pair<std::int32_t, BlockList::Place>;  // cables, block
    const auto comes_later = [](const Candidate& a, const Candidate& b) {
      return a.first != b.first ? a.first < b.first : a.second > b.second;
    };
    std::priority_queue<Candidate, std::vector<Candidate>, decltype(comes_later)> candidates(comes_later);
    std::map<BlockList::Place, std::int32_t> cables;  // to those in the cluster
    candidates.push({0, *left.begin()});
    Places members;
    while (!candidates.empty()) {
      const auto block = candidates.top().second;
      candidates.pop();
      if (left.erase(block) == 0) continue;  // it was a candidate with fewer cables before
      members.push_back(block);
      for (const auto& [next, number] : blocks_.cables(block))
        if (left.count(next) != 0) candidates.push({cables[next] += number, next});
    }
    return members;
  }

  Rule rule_;
  std::int32_t threshold_;
  BlockList blocks_;
};

}  // namespace

core::Entry<MakeAllocator> blocks_allocator() {
  return {"blocks",
          "cabinets, cages or other boxes one after the other (BigBen)",
          make<BlockAllocator>,
          {box, block_order, rule, threshold, base_parameter}};
}

}  // namespace toroid::alloc
