#pragma once
// Tasks of a study, of which a journal knows some already.

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/json.hpp"
#include "study/executor.hpp"
#include "study/journal.hpp"

namespace toroid::study {

/// The name that the journal knows a task by.
using NameTask = std::function<core::Json(std::size_t task)>;
/// Receives the result of a task, or null and the reason why there is none.
using TaskEnded = std::function<void(std::size_t task, const core::Json& result, const std::string& error)>;

/// Does the tasks that the journal (which may be null) does not know, and adds the results of those that succeed to it.
/// The executor's work must return JSON text.
void do_tasks(const char* title, std::vector<std::size_t> tasks, const NameTask& name, Executor& executor,
              Journal* journal, const TaskEnded& ended);

/// Does so many tasks in worker processes of their own, without a journal; `work` returns the result of one.
void run_all(const char* title, std::size_t tasks, std::size_t workers,
             const std::function<core::Json(std::size_t task)>& work, const TaskEnded& ended);

}  // namespace toroid::study
