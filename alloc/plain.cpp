// Allocators that look at no distances: the lowest free nodes, any at random, those of the log.

#include "core/random.hpp"
#include "toroid/alloc/allocator.hpp"

namespace toroid::alloc {
namespace {

/// The free nodes with the lowest numbers, whatever lies between them.
class Consecutive final : public LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;

 private:
  std::optional<Allocation> find(const Request& request) override { return free().lowest(request.nodes); }
};

const core::OptionalParameter<std::uint64_t> seed{
    "seed", "seed of its random numbers", core::whole(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()),
    "that of the run"};

/// Every ordered choice of free nodes equally likely.
class RandomAllocator final : public LocalAllocator {
 public:
  RandomAllocator(const Site& site, const core::Arguments& arguments)
      : LocalAllocator(site),
        has_seed_(arguments[seed].has_value()),
        random_(arguments[seed].value_or(site.seed), "alloc/random") {}

  bool uses_seed() const override { return !has_seed_; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    auto nodes = free().all();
    const auto wanted = static_cast<std::size_t>(request.nodes);
    for (std::size_t i = 0; i < wanted; ++i) std::swap(nodes[i], nodes[i + random_.below(nodes.size() - i)]);
    nodes.resize(wanted);
    return nodes;
  }

  bool has_seed_;
  core::Random random_;
};

/// The nodes that a job had in its log, or none while one of them is taken.
class AsLogged final : public LocalAllocator {
 public:
  using LocalAllocator::LocalAllocator;

  bool fits(const Request& request) const override {
    return request.logged.size() == static_cast<std::size_t>(request.nodes);
  }
  bool counting_suffices() const override { return false; }
  bool uses_logged_nodes() const override { return true; }
  std::string_view refusal() const override { return "Nodes that the job had in its log are not free"; }

 private:
  std::optional<Allocation> find(const Request& request) override {
    const auto& nodes = request.logged;
    const bool are_free = std::ranges::all_of(nodes, [&](NodeId node) { return free().is_free(node); });
    if (!fits(request) || !are_free) return std::nullopt;
    return Allocation(nodes.begin(), nodes.end());
  }
};

}  // namespace

core::Entry<MakeAllocator> consecutive_allocator() {
  return {"consecutive", "the free nodes with the lowest numbers", make<Consecutive>};
}

core::Entry<MakeAllocator> random_allocator() {
  return {"random", "every choice of free nodes equally likely", make<RandomAllocator>, {seed}};
}

core::Entry<MakeAllocator> as_logged_allocator() {
  return {"as-logged", "the nodes that the job had in its log, or none", make<AsLogged>};
}

}  // namespace toroid::alloc
