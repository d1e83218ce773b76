#pragma once
// What can be said of a mapping without simulating it: how far its messages travel, and what each link has to carry.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "mapping/mapper.hpp"
#include "netsim/result.hpp"

namespace toroid::mapping {

/// The metrics, named as in a result (docs/reference/results.md). From `network_messages` on they equal those of a run
/// of the trace that the matrix was made of with the same collectives, by netsim::placed_matrix() where these go along
/// the grid of their members; link loads only with an envelope of 0, which the matrix does not count.
struct MappingMetrics {
  std::uint64_t messages = 0, bytes = 0;                  ///< between different ranks
  std::uint64_t network_messages = 0, network_bytes = 0;  ///< between different nodes
  std::uint64_t hop_bytes = 0;
  double hops_per_byte = 0;  ///< mean over the bytes between nodes
  double dilation_mean = 0;  ///< mean over the messages between nodes
  std::int32_t dilation_max = 0;
  netsim::LinkLoads loads;  ///< over the whole run
  /// The cost of the mapping by each distance that mappers can minimize.
  std::vector<std::pair<std::string_view, double>> costs;
};

/// Measures a mapping, which must have a node of the machine for each row of the matrix. Takes O(pairs of ranks that
/// communicate * hops + links).
MappingMetrics measure(const Machine& machine, const Mapping& mapping, const CommunicationMatrix& matrix);

}  // namespace toroid::mapping
