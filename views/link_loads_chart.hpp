#pragma once
// What links carried over time, from the `link_loads` that `toroid schedule --windows` tells.

#include "core/json.hpp"
#include "views/line_chart.hpp"

namespace toroid::views {

/// Two lines over time, through the middles of the windows: the utilisation of all links together, and of the busiest.
LineChart link_loads_chart(const core::Json& link_loads, const std::string& title);

}  // namespace toroid::views
