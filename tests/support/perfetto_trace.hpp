#pragma once
// Traces in Perfetto's format, read by its schema (protos/perfetto/trace in the sources of Perfetto).

#include <string>

#include "toroid/core/json.hpp"

namespace toroid::test {

/// A trace as its `tracks`, in the order in which they are defined, and `events`, in the order of the file. Tracks have
/// a `name` and a `group`, the name of their parent. Events have a `kind` (begin, end, instant, counter), a `track` and
/// its `group`, a `time` in nanoseconds, and where they are there `name`, `category`, `value`, `arguments`, `flows` and
/// `ending_flows`. Throws std::runtime_error on what Perfetto would drop:
/// tracks and names that nobody has defined before, fields that are cut off.
core::Json read_perfetto(const std::string& trace);

}  // namespace toroid::test
