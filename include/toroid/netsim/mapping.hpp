#pragma once
// Which rank runs on which node: Mapping{0, 3} puts rank 0 on node 0 and rank 1 on node 3.

#include "toroid/platforms/machine.hpp"
#include "toroid/workloads/summary.hpp"

namespace toroid::netsim {

/// The node of each rank.
using Mapping = core::IdVector<workloads::Rank, platforms::NodeId>;

/// Throws InputError unless each rank of the trace has a compute node.
void check_mapping(const Mapping& mapping, const workloads::Trace& trace, const platforms::Machine& machine);

/// The matrix of all messages of a program that runs with that mapping, those of collectives as a run sends them: along
/// the grids in which the members stand.
workloads::CommunicationMatrix placed_matrix(const platforms::Machine& machine, const workloads::Trace& trace,
                                             const workloads::CollectiveChoice& collectives, const Mapping& mapping);

}  // namespace toroid::netsim
