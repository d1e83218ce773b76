#pragma once
// The results of a study whose parts are done.

#include <memory>
#include <vector>

#include "study/comparison.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"

namespace toroid::study {

/// An executor that does no run, but looks up what the parts made of it; `journals` are those of the parts in their
/// order. Only the median runs with computation it does itself, as which these are all parts tell together. Its start()
/// throws InputError on a task that none of them has done.
std::unique_ptr<Executor> make_parts_executor(const Comparison& comparison,
                                              std::vector<std::unique_ptr<Journal>> journals);

}  // namespace toroid::study
