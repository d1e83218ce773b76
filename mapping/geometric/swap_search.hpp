#pragma once
// Local search by swaps of two ranks, as GSEARCH does it (Balzuweit et al. 2014, figure 2 and section IV-C).

#include <limits>

#include "mapping/problem/traffic_graph.hpp"

namespace toroid::mapping {

/// Which swap is made next among those that lower the cost.
enum class SwapChoice : std::uint8_t {
  first,          ///< each swap as soon as it is found: ranks i in turn, with the ranks j > i in turn
  best_per_rank,  ///< ranks in turn, the best swap of each with any other
  best            ///< the best swap of all
};

constexpr auto no_swap_limit = std::numeric_limits<std::int64_t>::max();

/// Swaps ranks while that lowers hop_bytes, at most `limit` times. Without a limit the result is a local optimum: no
/// swap lowers it. Of equal swaps it makes that of the lower rank, with the lower rank. Slots without a rank stay
/// empty. Returns the number of swaps.
///
/// The search is the papers', swap by swap, but it leaves out tests that cannot succeed: of two ranks around which
/// nothing has moved since they were last tested, and of ranks that are too far apart. Where distances are the same
/// both ways, both of the latter would be worse off by the triangle inequality.
std::int64_t swap_search(const TrafficGraph& graph, const SlotHops& hops, Assignment& slot_of, SwapChoice choice,
                         std::int64_t limit = no_swap_limit);

}  // namespace toroid::mapping
