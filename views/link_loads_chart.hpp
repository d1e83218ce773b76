#pragma once
// How busy the links were while a schedule ran.

#include "cosim/link_loads.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

/// A chart of utilisation over time with two lines through the middles of the windows: that of all links together, and
/// that of the busiest link.
LineChart link_loads_chart(const cosim::LinkLoadsOverTime& loads, const std::string& title);

}  // namespace toroid::views
