// GRASP, greedy randomized adaptive search (the papers' mapper; Pascual, Miguel-Alonso, Lozano 2011, after Li,
// Pardalos, Resende 1994): start from a mapping that is greedy with a little chance in it, descend to a local optimum,
// repeat, keep the best.

#include <limits>

#include "mapping/mappers.hpp"
#include "mapping/search/grasp.hpp"
#include "mapping/search/greedy_start.hpp"
#include "mapping/search/local_search.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

class Grasp final : public SearchMapper {
 public:
  explicit Grasp(const core::Spec& spec)
      : SearchMapper(spec), iterations_(spec.get_integer("iterations", 50, 1, 1000000)) {}

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment) const override {
    return grasp(cost, iterations_, random);
  }

  std::int64_t iterations_;
};

}  // namespace

Assignment grasp(const QuadraticCost& cost, std::int64_t iterations, core::Random& random) {
  Assignment best;
  double best_total = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < iterations; ++i) {
    auto assignment = greedy_start(cost, random);
    descend(cost, assignment);
    const double total = cost.total(assignment);
    if (total >= best_total) continue;
    best_total = total;
    best = std::move(assignment);
  }
  return best;
}

std::unique_ptr<Mapper> make_grasp(const core::Spec& spec) {
  return std::make_unique<Grasp>(spec);
}

}  // namespace toroid::mapping
