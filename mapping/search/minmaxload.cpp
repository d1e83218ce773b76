// Takes load off the most loaded links of another mapping.

#include "mapping/mappers.hpp"
#include "mapping/search/relief.hpp"
#include "mapping/search/search_mapper.hpp"

namespace toroid::mapping {
namespace {

const auto load_base = base_parameter("multilevel:cost=weighted");
const core::Parameter<std::int64_t> more_hops{"more-hops", "percent of hops that the result may have more, at most",
                                              core::whole<std::int64_t>(0, 1'000'000), "3"};
const core::OptionalParameter<std::uint64_t> visits{"visits", "links and partners to look at, in all",
                                                    core::whole<std::uint64_t>(0, 1'000'000'000'000),
                                                    "400,000 times the root of the ranks"};

class MinMaxLoad final : public Mapper {
 public:
  explicit MinMaxLoad(const core::Arguments& arguments)
      : base_(arguments[load_base]),
        routing_(arguments[routing_parameter]),
        most_hops_(1 + static_cast<double>(arguments[more_hops]) / 100),
        visits_(arguments[visits]),
        seed_(arguments[seed_parameter]) {}

  bool uses_seed() const override { return !seed_; }
  std::string file() const override { return base_->file(); }
  void check(const MappingProblem& problem) const override { base_->check(problem); }
  Mapping map(const MappingProblem& problem) const override {
    auto base_problem = problem;
    base_problem.seed = seed_.value_or(problem.seed);
    core::Random random(base_problem.seed, "mapping/minmaxload");
    const auto start = make_mapping(*base_, base_problem);
    const ReliefOptions options{routing_.value_or(usual_routing(problem.machine)), most_hops_, visits_};
    return mapping_of(relieve(problem, assignment_of(start, problem.slots), options, random), problem.slots,
                      problem.ranks());
  }

 private:
  std::shared_ptr<const Mapper> base_;
  std::optional<Routing> routing_;
  double most_hops_;
  std::optional<std::uint64_t> visits_;
  std::optional<std::uint64_t> seed_;
};

}  // namespace

core::Entry<MakeMapper> minmaxload_mapper() {
  return {"minmaxload",
          "another mapping, with less load on its most loaded links",
          make<MinMaxLoad>,
          {load_base, routing_parameter, more_hops, visits, seed_parameter}};
}

}  // namespace toroid::mapping
