#include "core/random.hpp"

#include <limits>

#include "alloc/allocators.hpp"

namespace toroid::alloc {
namespace {

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

}  // namespace

core::Entry<MakeAllocator> random_allocator() {
  return {"random", "every choice of free nodes equally likely", make<RandomAllocator>, {seed}};
}

}  // namespace toroid::alloc
