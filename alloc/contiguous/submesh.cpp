// A job gets a box of its shape, or waits: first fit and best fit (Zhu 1992), frame sliding (Chuang, Tzeng 1994); and a
// box only if there is one (required and preferred shape: Weisser et al. 2006, Section 4).

#include "alloc/contiguous/plan.hpp"

namespace toroid::alloc {
namespace {

const core::Parameter<bool> fit{"fit", "the first free box, or the one with the fewest free nodes around it",
                                core::one_of<bool>({{"first", false}, {"best", true}}), "first"};
const core::Parameter<bool> borders{"borders",
                                    "whether frames step up to the borders of a mesh, where the last step is shorter",
                                    core::yes_or_no(), "no"};
const core::Parameter<MakeLocal> otherwise{"otherwise", "allocator of jobs for which there is no box",
                                           allocator_in_parentheses(), "mc1x1"};

/// A box in which all nodes are free; the job gets as many as it needs, from the first on.
class BoxAllocator : public LocalAllocator {
 public:
  BoxAllocator(const Site& site, bool rotates)
      : LocalAllocator(site), plan_(site.free), all_(site.machine()), at_first_(all_), rotates_(rotates) {}

  bool fits(const Request& request) const override {
    if (!LocalAllocator::fits(request)) return false;
    return std::ranges::any_of(shapes(request), [&](const auto& s) { return at_first_.first_free(s).has_value(); });
  }
  bool counting_suffices() const override { return false; }

 protected:
  Plan& plan() { return plan_; }

 private:
  /// The box for a shape, if there is one that suits.
  virtual std::optional<Box> box_of(const Shape& shape) = 0;
  /// Whether of two boxes of different shapes the second is the better one.
  virtual bool is_better(const Box&, const Box&) { return false; }

  /// The shapes of boxes that a job may get. Jobs that ask for no shape have theirs found once for each size.
  const std::vector<Shape>& shapes(const Request& request) const {
    auto& these = shapes_[request.shape.empty() ? request.nodes : 0];
    if (these.empty() || !request.shape.empty()) {
      const Shape shape = shape_of(request, machine());
      these = rotates_ ? orientations(shape, machine().grid()) : std::vector{shape};
    }
    return these;
  }

  std::optional<Allocation> find(const Request& request) override {
    std::optional<Box> found;
    for (const Shape& shape : shapes(request))
      if (const auto box = box_of(shape); box && (!found || is_better(*found, *box))) found = box;
    if (!found) return std::nullopt;
    return plan_.nodes_in(*found, static_cast<std::size_t>(request.nodes));
  }

  Plan plan_;
  FreeNodes all_;          ///< if nothing is taken
  mutable Plan at_first_;  ///< the plan of these shapes; what it finds is no part of its state
  bool rotates_;
  mutable std::unordered_map<std::int32_t, std::vector<Shape>> shapes_;  ///< shapes by their number of nodes
};

class Submesh final : public BoxAllocator {
 public:
  Submesh(const Site& site, const core::Arguments& arguments)
      : BoxAllocator(site, arguments[rotate_parameter]), takes_tightest_(arguments[fit]) {}

 private:
  std::optional<Box> box_of(const Shape& shape) override {
    return takes_tightest_ ? plan().tightest_free(shape) : plan().first_free(shape);
  }
  bool is_better(const Box& one, const Box& other) override {
    return takes_tightest_ && plan().free_around(other) < plan().free_around(one);
  }

  bool takes_tightest_;
};

/// Frames of the job's shape side by side, one of them at the first free node: only these are looked at.
class FrameSliding final : public BoxAllocator {
 public:
  FrameSliding(const Site& site, const core::Arguments& arguments)
      : BoxAllocator(site, arguments[rotate_parameter]), to_borders_(arguments[borders]) {}

 private:
  std::optional<Box> box_of(const Shape& shape) override {
    RouterId first = 0;
    while (free().free_on(first) == 0) ++first;
    const Plan::Frames frames{machine().grid().coordinates(first), to_borders_};
    return plan().first_free(shape, &frames);
  }

  bool to_borders_;
};

class PreferredShape final : public LocalAllocator {
 public:
  PreferredShape(const Site& site, const core::Arguments& arguments)
      : LocalAllocator(site), preferred_(site, arguments), otherwise_(arguments[otherwise](site)) {}

  bool uses_seed() const override { return otherwise_->uses_seed(); }
  bool uses_logged_nodes() const override { return otherwise_->uses_logged_nodes(); }
  std::string_view refusal() const override { return otherwise_->refusal(); }
  bool fits(const Request& request) const override { return preferred_.fits(request) || otherwise_->fits(request); }
  bool counting_suffices() const override { return otherwise_->counting_suffices(); }

 private:
  std::optional<Allocation> find(const Request& request) override {
    if (auto allocation = preferred_.choose(request)) return allocation;
    return otherwise_->choose(request);
  }

  Submesh preferred_;
  std::unique_ptr<LocalAllocator> otherwise_;
};

}  // namespace

core::Entry<MakeAllocator> submesh_allocator() {
  return {"submesh", "a free box of the job's shape, or none (required shape)", make<Submesh>, {fit, rotate_parameter}};
}

core::Entry<MakeAllocator> frame_sliding_allocator() {
  return {"frame-sliding",
          "as submesh, of boxes side by side from the first free node on",
          make<FrameSliding>,
          {rotate_parameter, borders}};
}

core::Entry<MakeAllocator> preferred_shape_allocator() {
  return {"preferred-shape",
          "a free box of the job's shape, else what another allocator finds",
          make<PreferredShape>,
          {otherwise, fit, rotate_parameter}};
}

}  // namespace toroid::alloc
