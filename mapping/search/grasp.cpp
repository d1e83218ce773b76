// GRASP, greedy randomized adaptive search (the papers' mapper; Pascual, Miguel-Alonso, Lozano 2011, after Li,
// Pardalos, Resende 1994): start from a mapping that is greedy with a little chance in it, descend to a local optimum,
// repeat, keep the best.

#include "core/interrupt.hpp"
#include "core/progress.hpp"
#include "mapping/search/greedy_start.hpp"
#include "mapping/search/searches.hpp"

namespace toroid::mapping {
namespace {

const core::Parameter<std::int64_t> grasp_starts{"iterations", "starts, of which the best counts",
                                                 core::whole<std::int64_t>(1, 1'000'000), "50"};

class Grasp final : public SearchMapper {
 public:
  explicit Grasp(const core::Arguments& arguments) : SearchMapper(arguments) {}

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment) const override {
    return grasp(cost, value(grasp_starts), random);
  }
};

}  // namespace

Assignment grasp(const QuadraticCost& cost, std::int64_t starts, core::Random& random) {
  Assignment best;
  double best_total = std::numeric_limits<double>::infinity();
  core::Progress bar("greedy starts", static_cast<std::uint64_t>(starts));
  for (std::int64_t i = 0; i < starts && !(core::is_interrupted() && i > 0); ++i) {
    bar.update(static_cast<std::uint64_t>(i));
    auto assignment = greedy_start(cost, random);
    descend(cost, assignment);
    const double total = cost.total(assignment);
    if (total >= best_total) continue;
    best_total = total;
    best = std::move(assignment);
  }
  return best;
}

core::Entry<MakeMapper> grasp_mapper() {
  return {"grasp",
          "least cost by greedy random starts and local search",
          make<Grasp>,
          {cost_parameter, grasp_starts, seed_parameter}};
}

}  // namespace toroid::mapping
