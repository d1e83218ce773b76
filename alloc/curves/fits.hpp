#pragma once
// Where on a curve a job goes: the strategies of bin packing, with each interval of free units as a bin (Leung et al.
// 2002; Walker, Bunde, Leung 2010, Section II).

#include <optional>

#include "alloc/curves/curve.hpp"

namespace toroid::alloc {

/// The unit from which on a job gets as many free units as it takes for its nodes; nothing where no interval is large
/// enough.
using Fit = std::optional<std::size_t> (*)(const Curve& curve, std::int32_t nodes);

/// From the first free unit on, whatever is busy in between.
std::optional<std::size_t> free_list(const Curve& curve, std::int32_t nodes);
/// The first interval that is large enough.
std::optional<std::size_t> first_fit(const Curve& curve, std::int32_t nodes);
/// The smallest interval that is large enough, the first of several.
std::optional<std::size_t> best_fit(const Curve& curve, std::int32_t nodes);
/// The interval that leaves the least sum, over all lengths, of the squared number of intervals of that length (Csirik
/// et al. 2006), the first of several.
std::optional<std::size_t> sum_of_squares(const Curve& curve, std::int32_t nodes);

/// Where no interval is large enough: the window with so many free nodes whose first and last unit are the least apart,
/// the first of several. There must be enough free nodes.
std::size_t least_span(const Curve& curve, std::int32_t nodes);

}  // namespace toroid::alloc
