#include <algorithm>
#include <set>
#include <stdexcept>

#include "tests/capture/programs/player.hpp"

namespace toroid::test {

using workloads::Operation;
using workloads::OpKind;

namespace {

/// What is not done yet may still look at them.
const std::vector<int>& kept(std::vector<int> numbers) {
  static std::set<std::vector<int>> all;
  return *all.insert(std::move(numbers)).first;
}
const std::vector<int>& ints(std::span<const std::uint64_t> counts) {
  return kept({counts.begin(), counts.end()});
}

}  // namespace

/// Every other one on a communicator in place, where that says the same; all its ranks must call the same.
void Player::collective(const Operation& op) {
  add(op);
  const auto comm = comms_.at(op.comm);
  const auto& members = trace_.communicator(op.comm);
  const bool is_root = op.root == members.rank_of(rank_), in_place = ++collectives_[op.comm] % 2 == 0;
  const int count = static_cast<int>(op.bytes), root = op.root;
  const auto &sends = ints(op.send_counts), &receives = ints(op.recv_counts);
  const auto& offsets = kept(std::vector<int>(static_cast<std::size_t>(members.size()), 0));
  static const std::vector<MPI_Datatype> types(static_cast<std::size_t>(trace_.ranks()), MPI_BYTE);
  void* const in = received_.data();
  void* const out = in_place ? MPI_IN_PLACE : sent_.data();
  void* const out_at_root = is_root ? out : sent_.data();
  const auto type = MPI_BYTE;
  const auto operation = MPI_BOR;
  const auto call = [&](auto blocks, auto does_not, auto... arguments) {
    if (op.request == workloads::no_handle) {
      blocks(arguments..., comm);
      return;
    }
    auto& request = requests_[op.request];
    request = {};
    does_not(arguments..., comm, &request.request);
  };
  switch (op.kind) {
    case OpKind::barrier:
      return call(MPI_Barrier, MPI_Ibarrier);
    case OpKind::bcast:
      return call(MPI_Bcast, MPI_Ibcast, in, count, type, root);
    case OpKind::reduce:
      return call(MPI_Reduce, MPI_Ireduce, out_at_root, in, count, type, operation, root);
    case OpKind::allreduce:
      return call(MPI_Allreduce, MPI_Iallreduce, out, in, count, type, operation);
    case OpKind::scan:
      return call(MPI_Scan, MPI_Iscan, out, in, count, type, operation);
    case OpKind::exscan:
      return call(MPI_Exscan, MPI_Iexscan, out, in, count, type, operation);
    case OpKind::gather:
      return call(MPI_Gather, MPI_Igather, out_at_root, count, type, in, count, type, root);
    case OpKind::scatter:
      return call(MPI_Scatter, MPI_Iscatter, sent_.data(), count, type, is_root && in_place ? MPI_IN_PLACE : in, count,
                  type, root);
    case OpKind::gatherv:
      return call(MPI_Gatherv, MPI_Igatherv, out_at_root, count, type, in, receives.data(), offsets.data(), type, root);
    case OpKind::scatterv:
      return call(MPI_Scatterv, MPI_Iscatterv, sent_.data(), sends.data(), offsets.data(), type, in, count, type, root);
    case OpKind::allgather:
      return call(MPI_Allgather, MPI_Iallgather, out, count, type, in, count, type);
    case OpKind::allgatherv:
      return call(MPI_Allgatherv, MPI_Iallgatherv, sent_.data(), count, type, in, receives.data(), offsets.data(),
                  type);
    case OpKind::alltoall:
      return call(MPI_Alltoall, MPI_Ialltoall, out, count, type, in, count, type);
    case OpKind::alltoallv:
      if (in_place)
        return call(MPI_Alltoallw, MPI_Ialltoallw, sent_.data(), sends.data(), offsets.data(), types.data(), in,
                    receives.data(), offsets.data(), types.data());
      return call(MPI_Alltoallv, MPI_Ialltoallv, sent_.data(), sends.data(), offsets.data(), type, in, receives.data(),
                  offsets.data(), type);
    case OpKind::reduce_scatter:
      if (in_place && std::equal(receives.begin() + 1, receives.end(), receives.begin()))
        return call(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, sent_.data(), in, receives[0], type,
                    operation);
      return call(MPI_Reduce_scatter, MPI_Ireduce_scatter, sent_.data(), in, receives.data(), type, operation);
    default:
      throw std::logic_error("expected a collective");
  }
}

}  // namespace toroid::test
