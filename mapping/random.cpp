#include <optional>

#include "core/random.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// Every injection of ranks into slots equally likely.
class RandomMapper final : public Mapper {
 public:
  explicit RandomMapper(std::optional<std::uint64_t> seed) : seed_(seed) {}

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return !seed_; }
  Mapping map(const MappingProblem& problem) const override {
    auto slots = problem.slots;
    core::Random(seed_.value_or(problem.seed), "mapping/random").shuffle(slots);
    slots.resize(static_cast<std::size_t>(problem.ranks()));
    return slots;
  }

 private:
  std::optional<std::uint64_t> seed_;
};

}  // namespace

std::unique_ptr<Mapper> make_random(const core::Spec& spec) {
  return std::make_unique<RandomMapper>(seed_parameter(spec));
}

}  // namespace toroid::mapping
