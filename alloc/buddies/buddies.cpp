// Buddy systems: the Multiple Buddy Strategy (Lo, Windisch, Liu, Nitzberg 1997) with the hierarchies of Walker, Bunde,
// Leung 2010, Section III, and single buddy, which it comes from.

#include "alloc/buddies/blocks.hpp"

namespace toroid::alloc {
namespace {

const core::Parameter<MakeBlocks> blocks{
    "blocks", "the blocks: as of mbs, layered-mbs, octet-mbs or granular-mbs",
    core::one_of<MakeBlocks>(
        {{"cubes", cube_blocks}, {"layered", square_blocks}, {"octet", octet_blocks}, {"granular", granular_blocks}}),
    "cubes"};

/// A job of any size gets blocks that have as many nodes together: first the largest ones that are not larger than what
/// is left to find. Each is the first of the smallest free blocks that are large enough, or its first part; where there
/// is none, smaller ones are asked for instead.
class MultipleBuddies final : public LocalAllocator {
 public:
  MultipleBuddies(const Site& site, MakeBlocks make_blocks)
      : LocalAllocator(site), blocks_(site.free, make_blocks(site.machine())) {}

 private:
  std::optional<Allocation> find(const Request& request) override {
    const auto& sizes = blocks_.sizes();
    std::int32_t left = request.nodes, wanted = 0;  // wanted: blocks of this size
    std::vector<BlockId> found;
    for (std::size_t rank = sizes.size(); rank-- > 0;) {
      wanted += left / sizes[rank];
      left %= sizes[rank];
      for (; wanted > 0; --wanted) {
        const auto larger = blocks_.smallest(rank);
        if (!larger) break;
        found.push_back(blocks_.first_part(*larger, rank));
        blocks_.set_busy(found.back());
      }
      TOROID_ASSERT(rank > 0 || wanted == 0);  // enough nodes are free, and each is a block
      if (rank > 0) wanted *= sizes[rank] / sizes[rank - 1];
    }
    Allocation allocation;
    allocation.reserve(static_cast<std::size_t>(request.nodes));
    for (const auto block : found) {
      blocks_.set_free(block);  // nothing is taken yet
      blocks_.for_each_node(block, [&](NodeId node) { allocation.push_back(node); });
    }
    return allocation;
  }

  FreeBlocks blocks_;
};

/// A job gets one block, the first of the smallest that are large enough, with all its nodes.
class SingleBuddy final : public LocalAllocator {
 public:
  SingleBuddy(const Site& site, const core::Arguments& arguments)
      : LocalAllocator(site), blocks_(site.free, arguments[blocks](site.machine())) {
    FreeNodes all(site.machine());
    const FreeBlocks at_first(all, arguments[blocks](site.machine()));
    for (std::size_t rank = 0; rank < at_first.sizes().size(); ++rank)
      if (at_first.smallest(rank)) largest_ = at_first.sizes()[rank];
  }

  bool fits(const Request& request) const override { return request.nodes <= largest_; }
  bool counting_suffices() const override { return false; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    const auto& sizes = blocks_.sizes();
    const auto enough = std::ranges::lower_bound(sizes, request.nodes);
    if (enough == sizes.end()) return std::nullopt;
    const auto rank = static_cast<std::size_t>(enough - sizes.begin());
    const auto larger = blocks_.smallest(rank);
    if (!larger) return std::nullopt;
    Allocation allocation;
    blocks_.for_each_node(blocks_.first_part(*larger, rank), [&](NodeId node) { allocation.push_back(node); });
    return allocation;
  }

  FreeBlocks blocks_;
  std::int32_t largest_ = 0;  ///< nodes of the largest block that can be free
};

template <Blocks make_blocks(const Machine&)>
std::unique_ptr<Allocator> make_multiple(const Site& site, const core::Arguments&) {
  return std::make_unique<MultipleBuddies>(site, make_blocks);
}

}  // namespace

core::Entry<MakeAllocator> mbs_allocator() {
  return {"mbs", "squares (cubes) of side 2^k, as many as it takes, halved along all dimensions",
          make_multiple<cube_blocks>};
}

core::Entry<MakeAllocator> layered_mbs_allocator() {
  return {"layered-mbs", "as mbs, squares in planes along the first two dimensions", make_multiple<square_blocks>};
}

core::Entry<MakeAllocator> octet_mbs_allocator() {
  return {"octet-mbs", "as mbs, cubes along the first three dimensions, on a plane single nodes",
          make_multiple<octet_blocks>};
}

core::Entry<MakeAllocator> granular_mbs_allocator() {
  return {"granular-mbs", "as mbs, boxes of 2^k nodes, halved along one dimension after the other",
          make_multiple<granular_blocks>};
}

core::Entry<MakeAllocator> single_buddy_allocator() {
  return {"single-buddy", "one block that is large enough, with all its nodes", make<SingleBuddy>, {blocks}};
}

}  // namespace toroid::alloc
