#pragma once
// An easier problem beside a quadratic assignment problem: where to begin if distances are rugged.

#include <optional>

#include "mapping/search/qap.hpp"

namespace toroid::mapping {

/// The problem with the distances of a net instead of its own: the shortest distances that join all locations are its
/// links, and how many of them lie between two locations is their distance (search space smoothing: Gu, Huang 1994).
/// Solutions in which most flows have a link are good in both, and in this one a search that is off by a little sees
/// it.
///
/// Returns none where that promises nothing: distances that are those of a net already, or nearly, or not symmetric;
/// and flows between more than twice as many items as there are links, of which most would have none.
std::optional<Qap> smoothed(const Qap& problem);

}  // namespace toroid::mapping
