#include "mapping/meshes/estimate.hpp"

#include <algorithm>
#include <set>

namespace toroid::mapping {
namespace {

using workloads::Operation;
using workloads::OpKind;
using workloads::Rank;
using MeshAxes = std::vector<std::size_t>;

class Counting {
 public:
  Counting(const Program& program, const jax::Shape& mesh) : trace_(program.trace), mesh_(mesh) {}

  std::map<MeshAxes, Demand> run() {
    const auto ranks = trace_.ranks();
    const std::set<std::int32_t> some{0, ranks / 3, ranks / 2, 2 * ranks / 3, ranks - 1};
    for (const auto rank : some) count(Rank(rank));
    for (auto& [axes, demand] : all_) {
      const auto share = 1 / static_cast<double>(some.size());
      demand = {demand.rings * share, demand.exchanges * share, demand.messages * share};
    }
    return std::move(all_);
  }

 private:
  void count(Rank rank) {
    const auto stream = trace_.open(rank);
    for (Operation op; stream->next(op);) {
      if (workloads::is_collective(op.kind)) collective(op);
      if (workloads::is_send(op.kind) && op.to >= 0)
        all_[differing({rank, trace_.communicator(op.comm).member(op.to)})].messages += static_cast<double>(op.bytes);
    }
  }

  void collective(const Operation& op) {
    const auto members = static_cast<double>(trace_.communicator(op.comm).size());
    auto& demand = all_[axes_of(op.comm)];
    const auto bytes = static_cast<double>(op.bytes);
    switch (op.kind) {
      case OpKind::allgather:
      case OpKind::reduce_scatter:
        demand.rings += bytes * members;
        return;
      case OpKind::allreduce:
        demand.rings += 2 * bytes;
        return;
      case OpKind::alltoall:
        demand.exchanges += bytes * (members - 1);
        return;
      default:
        demand.rings += bytes;
    }
  }

  const MeshAxes& axes_of(workloads::CommId comm) {
    const auto known = axes_of_comm_.find(comm);
    if (known != axes_of_comm_.end()) return known->second;
    const auto& communicator = trace_.communicator(comm);
    std::vector<Rank> members;
    for (workloads::CommRank i = 0; i < communicator.size(); ++i) members.push_back(communicator.member(i));
    return axes_of_comm_.emplace(comm, differing(members)).first->second;
  }

  /// The axes along which ranks have more than one coordinate.
  MeshAxes differing(const std::vector<Rank>& ranks) const {
    MeshAxes axes;
    std::int32_t stride = 1;
    for (std::size_t axis = mesh_.size(); axis-- > 0; stride *= mesh_[axis]) {
      const auto at = [&](Rank rank) { return rank.value() / stride % mesh_[axis]; };
      for (const auto rank : ranks)
        if (at(rank) != at(ranks[0])) {
          axes.insert(axes.begin(), axis);
          break;
        }
    }
    return axes;
  }

  const workloads::Trace& trace_;
  const jax::Shape& mesh_;
  std::map<MeshAxes, Demand> all_;
  std::map<workloads::CommId, MeshAxes> axes_of_comm_;
};

}  // namespace

std::map<MeshAxes, Demand> demands(const Program& program, const jax::Shape& mesh) {
  return Counting(program, mesh).run();
}

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
