#pragma once
// What can be said of a mapping without simulating it: how far its messages travel, and what each link has to carry.
//
//   mapping::measure(machine, mapping, traffic).hops_per_byte()

#include "toroid/core/json.hpp"
#include "toroid/mapping/mapper.hpp"
#include "toroid/netsim/result.hpp"

namespace toroid::mapping {

/// The metrics, named as in a result (docs/reference/results.md): the messages between different ranks, and what links
/// have to carry. From `network_messages` on they equal those of a run of the trace that the traffic was made of with
/// the same collectives; link loads only with an envelope of 0, which the traffic does not count.
struct MappingMetrics : netsim::SentMessages {
  netsim::LinkLoads loads;  ///< over the whole run
  /// The cost of the mapping by each distance that mappers can minimize.
  std::vector<std::pair<std::string_view, double>> costs;
};

/// Measures a mapping, which must have a node of the machine for each row of the matrix. Takes O(pairs of ranks that
/// communicate * hops + links).
MappingMetrics measure(const Machine& machine, const Mapping& mapping, const CommunicationMatrix& matrix);

/// Measures the messages that a run with that mapping sends: the matrix of the traffic, or, where that depends on the
/// mapping, the traffic's placed_matrix().
MappingMetrics measure(const Machine& machine, const Mapping& mapping, const Traffic& traffic);

core::Json metrics_json(const MappingMetrics& metrics);

}  // namespace toroid::mapping
