#pragma once
// Load taken off the most loaded links.

#include <cstdint>
#include <optional>

#include "core/random.hpp"
#include "mapping/costs/routes.hpp"
#include "mapping/mapper.hpp"
#include "mapping/problem/assignment.hpp"

namespace toroid::mapping {

/// 400,000 times the root of the number of ranks, 0.2 s for 512.
std::uint64_t usual_visits(std::int32_t ranks);

struct ReliefOptions {
  Routing routing = Routing::dimension_order;
  double most_hops = 1.03;  ///< the weighted cost of the result over that of the start, at most
  /// What the search may take: the links, partners and draws that it may look at. Nothing: usual_visits.
  std::optional<std::uint64_t> visits = {};
};

/// Ranks swapped, and moved into empty slots, so that the most loaded link carries less: the most seconds that any link
/// needs for its bytes. That is never more than at the start. Ports of nodes count where a node has several slots: else
/// what a rank sends takes the port of its node wherever that is.
///
/// Random descent on a soft maximum, sum (seconds / M)^P + price * sum seconds / M over all links, where M is the peak
/// and P grows from 4 to 32. Links are drawn by (seconds / M)^P, then a message on the link, of which one rank is
/// brought near to where it is, near to a partner, or anywhere. With most proposals the message would still cross the
/// link, or more hops would cost more than the link counts: these are refused before any other message is looked at.
Assignment relieve(const MappingProblem& problem, const Assignment& start, const ReliefOptions& options,
                   core::Random& random);

/// The peak: the most seconds that a link needs for its bytes, ports of nodes included.
double peak_seconds(const MappingProblem& problem, const Assignment& slot_of, Routing routing);

}  // namespace toroid::mapping
