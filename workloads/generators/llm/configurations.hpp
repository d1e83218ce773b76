#pragma once
// Published trainings: which model, divided how.

#include <string_view>
#include <utility>
#include <vector>

namespace toroid::workloads::llm {

/// Trainings by name, each as keys of `llm`. Keys stand for published figures alone; what is not published, such as how
/// many pieces a stage has, stays at its default.
const std::vector<std::pair<std::string_view, std::string_view>>& configurations();

}  // namespace toroid::workloads::llm
