#pragma once
// What is wrong with a described machine, and what is odd about it.

#include "platforms/description.hpp"

namespace toroid::platforms {

/// Reports everything that keeps a description from being a machine, except failures that cut it in two: these are
/// found when the machine is built.
void check_machine(const Description& description, const Report& error);

/// Reports a router that there is not; `property` is what the report is about.
void check_router(const Description& description, const char* property, const RouterName& name, const Report& error);

/// Reports values that are possible but are usually slips: a link much faster than what injects into it, latencies of
/// milliseconds, a dimension of one router that has links.
void check_plausible(const Description& description, const Report& warning);

}  // namespace toroid::platforms
