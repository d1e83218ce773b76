#pragma once
// Which node number stands where.

#include "platforms/description.hpp"

namespace toroid::platforms {

/// Reports digits and cables that do not fit the dimensions.
void check_numbering(const Description& description, const Report& error);

/// The router of the grid for each number that people give a router, by the digits of the numbering and the cabling.
std::vector<RouterId> numbered_routers(const Description& description, const Grid& grid);

}  // namespace toroid::platforms
