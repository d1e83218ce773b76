// Simulated annealing, for many ranks.

#include "mapping/mappers.hpp"
#include "mapping/search/annealing.hpp"
#include "mapping/search/local_search.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

class Anneal final : public SearchMapper {
 public:
  explicit Anneal(const core::Spec& spec)
      : SearchMapper(spec, "random"), sweeps_(spec.get_integer("sweeps", 3000, 1, 100'000'000)) {}

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const override {
    auto slot_of = anneal(cost, std::move(start), sweeps_, random);
    descend(cost, slot_of);
    return slot_of;
  }

  std::int64_t sweeps_;
};

}  // namespace

std::unique_ptr<Mapper> make_anneal(const core::Spec& spec) {
  return std::make_unique<Anneal>(spec);
}

}  // namespace toroid::mapping
