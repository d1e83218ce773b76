// Tabu search, for up to a few hundred slots: for more, annealing finds lower costs in less time.

#include "core/progress.hpp"
#include "mapping/search/searches.hpp"
#include "mapping/search/tabu_search.hpp"

namespace toroid::mapping {
namespace {

/// A search keeps a table of all swaps, so its time and memory grow with the square of the slots.
constexpr std::size_t most_slots = 512;

const core::OptionalParameter<std::shared_ptr<const Mapper>> tabu_base{
    "base", "the mapper to start from", mapper_in_parentheses(), "none"};
const core::Parameter<std::int64_t> tabu_swaps{"iterations", "swaps made",
                                               core::whole<std::int64_t>(1, 1'000'000'000'000), "100000"};

class Tabu final : public SearchMapper {
 public:
  explicit Tabu(const core::Arguments& arguments) : SearchMapper(arguments, arguments[tabu_base].value_or(nullptr)) {}

  void check(const MappingProblem& problem) const override {
    SearchMapper::check(problem);
    if (problem.slots.size() > most_slots)
      core::fail_input("tabu: found {} slots, expected {} at most; anneal and multilevel are for more",
                       problem.slots.size(), most_slots);
  }

 private:
  Assignment search(const QuadraticCost& cost, core::Random& random, Assignment start) const override {
    const auto iterations = value(tabu_swaps);
    core::Progress bar("tabu search", static_cast<std::uint64_t>(iterations));
    SearchBudget budget{iterations};
    budget.stop = [&](double) {
      bar.update(static_cast<std::uint64_t>(iterations - budget.iterations));
      return false;
    };
    if (start.empty()) start = grasp(cost, 50, random);
    return memetic_search(Qap(cost), budget, random, std::move(start));
  }
};

}  // namespace

core::Entry<MakeMapper> tabu_mapper() {
  return {"tabu",
          "least cost by tabu searches that learn from each other, for up to a few hundred ranks",
          make<Tabu>,
          {cost_parameter, tabu_base, tabu_swaps, seed_parameter}};
}

}  // namespace toroid::mapping
