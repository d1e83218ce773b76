#pragma once
// Which node number stands where.

#include "platforms/description.hpp"

namespace toroid::platforms {

/// The router of the grid for each number that people give a router, by the digits of the numbering and the cabling.
std::vector<RouterId> numbered_routers(const Description& description, const Grid& grid);

}  // namespace toroid::platforms
