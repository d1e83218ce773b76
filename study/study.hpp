#pragma once
// A comparison carried out: its runs, the verification of the best of them, and the median ones with the computation
// that is left out.

#include <optional>
#include <vector>

#include "study/comparison.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"
#include "study/parts.hpp"
#include "study/tasks.hpp"

namespace toroid::study {

/// Does the runs of a comparison, or those of a part of it, and returns a row for each, in their order. The best run of
/// each mapper is verified. Where computation is left out, the median run of each mapper is done again with it, but not
/// in one part of several: only all parts together know which run that is. Runs that the journal (which may be null)
/// knows are not done again; runs that succeed are added to it.
std::vector<Row> run_study(const Comparison& comparison, Executor& executor, Journal* journal, const Part& part = {});

/// Does the runs as run_study() does, but in the comparison's opinions from number `first` on, below `end`: with other
/// engines, or on machines that are drawn. Returns the rows of each opinion. Verifies none.
std::vector<std::vector<Row>> run_opinions(const Comparison& comparison, Executor& executor, Journal* journal,
                                           std::size_t first, std::size_t end, const Part& part = {});

/// The names that a journal knows the tasks by.
NameTask task_names(const Comparison& comparison);
/// Adds what went wrong in a part to its journal: `rows` are the part's, of the comparison's own runs or of an opinion.
void add_failures(const Comparison& comparison, const std::vector<Row>& rows, const Part& part,
                  std::optional<std::size_t> opinion, Journal& journal);

}  // namespace toroid::study
