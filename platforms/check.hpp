#pragma once
// What is wrong with a described machine, and what is odd about it; and which node number stands where.

#include "toroid/platforms/description.hpp"

namespace toroid::platforms {

/// Reports everything that keeps a description from being a machine, except failures that cut it in two: these are
/// found when the machine is built.
void check_machine(const Description& description, const Report& error);

/// Reports a router that there is not; `property` is what the report is about.
void check_router(const Description& description, const char* property, const RouterName& name, const Report& error);

/// Reports a link whose ends there are not. Whether a link joins them takes the machine (Machine::links_named).
void check_failed_link(const Description& description, const LinkName& name, const Report& error);

/// Reports values that are possible but are usually slips: a link much faster than what injects into it, hops of 20 us
/// and more, a dimension a hundred times as long, or as fast, as another.
void check_plausible(const Description& description, const Report& warning);

/// Reports digits and cables that do not fit the dimensions.
void check_numbering(const Description& description, const Report& error);

/// The router of the grid for each number that people give a router, by the digits of the numbering and the cabling.
std::vector<RouterId> numbered_routers(const Description& description, const Grid& grid);

}  // namespace toroid::platforms
