#pragma once
// Where on a curve a job goes: the strategies of bin packing, with each interval of free units as a bin (Leung et al.
// 2002; Walker, Bunde, Leung 2010, Section II).

#include <optional>

#include "alloc/curves/curve.hpp"

namespace toroid::alloc {

/// Finds the unit from which on a job gets as many free units as it needs for its nodes; nothing if no interval is
/// large enough.
using Fit = std::optional<std::size_t> (*)(const Curve& curve, std::int32_t nodes);

/// The first free unit, even if there are busy units between it and the last unit of the job.
std::optional<std::size_t> free_list(const Curve& curve, std::int32_t nodes);
/// The first interval that is large enough.
std::optional<std::size_t> first_fit(const Curve& curve, std::int32_t nodes);
/// The smallest interval that is large enough, the first of several.
std::optional<std::size_t> best_fit(const Curve& curve, std::int32_t nodes);
/// The interval that leaves the least sum, over all lengths, of the squared number of intervals of that length (Csirik
/// et al. 2006), the first of several.
std::optional<std::size_t> sum_of_squares(const Curve& curve, std::int32_t nodes);

/// The start of the window with enough free nodes whose first and last unit are closest to each other, the first of
/// several: for jobs for which no interval is large enough. There must be enough free nodes.
std::size_t least_span(const Curve& curve, std::int32_t nodes);

}  // namespace toroid::alloc
