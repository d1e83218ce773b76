#include "mapping/meshes/demand.hpp"

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

}  // namespace toroid::mapping
