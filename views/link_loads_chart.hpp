#pragma once
// What links carried over time, from the `link_loads` that `toroid schedule --windows` tells.

#include "core/json.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

/// A chart of utilisation over time with two lines through the middles of the windows: that of all links together, and
/// that of the busiest link.
LineChart link_loads_chart(const core::Json& link_loads, const std::string& title);

}  // namespace toroid::views
