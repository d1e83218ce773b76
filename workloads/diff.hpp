#pragma once
// Whether two traces are the same program: the same operations of each rank, in the same order.

#include <cstdint>
#include <string>
#include <vector>

#include "workloads/trace.hpp"

namespace toroid::workloads {

struct DiffOptions {
  /// Computations and sleeps count too, those that follow one another as one: they may differ by `tolerance`, as a part
  /// of the larger one. Without it they are passed over.
  bool computation = false;
  double tolerance = 0.01;
  bool tags = true;  ///< whether tags count
  /// Waits that follow one another, a waitall or one for each request, are one; those that take no request are none.
  bool merge_waits = false;
};

/// Where a rank does something else in one trace than in the other.
struct Difference {
  struct Side {
    std::string operation;  ///< in words, `send to 1, tag 0, 100 bytes`; `the end` after the last
    std::string place;      ///< where it stands; empty at the end
  };
  Rank rank;
  Side a, b;
};

/// The first difference of each rank that has one, by rank. The traces must have the same number of ranks. Not
/// compared, as it has no effect: the capacity of receives, and which handles stand for requests. A wait is the same if
/// it takes the requests that were posted as the n-th of the rank, for the same n. Not compared either, as some formats
/// have none: the communicators of single messages. What is printed of the two sides is never the same.
std::vector<Difference> first_differences(const Trace& a, const Trace& b, const DiffOptions& options);

}  // namespace toroid::workloads
