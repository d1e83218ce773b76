// Local search from the mapping of another mapper.

#include "mapping/mappers.hpp"
#include "mapping/search/local_search.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

class Refine final : public SearchMapper {
 public:
  explicit Refine(const core::Spec& spec) : SearchMapper(spec, "consecutive") {}

  bool uses_seed() const override { return SearchMapper::uses_seed() && base()->uses_seed(); }

 private:
  Assignment search(const QuadraticCost& cost, core::Random&, Assignment start) const override {
    descend(cost, start);
    return start;
  }
};

}  // namespace

std::unique_ptr<Mapper> make_refine(const core::Spec& spec) {
  return std::make_unique<Refine>(spec);
}

}  // namespace toroid::mapping
