// Simulated annealing, for many ranks.

#include "mapping/mappers.hpp"
#include "mapping/search/annealing.hpp"
#include "mapping/search/local_search.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

const auto anneal_base = base_parameter("multilevel:sweeps=0");
const core::Parameter<std::int64_t> anneal_sweeps{"sweeps", "proposed swaps of each rank",
                                                  core::whole<std::int64_t>(1, 100'000'000), "3000"};

class Anneal final : public SearchMapper {
 public:
  explicit Anneal(const core::Arguments& arguments)
      : SearchMapper(arguments, arguments[anneal_base]), sweeps_(arguments[anneal_sweeps]) {}

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const override {
    auto slot_of = anneal(cost, std::move(start), sweeps_, random);
    descend(cost, slot_of);
    return slot_of;
  }

  std::int64_t sweeps_;
};

}  // namespace

core::Entry<MakeMapper> anneal_mapper() {
  return {"anneal",
          "least cost by simulated annealing, for many ranks",
          make<Anneal>,
          {cost_parameter, anneal_base, anneal_sweeps, seed_parameter}};
}

}  // namespace toroid::mapping
