#pragma once
// A comparison carried out: its runs, then the verification of the best of them.

#include <vector>

#include "study/comparison.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"

namespace toroid::study {

/// A row for each run, in their order, verified if it is the best of its mapper. What the journal (which may be null)
/// knows is not run again; what succeeds is added to it.
std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal);

/// The same runs by the engine of an opinion of the comparison, by its number; none is verified.
std::vector<Row> run_opinion(const Comparison& comparison, Executor& executor, Journal* journal, std::size_t opinion);

}  // namespace toroid::study
