#include <optional>

#include "core/random.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// Every injection of ranks into slots equally likely.
class RandomMapper final : public Mapper {
 public:
  explicit RandomMapper(const core::Arguments& arguments) : seed_(arguments[seed_parameter]) {}

  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return !seed_; }
  Mapping map(const MappingProblem& problem) const override {
    auto slots = problem.slots;
    core::Random(seed_.value_or(problem.seed), "mapping/random").shuffle(slots);
    slots.resize(static_cast<std::size_t>(problem.ranks()));
    return Mapping(std::move(slots));
  }

 private:
  std::optional<std::uint64_t> seed_;
};

}  // namespace

core::Entry<MakeMapper> random_mapper() {
  return {"random", "every mapping equally likely", make<RandomMapper>, {seed_parameter}};
}

}  // namespace toroid::mapping
