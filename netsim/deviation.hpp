#pragma once
// How far the times of an engine are from those of networks of flits, as far as this was measured.

#include <span>

namespace toroid::netsim {

/// What flits took over what the engine says, of programs that share links: the product of what all placements of a
/// program on a machine have in common, and of what each placement has of its own. Both are lists of equally likely
/// values, ascending; empty ones where nobody has measured it. bench/engine_deviation measures them, and
/// docs/validation/engines.md tells how.
struct Deviation {
  std::span<const double> programs = {}, placements = {};
};

extern const Deviation deviation_of_packets;  ///< of the engine packet
extern const Deviation deviation_of_flows;    ///< of engines that share links max-min fairly

/// Of the seconds that a run spends in the network, those that deviate: all where messages lose a fifth of them to
/// sharing or more, in proportion below. A message that is alone takes the same time in flits.
double deviating_seconds(double in_network, double sharing);

}  // namespace toroid::netsim
