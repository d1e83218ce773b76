#pragma once
// GEOM, the geometric mapper (Leung et al., PPoPP'14; as Balzuweit et al. 2014, section II, describe it).

#include "mapping/geometric/halving.hpp"

namespace toroid::mapping {

/// Ranks and slots are halved together, along the longest axis of the job. The longest axis of the job goes with the
/// longest side of the box that bounds the slots, the next with the next, and so on; when the machine has fewer
/// dimensions than the job axes, from the start again. Of axes or sides that are as long, the first comes first.
/// Wraps do not matter. `slots` are as many as the grid has places. Returns the slot of each place, as of a rank.
Assignment geometric_mapping(const JobGrid& grid, const SlotHops& hops, std::vector<Slot> slots);

}  // namespace toroid::mapping
