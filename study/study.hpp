#pragma once
// A comparison carried out: its runs, then the verification of the best of them.

#include <vector>

#include "study/comparison.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"

namespace toroid::study {

/// The results of all runs, by their number: what the tasks returned, with "verified_runtime_s" or "verification_error"
/// where a run was verified, and only an "error" where it failed. Tasks that the journal (which may be null) knows are
/// not run again; those that succeed are added to it.
std::vector<core::Json> run_study(const Comparison& comparison, Executor& executor, Journal* journal);

}  // namespace toroid::study
