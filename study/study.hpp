#pragma once
// A comparison carried out: its runs, then the verification of the best of them.

#include <vector>

#include "study/comparison.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"

namespace toroid::study {

/// Does the runs of a comparison and returns a row for each, in their order; the best run of each mapper is verified.
/// Runs that the journal (which may be null) knows are not done again; runs that succeed are added to it.
std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal);

/// Does the runs as run_study() does, but with the engine of the comparison's opinion of that number, and verifies
/// none.
std::vector<Row> run_opinion(const Comparison& comparison, Executor& executor, Journal* journal, std::size_t opinion);

}  // namespace toroid::study
