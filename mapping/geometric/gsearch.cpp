// GSEARCH, geometric mapping and local search (Balzuweit, Bunde, Leung, Finley, Lee 2014).

#include "core/error.hpp"
#include "core/text.hpp"
#include "mapping/geometric/geom.hpp"
#include "mapping/geometric/swap_search.hpp"
#include "mapping/mappers.hpp"

namespace toroid::mapping {
namespace {

SwapChoice parse_variant(const core::Spec& spec) {
  const auto text = spec.get("variant", "first");
  if (text == "first") return SwapChoice::first;
  if (text == "best-per-rank") return SwapChoice::best_per_rank;
  if (text == "best") return SwapChoice::best;
  core::fail_input("'{}': variant={}: expected first, best-per-rank or best", spec.text(), text);
}

/// `none`, a number, or `paper`: 0.35 n + 20 for n ranks, from section IV-B.
class Limit {
 public:
  explicit Limit(const core::Spec& spec) : text_(spec.get("limit", "none")) {
    if (text_ == "none" || text_ == "paper") return;
    const auto given = core::parse_number<std::int64_t>(text_);
    if (!given || *given < 0)
      core::fail_input("'{}': limit={}: expected none, paper or a number of swaps", spec.text(), text_);
    swaps_ = *given;
  }

  std::int64_t for_ranks(std::int32_t ranks) const {
    return text_ == "paper" ? (35 * std::int64_t{ranks} + 2000) / 100 : swaps_;
  }

 private:
  std::string text_;
  std::int64_t swaps_ = no_swap_limit;
};

class Gsearch final : public Mapper {
 public:
  explicit Gsearch(const core::Spec& spec)
      : spec_(spec.text()), grid_(grid_parameter(spec)), choice_(parse_variant(spec)), limit_(spec) {}

  bool uses_seed() const override { return false; }
  void check(const MappingProblem& problem) const override {
    if (grid_) checked_grid(*grid_, problem.ranks(), spec_);
  }
  Mapping map(const MappingProblem& problem) const override {
    const SlotHops hops(problem.machine, problem.slots);
    const TrafficGraph graph(problem.traffic.matrix());
    const auto grid = grid_ ? checked_grid(*grid_, problem.ranks(), spec_) : derived_grid(graph);
    auto slot_of = geometric_mapping(grid, hops, compact_slots(hops, static_cast<std::size_t>(problem.ranks())));
    swap_search(graph, hops, slot_of, choice_, limit_.for_ranks(problem.ranks()));
    return nodes_of(slot_of, problem.slots);
  }

 private:
  std::string spec_;
  std::optional<JobGrid> grid_;
  SwapChoice choice_;
  Limit limit_;
};

}  // namespace

std::unique_ptr<Mapper> make_gsearch(const core::Spec& spec) {
  return std::make_unique<Gsearch>(spec);
}

}  // namespace toroid::mapping
