#pragma once
// Which rank runs on which node.

#include "core/id.hpp"
#include "platforms/machine.hpp"
#include "workloads/operation.hpp"

namespace toroid::netsim {

/// The node of each rank.
using Mapping = core::IdVector<workloads::Rank, platforms::NodeId>;

}  // namespace toroid::netsim
