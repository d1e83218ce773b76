#pragma once
// Published trainings: which model, divided how.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace toroid::workloads::llm {

/// A training as it was published.
struct Configuration {
  std::string_view source;  ///< who published it
  std::string_view keys;    ///< of `llm`

  /// Ranks, and sequences of a step over all copies.
  std::int64_t ranks() const;
  std::int64_t sequences() const;
};

/// The configurations by name. Their keys stand for published figures alone; what is not published, such as how many
/// pieces a stage has, stays at its default.
const std::vector<std::pair<std::string_view, Configuration>>& configurations();

}  // namespace toroid::workloads::llm
