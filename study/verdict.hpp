#pragma once
// What the runs of a comparison say: which mappers differ, and how well proxies such as hop-bytes foretell run times.

#include "core/json.hpp"

namespace toroid::study {

/// Per machine and trace, from the rows of Comparison::rows: a test over all mappers, one for each pair of them, the
/// verdict in words, and the correlations of proxies with the run time. Fields in docs/results.md.
///
/// A mapper that draws lots is a sample of its mappings. One that does not is a constant: it is compared with samples
/// by the sign test and with other constants without a test. `alpha` is the level of significance, 0 to 1. Failed runs
/// are left out.
core::Json statistics_of(const core::Json& rows, double alpha);

/// The correlations in `statistics` by proxy, over all machines and traces.
core::Json correlations_of(const core::Json& statistics);

}  // namespace toroid::study
