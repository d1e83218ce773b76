#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

/// Rank r on the r-th slot: what launchers do unless told otherwise.
class Consecutive final : public Mapper {
 public:
  bool uses_traffic() const override { return false; }
  bool uses_seed() const override { return false; }
  Mapping map(const MappingProblem& problem) const override {
    return Mapping(std::vector(problem.slots.begin(), problem.slots.begin() + problem.ranks()));
  }
};

}  // namespace

core::Entry<MakeMapper> consecutive_mapper() {
  return {"consecutive", "rank r on the r-th node of the job", make<Consecutive>};
}

}  // namespace toroid::mapping
