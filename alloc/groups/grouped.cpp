#include "alloc/groups/grouped.hpp"

#include <algorithm>

#include "core/error.hpp"

namespace toroid::alloc {

const core::Parameter<MakeLocal> base_parameter{"base", "the allocator that chooses within a group of nodes",
                                                allocator_in_parentheses(), "consecutive"};

GroupedAllocator::GroupedAllocator(const Site& site, const core::Arguments& arguments)
    : LocalAllocator(site), seen_(site.machine()) {
  Site narrowed{seen_};
  narrowed.seed = site.seed;
  base_ = arguments[base_parameter](narrowed);
  if (base_->uses_logged_nodes())
    core::fail_input(
        "the nodes that a job had in its log lie where they lie, in a group or not; expected a 'base' that "
        "chooses nodes, or as-logged alone");
  seen_.take(seen_.all());
}

std::optional<Allocation> GroupedAllocator::find(const Request& request) {
  Allocation all;
  for (const auto& group : groups(request)) {
    const auto left = request.nodes - static_cast<std::int32_t>(all.size());
    if (left <= 0) break;
    const auto nodes = std::min(left, static_cast<std::int32_t>(group.size()));
    const auto chosen = choose_among(group, {.job = request.job, .nodes = nodes});
    if (!chosen) return std::nullopt;
    all.insert(all.end(), chosen->begin(), chosen->end());
  }
  if (static_cast<std::int32_t>(all.size()) < request.nodes) return std::nullopt;
  return all;
}

std::optional<Allocation> GroupedAllocator::choose_among(const Group& group, const Request& request) {
  seen_.give_back(group);
  auto chosen = base_->choose(request);
  seen_.take(group);
  return chosen;
}

}  // namespace toroid::alloc
