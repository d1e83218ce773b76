#pragma once
// Which keys of a generator say how much its program computes.

#include <vector>

#include "workloads/trace.hpp"

namespace toroid::workloads {

/// The keys of a generator that say how much a unit of some work computes, in flops: those of the type core::flops().
/// Every computation of the program is a sum over these keys, of value x work, where the work depends on the other
/// keys, on the rank and on the place in the program.
std::vector<core::AnyParameter> computation_keys(const core::Entry<MakeTrace>& generator);

}  // namespace toroid::workloads
