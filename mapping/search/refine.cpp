// Local search from the mapping of another mapper.

#include "mapping/mappers.hpp"
#include "mapping/search/local_search.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

const auto refine_base = base_parameter("consecutive");

class Refine final : public SearchMapper {
 public:
  explicit Refine(const core::Arguments& arguments) : SearchMapper(arguments, arguments[refine_base]) {}

  bool uses_seed() const override { return SearchMapper::uses_seed() && start_mapper()->uses_seed(); }

 private:
  Assignment search(const QuadraticCost& cost, core::Random&, Assignment start) const override {
    descend(cost, start);
    return start;
  }
};

}  // namespace

core::Entry<MakeMapper> refine_mapper() {
  return {"refine",
          "another mapping, made better by swaps of two ranks",
          make<Refine>,
          {cost_parameter, refine_base, seed_parameter}};
}

}  // namespace toroid::mapping
