#pragma once
// Which node number stands where.

#include "platforms/description.hpp"

namespace toroid::platforms {

/// The router of each number a router can have: by the digits of the numbering, through the cabling.
std::vector<RouterId> numbered_routers(const Description& description, const Grid& grid);

}  // namespace toroid::platforms
