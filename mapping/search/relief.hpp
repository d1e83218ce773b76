#pragma once
// Load taken off the most loaded links.

#include "core/random.hpp"
#include "mapping/costs/swapped_loads.hpp"
#include "toroid/mapping/mapper.hpp"

namespace toroid::mapping {

/// The usual work: 400,000 visits times the square root of the number of ranks, 0.2 s for 512 ranks.
std::uint64_t usual_visits(std::int32_t ranks);

struct ReliefOptions {
  Routing routing = Routing::dimension_order;
  double most_hops = 1.03;  ///< the weighted cost of the result over that of the start, at most
  /// The work that the search may do: the links, partners and draws that it may look at. If not set: usual_visits.
  std::optional<std::uint64_t> visits = {};
};

/// Swaps ranks, and moves them into empty slots, so that the most loaded link carries less. The load is measured by the
/// seconds that a link needs for its bytes; the largest is never more than at the start. Ports of nodes count where a
/// node has several slots; with one slot, what a rank sends takes the port of its node wherever the rank is.
///
/// The search is a random descent on a soft maximum, sum (seconds / M)^P + price * sum seconds / M over all links,
/// where M is the peak and P grows from 4 to 32. Links are drawn by (seconds / M)^P, then a message on the link, of
/// which one rank is brought near to where it is, near to a partner, or anywhere. With most proposals the message would
/// still cross the link, or more hops would cost more than the link counts: these are refused before any other message
/// is looked at.
Assignment relieve(const MappingProblem& problem, const Assignment& start, const ReliefOptions& options,
                   core::Random& random);

/// The peak: the most seconds that a link needs for its bytes, ports of nodes included.
double peak_seconds(const MappingProblem& problem, const Assignment& slot_of, Routing routing);

}  // namespace toroid::mapping
