#pragma once
// The bar charts of a comparison, from the JSON that `toroid compare --json` writes.

#include "core/json.hpp"
#include "views/bar_chart.hpp"

namespace toroid::views {

/// Mappers: a panel per machine, a group per trace.
BarChart mappers_chart(const core::Json& comparison);

/// Machines: a group per trace, a bar per machine, each with the mapper of the lowest mean there.
BarChart machines_chart(const core::Json& comparison);

/// Whether there is one mapper on several machines: then machines are what is compared.
bool compares_machines(const core::Json& comparison);

}  // namespace toroid::views
