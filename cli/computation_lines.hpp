#pragma once
// What a summary says of the computation of a run: how long it takes, or what is left out, and what that hides.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.hpp"
#include "netsim/computation_use.hpp"

namespace toroid::cli {

/// How --compute says that use: `none`, `trace`, `mean`, `x0.5`.
std::string compute_in_words(const netsim::ComputationUse& use);

// From the field `computation` of a result.

/// Whether ranks compute at all.
bool computes(const core::Json& computation);
/// What the time of the run is: `run time`, or `communication time` where computation is left out.
std::string_view time_in_words(const core::Json& computation);
/// `on cores of 2Gf`, or `as measured`.
std::string cores_in_words(const core::Json& computation);
/// Says who computes how long: `5 ms by the busiest rank, 8 ms by all ranks together, on cores of 2Gf`.
std::string amount_in_words(const core::Json& computation);
/// What --compute mean has averaged, how much that varied, and what the means hide: labels and what is said. Nothing
/// with another --compute, or where no rank computes.
std::vector<std::pair<std::string, std::string>> mean_in_words(const core::Json& computation);
/// The lines of a summary; none where no rank computes.
std::string computation_lines(const core::Json& computation);

/// The line on how fast a model is trained, of a result's `training`; empty of other programs.
std::string training_line(const core::Json& training);

}  // namespace toroid::cli
