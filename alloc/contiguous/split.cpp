// Several boxes where there is no one box: ANCA (Chang, Mohapatra 1998) halves the job, GABL (Bani-Mohammad et al.
// 2006) takes the largest boxes that there are.

#include "alloc/contiguous/plan.hpp"

namespace toroid::alloc {
namespace {

/// Finds boxes until the job has its nodes. Any free node can be one, so that it always gets them.
class SplitAllocator : public LocalAllocator {
 public:
  explicit SplitAllocator(const Site& site) : LocalAllocator(site), plan_(site.free) {}

 protected:
  /// Takes the first free box of a shape, in the first orientation for which there is one.
  std::optional<Box> take(const Shape& shape, std::size_t wanted, Allocation& allocation) {
    for (const Shape& turned : orientations(shape, machine().grid()))
      if (const auto box = plan_.first_free(turned)) {
        plan_.take(*box, wanted - allocation.size(), allocation);
        return box;
      }
    return std::nullopt;
  }

 private:
  virtual void place(const Shape& shape, std::size_t wanted, Allocation& allocation) = 0;

  std::optional<Allocation> find(const Request& request) override {
    Allocation allocation;
    const auto wanted = static_cast<std::size_t>(request.nodes);
    place(shape_of(request, machine()), wanted, allocation);
    // Where routers have several nodes, free nodes one by one until the job has as many as it wants.
    const auto left = plan_.nodes().lowest(static_cast<std::int32_t>(wanted - allocation.size()));
    allocation.insert(allocation.end(), left.begin(), left.end());
    plan_.undo();
    return allocation;
  }

  Plan plan_;
};

class Anca final : public SplitAllocator {
 public:
  using SplitAllocator::SplitAllocator;

 private:
  /// The shape as it is, or else both halves of it, each in the same way.
  void place(const Shape& shape, std::size_t wanted, Allocation& allocation) override {
    if (allocation.size() == wanted || take(shape, wanted, allocation)) return;
    const auto sides = std::span(shape).first(machine().grid().dimension_count());
    const auto longest = std::ranges::max_element(sides);
    if (*longest == 1) return;
    Shape half = shape;
    auto& side = half[static_cast<std::size_t>(longest - sides.begin())];
    side = (*longest + 1) / 2;
    place(half, wanted, allocation);
    side = *longest / 2;
    place(half, wanted, allocation);
  }
};

class Gabl final : public SplitAllocator {
 public:
  using SplitAllocator::SplitAllocator;

 private:
  void place(const Shape& shape, std::size_t wanted, Allocation& allocation) override {
    std::optional<Box> last = take(shape, wanted, allocation);
    Shape limit = last ? last->length : shape;
    while (allocation.size() < wanted) {
      last = take_largest(limit, wanted, allocation);
      if (!last) return;
      limit = last->length;
    }
  }

  /// The free box with the most routers of those with no side longer than the limit's and no more nodes than wanted.
  std::optional<Box> take_largest(const Shape& limit, std::size_t wanted, Allocation& allocation) {
    const std::size_t dimensions = machine().grid().dimension_count();
    const auto most = static_cast<std::int64_t>(wanted - allocation.size()) / machine().description().nodes_per_router;
    std::vector<Shape> shapes;
    Shape sides{};
    std::fill_n(sides.begin(), dimensions, 1);
    for (bool more = true; more;) {
      if (volume(sides, dimensions) <= most) shapes.push_back(sides);
      more = false;
      for (std::size_t d = 0; d < dimensions && !more; ++d) {
        more = ++sides[d] <= limit[d] && volume(sides, dimensions) <= most;
        if (!more) sides[d] = 1;
      }
    }
    std::ranges::stable_sort(
        shapes, [&](const Shape& a, const Shape& b) { return volume(a, dimensions) > volume(b, dimensions); });
    for (const Shape& shape : shapes)
      if (const auto box = take(shape, wanted, allocation)) return box;
    return std::nullopt;
  }
};

}  // namespace

core::Entry<MakeAllocator> anca_allocator() {
  return {"anca", "a free box of the job's shape, else of its halves, and so on", make<Anca>};
}

core::Entry<MakeAllocator> gabl_allocator() {
  return {"gabl", "a free box of the job's shape, else the largest boxes within it, one after the other", make<Gabl>};
}

}  // namespace toroid::alloc
