#pragma once
// A number with its name in results.

#include <string>

namespace toroid::core {

/// Something that a part of a run, such as an allocator, counted or measured.
struct Figure {
  std::string name;
  double value = 0;
};

}  // namespace toroid::core
