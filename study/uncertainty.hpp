#pragma once
// What machines that are drawn say of a comparison: how far its times spread, on how many machines its verdicts hold,
// and what its winners gain there.

#include "core/json.hpp"
#include "study/opinions.hpp"

namespace toroid::study {

/// Adds `uncertainty` to the report's JSON: what was drawn, how far the mean times of each group spread, on how many
/// machines the verdict of each contest holds, and the gains. These are those of the baseline's rivals over the
/// baseline or, without a baseline, those of the one of the lowest mean over all others: the ratio of their mean times
/// on each machine. docs/reference/results.md explains the fields. Does nothing where no machine is drawn.
void add_uncertainty(core::Json& json, const Comparison& comparison, const Report& report,
                     const std::vector<Opinion>& draws);

}  // namespace toroid::study
