#pragma once
// A study in parts, each done by a process that knows nothing of the others, such as the jobs of an array: what each
// has done stands in a journal of its own.

#include "study/tasks/journal.hpp"
#include "toroid/study/tasks/executor.hpp"

namespace toroid::study {

class Comparison;
class Executor;
class Journal;

/// One of `of` parts, which are numbered from 1. Runs that follow each other stay together, so that few mappers have
/// their runs in two parts: each part verifies the best runs that it has.
struct Part {
  std::size_t number = 1, of = 1;

  /// Reads `3/8`. Throws InputError.
  static Part parse(std::string_view text);
  std::string text() const;
  /// Its runs, of so many: from the first number on, below the second. Parts differ by one run at most.
  std::pair<std::size_t, std::size_t> range(std::size_t runs) const;
};

/// What the journal of a part says besides its runs: which part it is, and the arguments of the whole study.
core::Json part_record(const Part& part, const core::Json& arguments);

/// Throws InputError where the file at `path` is another part than `part`, over which a job of an array would write if
/// its number were mistaken.
void check_part_file(const Part& part, const std::string& path);

/// The files of all parts of a study, in the order of the parts.
struct PartFiles {
  std::vector<std::string> paths;
  core::Json arguments;  ///< the arguments of the study
};

/// Puts the files in order. Throws InputError unless they are all parts of one study, each once.
PartFiles find_parts(const std::vector<std::string>& paths);

/// An executor that does no run, but looks up what the parts made of it; `journals` are those of the parts in their
/// order. Only the median runs with computation it does itself, as which these are all parts tell together. Its start()
/// throws InputError on a task that none of them has done.
std::unique_ptr<Executor> make_parts_executor(const Comparison& comparison,
                                              std::vector<std::unique_ptr<Journal>> journals);

}  // namespace toroid::study
