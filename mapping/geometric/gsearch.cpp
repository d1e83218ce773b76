// GSEARCH, geometric mapping and local search (Balzuweit, Bunde, Leung, Finley, Lee 2014).

#include "core/error.hpp"
#include "core/text.hpp"
#include "mapping/geometric/geom.hpp"
#include "mapping/geometric/swap_search.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

const core::Parameter<SwapChoice> variant{
    "variant", "which swap is next",
    core::one_of<SwapChoice>(
        {{"first", SwapChoice::first}, {"best-per-rank", SwapChoice::best_per_rank}, {"best", SwapChoice::best}}),
    "first"};

/// The most swaps for so many ranks.
using Limit = std::function<std::int64_t(std::int32_t ranks)>;

const core::Parameter<Limit> limit{
    "limit",
    "most swaps",
    {"none, paper (0.35 for each rank and 20) or a number of swaps",
     [](std::string_view text, const core::Place&) -> std::optional<Limit> {
       if (text == "paper") return [](std::int32_t n) { return (35 * std::int64_t{n} + 2000) / 100; };  // section IV-B
       const auto swaps = text == "none" ? no_swap_limit : core::parse_number<std::int64_t>(text);
       if (!swaps || *swaps < 0) return std::nullopt;
       return [most = *swaps](std::int32_t) { return most; };
     }},
    "none"};

class Gsearch final : public GeometricMapper {
 public:
  explicit Gsearch(const core::Arguments& arguments)
      : GeometricMapper(arguments), choice_(arguments[variant]), limit_(arguments[limit]) {}

  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph graph(problem.traffic.matrix());
    const auto job = grid(problem);
    auto slot_of = job.ranks_on(geometric_mapping(job.extents, hops, compact_slots(hops, problem.ranks())));
    swap_search(graph, hops, slot_of, choice_, limit_(problem.ranks()));
    return mapping_of(slot_of, problem.slots, problem.ranks());
  }

 private:
  SwapChoice choice_;
  Limit limit_;
};

}  // namespace

core::Entry<MakeMapper> gsearch_mapper() {
  return {"gsearch",
          "for stencils: geom, then swaps of two ranks while they shorten routes",
          make<Gsearch>,
          {grid_parameter, variant, limit}};
}

}  // namespace toroid::mapping
