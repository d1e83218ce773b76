#pragma once
// GEOM, the geometric mapper (Leung et al., PPoPP'14; as Balzuweit et al. 2014, section II, describe it).

#include "mapping/geometric/halving.hpp"

namespace toroid::mapping {

/// Ranks and slots are halved together, along the longest axis of the job. The longest axis of the job goes with the
/// longest side of the box that bounds the slots, the next with the next, and so on; when the machine has fewer
/// dimensions than the job has axes, from the first side again. Of axes or sides that are equally long, the first comes
/// first. Wraps do not matter. There are as many `slots` as the grid has places. Returns the slot of each place, which
/// has the number of a rank.
Assignment geometric_mapping(const JobGrid& grid, const SlotHops& hops, std::vector<Slot> slots);

}  // namespace toroid::mapping
