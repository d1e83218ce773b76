#pragma once
// Pictures of jobs on a machine: who holds which node at a time, and over time.

#include <string>
#include <string_view>
#include <vector>

#include "cosim/pictures.hpp"
#include "platforms/machine.hpp"

namespace toroid::views {

/// The machine at one time, each job a colour: its planes along the first two dimensions, one for each place along the
/// others. On machines whose cables are folded twice: as the routers stand, and as they are joined, where neighbours
/// lie next to each other (Weisser et al. 2006, Figures 2 and 3).
std::string snapshot_svg(const platforms::Machine& machine, const cosim::Snapshot& snapshot);

/// Time to the right, nodes by number upwards, a box for each job; its colour is that of snapshots. Nodes that are out
/// are red, as there.
std::string gantt_svg(const platforms::Machine& machine, const std::vector<cosim::GanttJob>& jobs,
                      const std::vector<cosim::Outage>& outages = {});

}  // namespace toroid::views
