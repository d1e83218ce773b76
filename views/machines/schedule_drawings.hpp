#pragma once
// Pictures of a schedule: who holds which node over time; how busy links were.

#include "cosim/link_loads.hpp"
#include "cosim/pictures.hpp"
#include "views/charts/charts.hpp"

namespace toroid::views {

/// A Gantt chart as SVG: time to the right, nodes by number upwards, a box for each job. Jobs beside each other on the
/// machine differ in colour. Nodes that are out are red.
std::string gantt_svg(const platforms::Machine& machine, const std::vector<cosim::GanttJob>& jobs,
                      const std::vector<cosim::Outage>& outages = {});

/// A chart of utilisation over time with two lines through the middles of the windows: that of all links together, and
/// that of the busiest link.
LineChart link_loads_chart(const cosim::LinkLoadsOverTime& loads, const std::string& title);

}  // namespace toroid::views
