#pragma once
// How much there is in a trace: operations, computation, and what ranks hand in to collectives.

#include "workloads/collectives/collectives.hpp"

namespace toroid::workloads {

/// The approximate number of operations of all ranks: the one that the trace knows, or, where the trace is computed in
/// steps, an estimate from a few steps of one rank; 0 where it is not known.
double about_length(const Trace& trace);

/// What a rank computes from its first operation to its last.
struct RankComputation {
  double amount = 0;   ///< the sum of its computations, see Computation
  double in_sums = 0;  ///< the part of the amount that its collectives have
  double slept_s = 0;
  double touched = 0;  ///< bytes of memory
};

/// What each rank computes. Goes through the programs of all ranks: of those that are not in memory only once through
/// what repeats itself.
core::IdVector<Rank, RankComputation> computation_by_rank(const Trace& trace);

/// The keys of a generator that say how much a unit of some work computes, in flops: those of the type core::flops().
/// Every computation of the program is a sum over these keys, of value x work, where the work depends on the other
/// keys, on the rank and on the place in the program.
std::vector<core::AnyParameter> computation_keys(const core::Entry<MakeTrace>& generator);

/// The bytes that a rank hands in to a collective: the message (bcast, at the root alone), the vector (reduce,
/// allreduce, scan), its block (gather, allgather), or the blocks for all members (alltoall, reduce_scatter; scatter,
/// at the root alone).
std::uint64_t handed_in(const CollectiveCall& call);

/// The sums over all ranks and collectives, by OpKind. Throws InputError where one is 2^64 or more, or where a rank is
/// in a collective of a communicator that it is no member of.
std::array<std::uint64_t, op_kind_count> collective_bytes(const Trace& trace);

}  // namespace toroid::workloads
