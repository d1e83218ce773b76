#include "mapping/meshes/estimate.hpp"

#include <algorithm>

namespace toroid::mapping {

Estimator::Estimator(const MappingProblem& problem, const platforms::Block& block, const jax::Shape& mesh)
    : problem_(problem), block_(block), mesh_(mesh), demands_(demands(*problem.program, mesh)) {}

Estimate Estimator::operator()(const Layout& layout) {
  Estimate estimate;
  for (const auto& [axes, demand] : demands_) {
    if (axes.empty()) continue;
    auto form = std::pair(axes, form_of(layout, axes));
    auto known = known_.find(form);
    if (known == known_.end()) known = known_.emplace(std::move(form), along(layout, axes, demand)).first;
    estimate.seconds += known->second.seconds;
    estimate.by_axes.push_back(known->second);
  }
  return estimate;
}

Mapping Estimator::mapping_of(const Layout& layout) const {
  Mapping mapping;
  for (const auto place : places_of(layout, block_.extents))
    mapping.add(problem_.slots[block_.node_at[static_cast<std::size_t>(place)]]);
  return mapping;
}

/// All groups are of the same form.
AxesEstimate Estimator::along(const Layout& layout, const std::vector<std::size_t>& axes, const Demand& demand) const {
  const auto mapping = mapping_of(layout);
  std::map<std::int32_t, netsim::MemberNodes> groups;
  for (const auto rank : mapping.ids()) {
    std::int32_t stride = 1, first = rank.value();
    for (std::size_t axis = mesh_.size(); axis-- > 0; stride *= mesh_[axis])
      if (std::ranges::find(axes, axis) != axes.end()) first -= rank.value() / stride % mesh_[axis] * stride;
    groups[first].push_back(mapping[rank]);
  }
  std::vector<netsim::MemberNodes> all;
  for (auto& [first, nodes] : groups) all.push_back(std::move(nodes));
  const auto grid = netsim::placed_grid(problem_.machine, all[0]);
  const auto cost = netsim::grid_cost(grid, netsim::rings_of(problem_.machine, all, grid));
  const double seconds = cost.gather * (demand.rings + demand.messages) + cost.exchange * demand.exchanges;
  AxesEstimate estimate{static_cast<float>(seconds), grid.extents()};
  std::ranges::sort(estimate.grid);
  for (const auto axis : axes)
    for (std::size_t p = 0; p < layout.parts.size(); ++p)
      if (layout.to_and_fro[p] && layout.parts[p][axis] > 1) ++estimate.to_and_fro;
  return estimate;
}

void BestLayouts::add(Estimate estimate, const Layout& layout) {
  if (all_.size() == count_ && !(estimate < std::prev(all_.end())->first)) return;
  all_.try_emplace(std::move(estimate), layout);
  if (all_.size() > count_) all_.erase(std::prev(all_.end()));
}

}  // namespace toroid::mapping
